"""SessionServers holds the MCP servers of a session, and routes calls to them."""

import asyncio
import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ..discovery.configuration.keys import McpServer
from ..discovery.discover import ResolvedProject
from ..errors import SessionError
from ..model.diagnostic import warning
from ..model.state.agent_and_runtime import ServerInfo
from ..model.state.files import TextFile
from ..providers.read.pieces_and_calls import read_call_request
from ..text.words import count_noun
from .bring_up_to_date import prepare_prompt
from .configured_servers import ConfiguredServers, find_configured_servers
from .current_files import get_session_files
from .prompt_templates import PromptTemplate
from .session_parts import SessionParts

if TYPE_CHECKING:
    from .mcp_server_link import ServerLink, ServerThread


MISSING_PACKAGE = "MCP servers need the package mcp: pip install 'overture[mcp]'"


class SessionServers:
    """A part of Session."""

    def __init__(self) -> None:
        self.links: list[ServerLink] = []
        self.thread: ServerThread | None = None

    @property
    def templates(self) -> Mapping[str, PromptTemplate]:
        """The prompts of servers as templates, if configured."""
        return {each.name: each for link in self.links for each in link.contents.templates}

    @property
    def files(self) -> tuple[TextFile, ...]:
        """The configured resources of the session's MCP servers."""
        return tuple(file for link in self.links for file in link.contents.files)

    def update_state(self, parts: SessionParts) -> None:
        """Update the servers' instructions and resources in the session's state."""
        own = {link.name for link in self.links}
        other_servers = tuple(each for each in parts.setup.fields.get("servers", ()) if each.name not in own)
        infos = [ServerInfo(link.name, link.contents.instructions) for link in self.links if link.contents.instructions]
        new = (*other_servers, *infos)
        if (new, self.files) != (parts.setup.fields.get("servers", ()), parts.setup.remote_files):
            parts.setup.fields["servers"], parts.setup.remote_files = new, self.files
            parts.add_trigger("registry", f"MCP servers: {', '.join(link.name for link in self.links)}")

    def find(self, name: str) -> "tuple[ServerLink, str] | None":
        """The server that has a tool, and the server's own name for it."""
        for link in self.links:
            for theirs, ours in link.names.items():  # a reload sets other names; it never changes these
                if ours == name and name in link.tools:
                    return link, theirs
        return None

    def close(self) -> None:
        """Stop the servers that the session started. A caller's client stays connected."""
        for link in self.links:
            link.stop()
        if self.thread is not None:
            self.thread.stop()


def get_servers(parts: SessionParts) -> SessionServers:
    """The servers of a session, created on first use."""
    with parts.lock:
        servers: SessionServers = parts.mcp or SessionServers()
        parts.mcp = servers
    return servers


def start_configured(parts: SessionParts) -> None:
    """Connect to the configured servers, if any, and wait for their tools."""
    files = get_session_files(parts)
    if files is None or parts.setup.info is None or not _forget_ended(parts):
        return
    parts.reconnect_servers = reconnect_servers
    _connect(parts, files.project, _find_servers(files.project))


def _find_servers(project: ResolvedProject) -> ConfiguredServers:
    return find_configured_servers(project.world, project.cwd, project.home, project.config)


def reconnect_servers(parts: SessionParts, project: ResolvedProject) -> None:
    """Reconnect if the configuration of the servers has changed. A reload calls it."""
    thread = parts.mcp.thread if parts.mcp is not None else None
    configured = _find_servers(project)
    known = {link.name: link.settings for link in thread.links} if thread is not None else {}
    if known == dict(configured.servers):
        return
    if thread is not None:
        thread.stop()
        _forget_ended(parts)
    _connect(parts, project, configured)


def _connect(parts: SessionParts, project: ResolvedProject, configured: ConfiguredServers) -> None:
    """Start the configured servers, and wait for their tools."""
    notes = list(configured.notes)
    if configured.servers:
        try:
            from .mcp_server_link import ServerLink, ServerThread
        except ImportError:
            notes.append(warning("mcp-failed", f"{', '.join(configured.servers)}: not started. {MISSING_PACKAGE}"))
        else:
            servers = get_servers(parts)
            links = [ServerLink(parts, name, each, adds=True) for name, each in configured.servers.items()]
            servers.links += links
            servers.thread = ServerThread(links, project.cwd)
            weakref.finalize(parts, servers.thread.stop)
            servers.thread.wait()
    with parts.lock:
        parts.turn.diagnostics += notes


def _forget_ended(parts: SessionParts) -> bool:
    """Drop the stopped servers of a closed session that starts again; returns false if they are connected."""
    thread = parts.mcp.thread if parts.mcp is not None else None
    for link in thread.links if thread is not None and thread.ended else ():
        link.apply(parts, ())
        parts.mcp.links.remove(link)
    return thread is None or thread.ended


async def add_client(parts: SessionParts, client: Any, name: str | None) -> None:
    """Add the tools of a connected client to the session. A server that fails becomes a diagnostic."""
    try:
        from .mcp_server_link import ServerLink, explain_problem, get_client_session
    except ImportError:
        raise SessionError(MISSING_PACKAGE) from None
    await asyncio.to_thread(prepare_prompt, parts, look=False)
    session, servers = get_client_session(client), get_servers(parts)
    info = session.server_info
    name = name or (info.name if info is not None else "server")
    known = {link.name for link in servers.links}
    unique = next(each for each in (name, *(f"{name}-{number}" for number in range(2, 1000))) if each not in known)
    # The caller connected the client, so its address is neither known nor used.
    link = ServerLink(parts, unique, McpServer(url="given"), adds=False)
    servers.links.append(link)
    try:
        async with asyncio.timeout(link.settings.timeout):
            await link.load(client)
    except TimeoutError:
        link.end(f"it did not respond within {count_noun(float(link.settings.timeout), 'second')}")
    except Exception as problem:
        link.end(explain_problem(problem))
    else:
        _wrap_message_handler(session, link)
        link.task = asyncio.create_task(_follow(link))


def _wrap_message_handler(session: Any, link: "ServerLink") -> None:
    """Wrap the client's message handler: a client of the older protocol sends notifications only there."""
    before = getattr(session, "_message_handler", None)

    async def handle(message: Any) -> None:
        await link.handle_message(message)
        if before is not None:
            await before(message)

    session._message_handler = handle


async def _follow(link: "ServerLink") -> None:
    from .mcp_server_link import explain_problem

    try:
        await link.follow()
    except Exception as problem:
        link.end(explain_problem(problem))


async def call_server(parts: SessionParts, call: Any) -> Any:
    """Call a server's tool; returns None if no server has it."""
    request = read_call_request(call)
    match = parts.mcp.find(request.name) if parts.mcp is not None else None
    if match is None:
        return None
    link, name = match
    work = link.call(name, request.arguments)
    if link.loop is asyncio.get_running_loop() or link.loop is None:
        return await work
    return await asyncio.wrap_future(asyncio.run_coroutine_threadsafe(work, link.loop))
