"""Reads what a connected server offers: all pages of its tools, and its prompts and resources if configured."""

import json
import logging
from collections.abc import AsyncIterator, Sequence
from typing import Any, NamedTuple

import mcp_types as types
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from ...errors import StateError
from ...model.diagnostic import Diagnostic, warning
from ...model.state.files import TextFile
from ...model.tool import Tool
from ..messages.prompt_templates import PromptTemplate, read_template

MAX_PAGES = 100
MAX_TOOLS = 1_000
MANY_TOOLS = 128
"""Some providers reject a request with more tools than this."""
MAX_SCHEMA_CHARS = 100_000
MAX_TEXT_CHARS = 20_000
"""Characters of a description, of instructions, of a prompt or a resource."""
MAX_PROMPTS = 100

for _name in ("mcp", "client"):
    # Without a handler, Python prints what the SDK logs about a bad server on standard error.
    logging.getLogger(_name).addHandler(logging.NullHandler())


class ServerContents(NamedTuple):
    """The contents of a server, and the diagnostics about them."""

    tools: tuple[Tool, ...] = ()
    """The tools under the server's own names."""
    instructions: str = ""
    templates: tuple[PromptTemplate, ...] = ()
    files: tuple[TextFile, ...] = ()
    notes: tuple[Diagnostic, ...] = ()


async def read_server(
    client: Any, name: str, *, prompts: bool = False, resources: Sequence[str] = ()
) -> ServerContents:
    """Read everything that a server offers. What it can't return becomes a diagnostic."""
    session = get_client_session(client)
    notes: list[Diagnostic] = []
    tools = await read_server_tools(session, name, notes)
    templates: list[PromptTemplate] = []
    try:
        templates += [each async for each in _read_prompts(client, session, name, notes)] if prompts else []
    except (MCPError, ValidationError) as problem:
        notes.append(_warn(name, f"its prompts are not listed: {explain_problem(problem)}"))
    files = [file for uri in resources if (file := await _read_resource(client, name, uri, notes)) is not None]
    instructions = _truncate_server_text(session.instructions or "", "instructions", name, notes)
    return ServerContents(tools, instructions, tuple(templates), tuple(files), tuple(notes))


def get_client_session(client: Any) -> Any:
    """The SDK's ClientSession: that of a Client, or the argument itself."""
    return client.session if hasattr(client, "server") else client


async def _list_pages(request: Any, field: str, name: str, notes: list[Diagnostic]) -> AsyncIterator[Any]:
    """The items of all pages, up to a repeated cursor or MAX_PAGES pages."""
    cursor, cursors = None, set()
    for _ in range(MAX_PAGES):
        page = await request(params=types.PaginatedRequestParams(cursor=cursor))
        for item in getattr(page, field):
            yield item
        cursor = page.next_cursor
        if cursor is None:
            return
        if cursor in cursors:
            break
        cursors.add(cursor)
    notes.append(_warn(name, f"its list of {field} does not end: only the first {MAX_PAGES} pages are read"))


async def read_server_tools(session: Any, name: str, notes: list[Diagnostic]) -> tuple[Tool, ...]:
    """The tools of a server, each name once. A tool that no request can contain is skipped."""
    tools: dict[str, Tool] = {}
    skipped = 0
    try:
        async for each in _list_pages(session.list_tools, "tools", name, notes):
            if len(tools) >= MAX_TOOLS:
                skipped += 1
            elif each.name in tools:
                notes.append(_warn(name, f"it lists the tool {each.name!r:.80} twice: the first is used"))
            elif (tool := _make_tool(each, name, notes)) is not None:
                tools[each.name] = tool
    except MCPError as problem:
        if problem.code != types.METHOD_NOT_FOUND:  # a server may have prompts alone
            raise
    if skipped:
        notes.append(_warn(name, f"{skipped:,} of its tools are skipped: only the first {MAX_TOOLS:,} are used"))
    elif len(tools) > MANY_TOOLS:
        notes.append(_warn(name, f"it has {len(tools):,} tools; some providers accept {MANY_TOOLS} in a request"))
    return tuple(tools.values())


def _make_tool(each: Any, name: str, notes: list[Diagnostic]) -> Tool | None:
    """A server's tool; None with a warning if no request can contain it."""
    try:
        size = len(json.dumps([each.input_schema, each.output_schema]))
        if size > MAX_SCHEMA_CHARS:
            raise StateError(f"its schema has {size:,} characters, more than {MAX_SCHEMA_CHARS:,}")
        description = _truncate_server_text(each.description or "", f"description of {each.name!r:.80}", name, notes)
        return Tool(each.name, description or None, each.input_schema, returns=each.output_schema, server=name)
    except (StateError, ValueError, RecursionError) as problem:
        notes.append(_warn(name, f"the tool {each.name!r:.80} is skipped: {problem}"))
        return None


async def _read_prompts(
    client: Any, session: Any, name: str, notes: list[Diagnostic]
) -> AsyncIterator[PromptTemplate]:  # fmt: skip
    """The prompts as templates: each is requested with `$1`, `$2` … as its arguments."""
    count = 0
    async for prompt in _list_pages(session.list_prompts, "prompts", name, notes):
        if (count := count + 1) > MAX_PROMPTS:
            notes.append(_warn(name, f"only the first {MAX_PROMPTS} of its prompts are templates"))
            return
        places = {each.name: f"${number}" for number, each in enumerate(prompt.arguments or (), 1)}
        try:
            response = await client.get_prompt(prompt.name, places or None)
        except (MCPError, ValidationError) as problem:
            notes.append(_warn(name, f"the prompt {prompt.name!r:.80} is not a template: {explain_problem(problem)}"))
            continue
        texts = [each.content.text for each in response.messages if isinstance(each.content, types.TextContent)]
        text = _truncate_server_text("\n\n".join(texts), f"prompt {prompt.name!r:.80}", name, notes)
        template, more = read_template(text, f"mcp://{name}/{prompt.name.replace('/', '-')}.md")
        notes += more
        yield template


async def _read_resource(client: Any, name: str, uri: str, notes: list[Diagnostic]) -> TextFile | None:
    """A resource as a project file of remote origin. One without text is skipped."""
    try:
        response = await client.read_resource(uri)
    except (MCPError, ValidationError, ValueError) as problem:
        notes.append(_warn(name, f"the resource {uri!r:.200} is not loaded: {explain_problem(problem)}"))
        return None
    texts = [each.text for each in response.contents if isinstance(each, types.TextResourceContents)]
    if not texts:
        notes.append(_warn(name, f"the resource {uri!r:.200} is not loaded: it contains no text"))
        return None
    path = uri if "://" in uri else f"mcp://{name}/{uri}"
    return TextFile(path=path, content=_truncate_server_text("\n".join(texts), f"resource {uri!r:.80}", name, notes))


def _truncate_server_text(text: str, what: str, name: str, notes: list[Diagnostic]) -> str:
    """A text from a server, truncated to MAX_TEXT_CHARS."""
    if len(text) <= MAX_TEXT_CHARS:
        return text
    notes.append(_warn(name, f"its {what} has {len(text):,} characters and is truncated to {MAX_TEXT_CHARS:,}"))
    return f"{text[:MAX_TEXT_CHARS]}…"


def _warn(name: str, message: str) -> Diagnostic:
    """A warning about an MCP server."""
    return warning("mcp-server", f"the MCP server {name!r:.80}: {message}")


def explain_problem(problem: BaseException) -> str:
    """The error message on one line; of an exception group, the first error's."""
    while isinstance(problem, BaseExceptionGroup):
        problem = problem.exceptions[0]
    text = " ".join(str(problem).split()) or type(problem).__name__
    return text.rstrip(".")[:200]
