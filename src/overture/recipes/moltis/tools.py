"""Moltis's own tools, by the names that its guidelines use."""

from ...model.state.tool import Tool, one_of, takes, text, whole

TOOLS = (
    Tool(
        "exec",
        "Run a shell command.",
        takes(
            {"command": text("The command line.")},
            {"timeout": whole("Seconds after which it is stopped. Default: it is not.")},
        ),
    ),
    Tool(
        "browser",
        "Open a page in a browser and work with it.",
        takes(
            {"action": one_of("What to do.", "open", "read", "click", "type", "screenshot", "close")},
            {
                "url": text("The page's address, to open it."),
                "selector": text("The CSS selector of what to click, or to type into."),
                "text": text("What to type."),
            },
        ),
    ),
    Tool(
        "web_search",
        "Search the web.",
        takes({"query": text("What to search for.")}, {"count": whole("How many results to give at most.")}),
    ),
    Tool(
        "web_fetch",
        "Fetch one page as text.",
        takes({"url": text("The page's address.")}, {"max_chars": whole("How many characters to give at most.")}),
    ),
    Tool(
        "memory_search",
        "Search what was kept from earlier sessions.",
        takes({"query": text("What to look for.")}, {"limit": whole("How many notes to give at most.")}),
    ),
    Tool("memory_get", "Read a kept note in full.", takes({"id": text("The note, as a search names it.")})),
    Tool("memory_save", "Keep a fact for later sessions.", takes({"text": text("The fact, in a sentence.")})),
    Tool("memory_forget", "Remove a fact that was kept.", takes({"id": text("The fact, as a search names it.")})),
)
