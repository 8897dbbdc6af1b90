"""Moltis's tools: their definitions, their list in the prompt, the form of a call, the guidelines."""

from msgspec.structs import replace

from ...model.diagnostic import warning
from ...model.recipe.body import Body, Group, Part, Skip
from ...model.recipe.rule import ALWAYS, SOME, Rule, all_of, has, rule
from ...model.recipe.section import heading, section
from ...model.source import from_state
from ...model.tool import Tool, one_of, takes, text, whole
from ...sections.tools_and_guidelines import active_names, bullets, fired_guidelines, report_broken_names, write_tools
from ...sections.tools_and_guidelines import guidelines as table_bullets
from ...text.normalize import to_one_line
from .. import read_prose

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


RULES = (
    rule("answer_first", ALWAYS, "Give the answer first, then only what helps to use it."),
    rule("admit_gaps", ALWAYS, "Say so when you do not know; never invent facts."),
    rule("tools_when_needed", SOME, "Call a tool when it brings you nearer to the answer, not to seem busy."),
    rule(
        "exec_for_work",
        has("exec"),
        "Use `exec` for what a shell does well: files, builds, tests, version control, the state of the system.",
        "Before a command of `exec` deletes, overwrites or sends anything, be sure that the user wants that.",
    ),
    rule(
        "search_the_web",
        has("web_search"),
        "Use `web_search` for what may have changed since you were trained, and name the pages that you relied on.",
    ),
    rule("fetch_a_page", has("web_fetch"), "Use `web_fetch` to read a page whose address you have."),
    rule(
        "browser_for_pages",
        has("browser"),
        "Use `browser` for pages that must be clicked through, filled in or seen as a person sees them.",
    ),
    rule(
        "fetch_before_browser",
        all_of(has("web_fetch"), has("browser")),
        "Try `web_fetch` before `browser`: it is faster, and enough for plain text.",
    ),
    rule("own_words", SOME, "Say what a tool's result means; do not recite its raw output."),
)
MEMORY = (
    rule(
        "search_memory",
        has("memory_search"),
        "Look with `memory_search` before you say that you do not know something about the user or their work.",
    ),
    rule("get_memory", has("memory_get"), "Read with `memory_get` whatever you found only in part."),
    rule(
        "save_memory",
        has("memory_save"),
        "Keep with `memory_save` what will matter later: a preference, a decision, a name, a date.",
    ),
    rule("forget_memory", has("memory_forget"), "Remove with `memory_forget` what is no longer true or wanted."),
    rule("delete_memory", has("memory_delete"), "Remove with `memory_delete` what is no longer true or wanted."),
)
CALLING = read_prose(__package__, "calling.md")
SILENCE = read_prose(__package__, "silence.md")
MEMORY_TOOLS = "What you learn can outlast this session. Your tools for that: "
NO_TOOLS = Skip("no tool is active")


@section("memory", frame=heading("## Long-Term Memory"), priority=45, rules=MEMORY)
def moltis_memory(rules: tuple[Rule, ...], tools: tuple[Tool, ...]) -> Body:
    """How to use the active memory tools, and which they are."""
    active = [(i, t) for i, t in enumerate(tools) if t.name.startswith("memory_") and not t.planning_only]
    if not active:
        return Skip("no memory tool is active")
    names = [
        Part(to_one_line(t.name), from_state(f"tools[{i}].name"), t.name, before="`", after="`") for i, t in active
    ]
    hints = bullets(fired_guidelines(rules, tools)) or ""
    listed = Group(tuple(names), sep=", ", before=MEMORY_TOOLS, after=".")
    return Group((listed, hints), sep="\n\n", notes=report_broken_names(active))


@section("tools", frame=heading("## Available Tools"), priority=85)
def moltis_tools(tools: tuple[Tool, ...], native_tools: bool) -> Body:
    """The active tools: one line each if the provider gets their schemas, otherwise in full."""
    active = [(index, tool) for index, tool in enumerate(tools) if not tool.planning_only]
    skipped_names = [tool.name for tool in tools if tool.planning_only]
    message = f"Moltis lists only tools that can be called: {', '.join(skipped_names)} (planning only) skipped"
    notes = (*([warning("tool-planning-only", message)] if skipped_names else []), *report_broken_names(active))
    if not active:
        return Skip(NO_TOOLS.reason, notes)
    return replace(write_tools(active, native=native_tools), notes=notes)


@section("calling", pace="static", frame=heading("## How to call tools"), priority=85)
def moltis_calling(tools: tuple[Tool, ...], native_tools: bool) -> Body:
    """How to write a tool call, for providers without native tool calling."""
    if native_tools:
        return Skip("the provider calls tools natively")
    return CALLING if active_names(tools) else NO_TOOLS


@section("guidelines", pace="static", frame=heading("## Guidelines"), priority=60, rules=RULES)
def moltis_guidelines(rules: tuple[Rule, ...], tools: tuple[Tool, ...]) -> Body:
    """How to work: two general lines, and more for the active tools."""
    return table_bullets(rules, tools) or Skip("no rule fires")


@section("silent-replies", pace="static", frame=heading("## Silent Replies"), priority=35)
def moltis_silent_replies(tools: tuple[Tool, ...]) -> Body:
    """When to say nothing: the output of a tool may be the whole answer."""
    return SILENCE if active_names(tools) else NO_TOOLS
