"""ServerLink reads what a connected server offers, adds its tools to the session, and follows its list.

ServerThread connects the configured servers.
"""

import asyncio
import json
import logging
import math
import os
import re
import threading
import weakref
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, NamedTuple

import anyio
import httpx2
import mcp_types as types
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client
from mcp.client.subscriptions import SubscriptionLost, listen
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from msgspec.structs import replace
from pydantic import ValidationError

from ..discovery.configuration.keys import McpServer
from ..errors import StateError
from ..model.diagnostic import Diagnostic, warning
from ..model.state.files import TextFile
from ..model.tool import Tool
from ..text.invisible import escape_to_line
from ..text.words import count_noun
from .change_session import drop_default_tools, get_toolbox, register_tools, unregister_tools
from .prompt_templates import PromptTemplate, read_template
from .session_parts import SessionParts
from .session_setup import USE_SKILL

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
    return warning("mcp-server", f"the MCP server {name!r:.80}: {message}")


def explain_problem(problem: BaseException) -> str:
    """The error message on one line; of an exception group, the first error's."""
    while isinstance(problem, BaseExceptionGroup):
        problem = problem.exceptions[0]
    text = " ".join(str(problem).split()) or type(problem).__name__
    return text.rstrip(".")[:200]


RELIST_SECONDS = 0.5
"""Seconds within which several change notifications count as one."""
MAX_IDLE_RELISTS = 3
"""Successive notifications without a change, after which the server's notifications are ignored."""
PING_SECONDS = 30.0
END_SECONDS = 15.0
"""The maximum seconds that the SDK needs to end a program that does not exit."""
READ_SECONDS = 300.0
"""Seconds that an open HTTP response may send nothing."""
MAX_ERROR_BYTES = 2_000
"""Bytes that are kept from the end of a program's standard error."""
MAX_ERROR_LINES = 3


class ServerLink:
    """One server of a session. It holds the session weakly, so that an unused session is collected."""

    def __init__(self, parts: SessionParts, name: str, settings: McpServer, *, adds: bool) -> None:
        """Link a session to one MCP server; `adds` keeps the recipe's default tools beside the server's."""
        self.parts, self.name, self.settings, self.adds = weakref.ref(parts), name, settings, adds
        self.client: Any = None
        self.loop: asyncio.AbstractEventLoop | None = None
        self.names: dict[str, str] = {}
        """The server's name of a tool -> the session's."""
        self.tools: dict[str, Tool] = {}
        """The session's name -> the tool as it was registered."""
        self.contents = ServerContents()
        self.changed = asyncio.Event()
        self.task: asyncio.Task[None] | None = None
        """The task that follows a client passed to `add_mcp`."""

    def stop(self) -> None:
        """Stop following a client passed to `add_mcp`."""
        if self.task is not None and self.loop is not None and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self.task.cancel)

    async def load(self, client: Any) -> None:
        """Read a connected server and add its tools to the session."""
        self.client, self.loop = client, asyncio.get_running_loop()
        wanted = self.settings
        contents = await read_server(client, self.name, prompts=wanted.prompts, resources=wanted.resources)
        if (parts := self.parts()) is not None:
            self.report(*(note for note in contents.notes if note not in self.contents.notes))
            self.contents = contents
            await asyncio.to_thread(self.apply, parts, contents.tools)

    def apply(self, parts: SessionParts, tools: tuple[Tool, ...]) -> None:
        """Make these the server's tools in the session. A remaining tool keeps its name and position."""
        box = get_toolbox(parts)
        with parts.lock:
            if tools and not self.adds:
                drop_default_tools(parts)
            replaced_names = [name for name, tool in self.tools.items() if box.known.get(name) is not tool]
            for name in replaced_names:  # a program replaced it with its own tool
                del self.tools[name]
            taken_names = {*box.active, USE_SKILL} - self.tools.keys()
            self.names = {tool.name: self._name_tool(tool.name, taken_names) for tool in tools}
            new = {self.names[tool.name]: tool for tool in tools}
            removed_names = [name for name in self.tools if name not in new]
            own = {name: replace(tool, name=name) for name, tool in new.items()}
            new_tools = tuple(tool for name, tool in own.items() if self.tools.get(name) != tool)
            self.tools = {
                name: self.tools[name] if self.tools.get(name) == tool else tool for name, tool in own.items()
            }
            if removed_names:
                unregister_tools(parts, removed_names)
            if new_tools:
                register_tools(parts, new_tools, adds=self.adds)
            parts.mcp.update_state(parts)

    def _name_tool(self, name: str, taken_names: set[str]) -> str:
        """The server's own name, or `mcp__SERVER__name` if that is taken. A chosen name stays."""
        chosen_name = self.names.get(name)
        if chosen_name in self.tools or (chosen_name and chosen_name not in taken_names):
            return chosen_name
        return f"mcp__{re.sub(r'[^A-Za-z0-9_-]', '_', self.name)}__{name}" if name in taken_names else name

    async def handle_message(self, message: Any) -> None:
        """Handle a notification from a server of the older protocol."""
        if isinstance(message, types.ToolListChangedNotification):
            self.changed.set()

    async def follow(self) -> None:
        """Follow the server's tool list until the connection ends; then it raises."""
        session = get_client_session(self.client)
        if session.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            return await self._relist_on_change(session)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._listen, session)
            await self._relist_on_change(session)

    async def _listen(self, session: Any) -> None:
        """Subscribe to changes of the tool list. It returns if the server has no subscriptions."""
        while True:
            try:
                async with listen(session, tools_list_changed=True) as changes:
                    async for _ in changes:
                        self.changed.set()
                return
            except SubscriptionLost:
                await anyio.sleep(RELIST_SECONDS)
                self.changed.set()  # listing fails if the connection is lost
            except (MCPError, TimeoutError) as problem:
                if getattr(problem, "code", None) == types.CONNECTION_CLOSED:
                    raise
                return

    async def _relist_on_change(self, session: Any) -> None:
        idle = 0
        while True:
            with anyio.move_on_after(PING_SECONDS):
                await self.changed.wait()
            if not self.changed.is_set():
                if session.protocol_version not in MODERN_PROTOCOL_VERSIONS:
                    await session.send_ping()
                continue
            self.changed.clear()
            before = self.contents.tools
            await self.load(self.client)
            await anyio.sleep(RELIST_SECONDS)
            idle = idle + 1 if self.changed.is_set() and self.contents.tools == before else 0
            if idle >= MAX_IDLE_RELISTS:
                again = "it keeps reporting changed tools although they are the same: it is not asked again"
                self.report(warning("mcp-server", f"the MCP server {self.name!r}: {again}"))
                await anyio.sleep_forever()

    async def call(self, name: str, arguments: dict[str, Any]) -> types.CallToolResult:
        """Call a tool. A failure is a result, too, with `is_error`."""
        try:
            with anyio.fail_after(self.settings.timeout):
                result = await self.client.call_tool(name, arguments)
            assert isinstance(result, types.CallToolResult)
            return result
        except TimeoutError:
            limit = count_noun(float(self.settings.timeout), "second")
            text = f"the MCP server {self.name!r} did not respond within {limit}"
        except (MCPError, ValidationError, RuntimeError, OSError) as problem:
            text = f"the MCP server {self.name!r} failed: {explain_problem(problem)}"
        self.report(warning("mcp-failed", text))
        return types.CallToolResult(content=[types.TextContent(text=f"Error: {text}.")], is_error=True)

    def end(self, why: str) -> None:
        """Remove the tools of a server that has ended, and report it."""
        if (parts := self.parts()) is None:
            return
        self.contents = ServerContents()
        self.report(warning("mcp-failed", f"the MCP server {self.name!r} is not used: {why}"))
        if self.tools:
            self.apply(parts, ())

    def report(self, *notes: Diagnostic) -> None:
        """Add diagnostics to the next turn's record."""
        if (parts := self.parts()) is not None:
            with parts.lock:
                parts.turn.diagnostics += notes


class ErrorTail:
    """The end of a program's standard error. A thread reads it, so the program never blocks."""

    def __init__(self) -> None:
        self.tail = b""
        source, self.target = os.pipe()
        self.thread = threading.Thread(target=self._read, args=(source,), name="overture mcp errors", daemon=True)
        self.thread.start()

    def _read(self, source: int) -> None:
        """Keep the end of what an MCP server writes to standard error."""
        with os.fdopen(source, "rb", buffering=0) as pipe:
            while data := pipe.read(65_536):
                self.tail = (self.tail + data)[-MAX_ERROR_BYTES:]

    def close(self) -> str:
        """Stop reading; returns the last lines, joined. A program that still runs is not stopped."""
        os.close(self.target)
        self.thread.join(timeout=1.0)
        lines = [escape_to_line(line.strip()) for line in self.tail.decode("utf-8", "replace").splitlines()]
        return " | ".join([line for line in lines if line][-MAX_ERROR_LINES:])


@asynccontextmanager
async def open_transport(server: McpServer, cwd: str, errors: ErrorTail) -> AsyncIterator[Any]:
    """Start a program, or connect to a URL; yields the streams."""
    if server.url is not None:
        timeout = httpx2.Timeout(server.timeout, read=READ_SECONDS)
        async with (
            httpx2.AsyncClient(headers=server.headers, timeout=timeout) as http,
            streamable_http_client(server.url, http_client=http) as streams,
        ):
            yield streams
        return
    program = StdioServerParameters(
        command=server.command or "", args=list(server.args), env=server.env, cwd=server.cwd or cwd,
        encoding_error_handler="replace",
    )  # fmt: skip
    # The SDK passes `errlog` to the process unchanged: a file descriptor works like a file.
    async with stdio_client(program, errlog=errors.target) as streams:  # type: ignore[arg-type]
        yield streams


class ServerThread:
    """A thread with an event loop, which runs one task for each server."""

    def __init__(self, links: Sequence[ServerLink], cwd: str) -> None:
        self.links, self.cwd = links, cwd
        self.loop = asyncio.new_event_loop()
        self.scopes: list[anyio.CancelScope] = []
        self.ended = False
        self.ready = [threading.Event() for _ in links]
        self.thread = threading.Thread(target=self._run, name="overture mcp", daemon=True)
        self.thread.start()

    def wait(self) -> None:
        """Wait until each server has listed its tools or failed."""
        for event in self.ready:
            event.wait()

    def stop(self) -> None:
        """End every connection, and every program that was started."""
        self.ended = True
        if self.thread.is_alive() and threading.current_thread() is not self.thread:
            with suppress(RuntimeError):  # the last server has just ended and closed the loop
                for scope in self.scopes:
                    self.loop.call_soon_threadsafe(scope.cancel)
            self.thread.join(timeout=END_SECONDS)

    def _run(self) -> None:
        async def connect_all() -> None:
            await asyncio.gather(*(self._connect(*each) for each in zip(self.links, self.ready, strict=True)))

        with asyncio.Runner(loop_factory=lambda: self.loop) as runner:
            runner.run(connect_all())

    async def _connect(self, link: ServerLink, ready: threading.Event) -> None:
        """Keep one server connected. Any error of it ends here, as a diagnostic."""
        limit = link.settings.timeout
        why = f"it did not respond within {count_noun(float(limit), 'second')}"
        errors = ErrorTail()
        try:
            with anyio.CancelScope(deadline=anyio.current_time() + limit) as scope:
                self.scopes.append(scope)
                async with Client(
                    open_transport(link.settings, self.cwd, errors), message_handler=link.handle_message
                ) as client:
                    await link.load(client)
                    scope.deadline = math.inf
                    ready.set()
                    await link.follow()
        except Exception as problem:
            why = explain_problem(problem)
        finally:
            printed = errors.close()
            if not self.ended:
                link.end(f"{why}; it printed: {printed}" if printed else why)
            ready.set()
