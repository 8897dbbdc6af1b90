"""ServerThread connects to the servers of the configuration, on an event loop of its own, and ends with the session."""

import asyncio
import math
import os
import threading
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any

import anyio
import httpx2
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import streamable_http_client

from ...discover.configuration.keys import McpServer
from ...text.invisible import escape_to_line
from ...text.words import count_noun
from .link import ServerLink
from .read_server import explain_problem

END_SECONDS = 15.0
"""What the SDK needs at the most to end a program that does not want to."""
READ_SECONDS = 300.0
"""How long an open HTTP response may be silent."""


MAX_ERROR_BYTES = 2_000
"""Of what a program prints as errors, how much is kept: its end."""
MAX_ERROR_LINES = 3


class ErrorTail:
    """The last of what a program prints as errors, read by a thread so that the program never waits."""

    def __init__(self) -> None:
        self.kept = b""
        source, self.target = os.pipe()
        self.thread = threading.Thread(target=self._read, args=(source,), name="overture mcp errors", daemon=True)
        self.thread.start()

    def _read(self, source: int) -> None:
        with os.fdopen(source, "rb", buffering=0) as pipe:
            while data := pipe.read(65_536):
                self.kept = (self.kept + data)[-MAX_ERROR_BYTES:]

    def close(self) -> str:
        """The last lines, in one; a program that still runs goes on without being heard."""
        os.close(self.target)
        self.thread.join(timeout=1.0)
        lines = [escape_to_line(line.strip()) for line in self.kept.decode("utf-8", "replace").splitlines()]
        return " | ".join([line for line in lines if line][-MAX_ERROR_LINES:])


@asynccontextmanager
async def open_transport(server: McpServer, cwd: str, errors: ErrorTail) -> AsyncIterator[Any]:
    """The streams of a program that is started, or of a URL."""
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
    # The SDK hands it to the process as it is, and a number does as well as a file there.
    async with stdio_client(program, errlog=errors.target) as streams:  # type: ignore[arg-type]
        yield streams


class ServerThread:
    """A thread with an event loop, and a task on it for each server."""

    def __init__(self, links: Sequence[ServerLink], cwd: str) -> None:
        self.links, self.cwd = links, cwd
        self.loop = asyncio.new_event_loop()
        self.scopes: list[anyio.CancelScope] = []
        self.ended = False
        self.ready = [threading.Event() for _ in links]
        self.thread = threading.Thread(target=self._run, name="overture mcp", daemon=True)
        self.thread.start()

    def wait(self) -> None:
        """Wait until each server has told its tools, or has failed."""
        for event in self.ready:
            event.wait()

    def stop(self) -> None:
        """End every connection, and every program that was started."""
        self.ended = True
        if self.thread.is_alive() and threading.current_thread() is not self.thread:
            with suppress(RuntimeError):  # the last server has ended just now, and closed the loop
                for scope in self.scopes:
                    self.loop.call_soon_threadsafe(scope.cancel)
            self.thread.join(timeout=END_SECONDS)

    def _run(self) -> None:
        with asyncio.Runner(loop_factory=lambda: self.loop) as runner:
            runner.run(self._connect_all())

    async def _connect_all(self) -> None:
        await asyncio.gather(*(self._connect(link, event) for link, event in zip(self.links, self.ready, strict=True)))

    async def _connect(self, link: ServerLink, ready: threading.Event) -> None:
        """Keep one server connected. Whatever it does ends here, with a diagnostic."""
        limit = link.settings.timeout
        why = f"it did not respond within {count_noun(float(limit), 'second')}"
        errors = ErrorTail()
        try:
            with anyio.CancelScope(deadline=anyio.current_time() + limit) as scope:
                self.scopes.append(scope)
                async with Client(open_transport(link.settings, self.cwd, errors), message_handler=link.hear) as client:
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
