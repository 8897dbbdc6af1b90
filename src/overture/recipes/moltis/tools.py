"""Moltis's own tools, by the names that its guidelines use."""

from typing import Any

from ...model.tool import Tool


def takes(name: str, about: str) -> dict[str, Any]:
    """The schema of a tool with one parameter, a text that it can't do without."""
    return {"type": "object", "properties": {name: {"type": "string", "description": about}}, "required": [name]}


TOOLS = (
    Tool("exec", "Run a shell command.", takes("command", "the command line")),
    Tool("browser", "Open a page in a browser and work with it.", takes("url", "the page's address")),
    Tool("web_search", "Search the web.", takes("query", "what to search for")),
    Tool("web_fetch", "Fetch one page as text.", takes("url", "the page's address")),
    Tool("memory_search", "Search what was kept from earlier sessions.", takes("query", "what to look for")),
    Tool("memory_get", "Read a kept note in full.", takes("id", "the note, as a search names it")),
    Tool("memory_save", "Keep a fact for later sessions.", takes("text", "the fact, in a sentence")),
    Tool("memory_forget", "Remove a fact that was kept.", takes("id", "the fact, as a search names it")),
)
