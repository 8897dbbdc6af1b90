"""ServerLink follows one server: its tools are the session's, a changed list is a trigger, calls go to its client."""

import asyncio
import re
import weakref
from typing import Any

import anyio
import mcp_types as types
from mcp.client.subscriptions import SubscriptionLost, listen
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from pydantic import ValidationError

from ...discover.configuration.keys import McpServer
from ...model.diagnostic import Diagnostic, warning
from ...model.tool.tool import Tool
from ...text.words import count_noun
from ..change_session import drop_default_tools, get_toolbox, register_tools, unregister_tools
from ..session_parts import SessionParts
from ..toolbox import USE_SKILL
from .read_server import ServerContents, explain_problem, get_client_session, read_server

RELIST_SECONDS = 0.5
"""Changes that follow each other this closely are one."""
MAX_IDLE_RELISTS = 3
"""Changes in a row, each within that time, that change nothing: then the server's word counts no more."""
PING_SECONDS = 30.0


class ServerLink:
    """One server of a session. It holds the session weakly: one that everybody forgot has to end."""

    def __init__(self, parts: SessionParts, name: str, settings: McpServer, *, adds: bool) -> None:
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
        """What follows a client that was given."""

    def stop(self) -> None:
        """Follow a client that was given no more."""
        if self.task is not None and self.loop is not None and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self.task.cancel)

    async def load(self, client: Any) -> None:
        """Take over what a connected server offers."""
        self.client, self.loop = client, asyncio.get_running_loop()
        wanted = self.settings
        contents = await read_server(client, self.name, prompts=wanted.prompts, resources=wanted.resources)
        if (parts := self.parts()) is not None:
            self.report(*(note for note in contents.notes if note not in self.contents.notes))
            self.contents = contents
            await asyncio.to_thread(self.apply, parts, contents.tools)

    def apply(self, parts: SessionParts, tools: tuple[Tool, ...]) -> None:
        """Make these the server's tools in the session. What stays keeps its name and its position."""
        box = get_toolbox(parts)
        with parts.lock:
            if tools and not self.adds:
                drop_default_tools(parts)
            lost = [name for name, tool in self.tools.items() if box.known.get(name) is not tool]
            for name in lost:  # a program registered its own in place of it
                del self.tools[name]
            taken = {*box.active, USE_SKILL} - self.tools.keys()
            self.names = {tool.name: self._name_tool(tool.name, taken) for tool in tools}
            new = {self.names[tool.name]: tool for tool in tools}
            gone = [name for name in self.tools if name not in new]
            own = {name: Tool(**{**_collect_tool_fields(tool), "name": name}) for name, tool in new.items()}
            fresh = tuple(tool for name, tool in own.items() if self.tools.get(name) != tool)
            self.tools = {
                name: self.tools[name] if self.tools.get(name) == tool else tool for name, tool in own.items()
            }
            if gone:
                unregister_tools(parts, gone)
            if fresh:
                register_tools(parts, fresh, adds=self.adds)
            parts.mcp.update_state(parts)

    def _name_tool(self, name: str, taken: set[str]) -> str:
        """The server's own name, or `mcp__SERVER__name` where somebody else has that; once chosen, it stays."""
        chosen = self.names.get(name)
        if chosen in self.tools or (chosen and chosen not in taken):
            return chosen
        return f"mcp__{re.sub(r'[^A-Za-z0-9_-]', '_', self.name)}__{name}" if name in taken else name

    async def hear(self, message: Any) -> None:
        """Note what a server of the older protocol says without being asked."""
        if isinstance(message, types.ToolListChangedNotification):
            self.changed.set()

    async def follow(self) -> None:
        """Follow the server's list until the connection ends, which is an error."""
        session = get_client_session(self.client)
        if session.protocol_version not in MODERN_PROTOCOL_VERSIONS:
            return await self._relist_on_change(session)
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(self._listen, session)
            await self._relist_on_change(session)

    async def _listen(self, session: Any) -> None:
        """Hear of changes by a subscription; a server that has none is asked no more."""
        while True:
            try:
                async with listen(session, tools_list_changed=True) as changes:
                    async for _ in changes:
                        self.changed.set()
                return
            except SubscriptionLost:
                await anyio.sleep(RELIST_SECONDS)
                self.changed.set()  # listing fails where the connection is gone
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
                self.report(
                    self.warn("it keeps reporting changed tools although they are the same: it is not asked again")
                )
                await anyio.sleep_forever()

    async def call(self, name: str, arguments: dict[str, Any]) -> types.CallToolResult:
        """The result of a tool; what goes wrong is a result, too, with `is_error`."""
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
        """The server is gone: so are its tools, and that is said."""
        if (parts := self.parts()) is None:
            return
        self.contents = ServerContents()
        self.report(warning("mcp-failed", f"the MCP server {self.name!r} is not used: {why}"))
        if self.tools:
            self.apply(parts, ())

    def warn(self, message: str) -> Diagnostic:
        """A diagnostic about this server."""
        return warning("mcp-server", f"the MCP server {self.name!r}: {message}")

    def report(self, *notes: Diagnostic) -> None:
        """Have the next turn's record say it."""
        if (parts := self.parts()) is not None:
            with parts.lock:
                parts.turn.diagnostics += notes


def _collect_tool_fields(tool: Tool) -> dict[str, Any]:
    return {name: getattr(tool, name) for name in tool.__struct_fields__}
