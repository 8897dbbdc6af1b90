"""Measures first bytes: starts an upstream and the tap as processes on loopback, and asks them in turn."""

import asyncio
import json
import ssl
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from overture.tap.store.store import open_store

SAID = [{"role": "system", "content": "You are Ada. " * 2000}, {"role": "user", "content": "hi"}]
BODY = json.dumps({"model": "gpt-5", "messages": SAID, "input": SAID}).encode()
SSE = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
DATA = b'data: {"stream": "first", "number": 0, "text": "%s"}\n\n' % (b"words and " * 6)
EVENT = b"%x\r\n%s\r\n" % (len(DATA), DATA)


class Way(NamedTuple):
    """How the client comes to the upstream."""

    port: int
    prefix: str
    trust: ssl.SSLContext | None = None
    host: str = "127.0.0.1"
    token: str = ""
    """Of the tap as a proxy."""

    async def open(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A connection by it."""
        if not self.token:
            name = "localhost" if self.trust else None
            return await asyncio.open_connection("127.0.0.1", self.port, ssl=self.trust, server_hostname=name)
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port, limit=1 << 20)
        asked = f"CONNECT {self.host} HTTP/1.1\r\nHost: {self.host}\r\nProxy-Authorization: Basic {self.token}\r\n\r\n"
        writer.write(asked.encode())
        await reader.readuntil(b"\r\n\r\n")
        assert self.trust is not None
        await writer.start_tls(self.trust, server_hostname="localhost")
        return reader, writer

    def asked(self, path: str, body: bytes, *headers: str) -> bytes:
        """A request by it."""
        host = self.host if self.token else f"127.0.0.1:{self.port}"
        lines = [f"POST {self.prefix}/{path} HTTP/1.1", f"Host: {host}", *headers, f"Content-Length: {len(body)}"]
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


def trust_of(pem: str) -> ssl.SSLContext:
    return ssl.create_default_context(cadata=pem)


async def upstream() -> None:
    """Answer each request at once, with one event."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                await one(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    from overture.tap.proxy.certificate_authority import Authority

    authority = Authority()
    server = await asyncio.start_server(serve, "127.0.0.1", 0, limit=1 << 20, backlog=1024)
    secure = await asyncio.start_server(
        serve, "127.0.0.1", 0, limit=1 << 20, backlog=1024, ssl=authority.get_context("localhost")
    )
    ports = [each.sockets[0].getsockname()[1] for each in (server, secure)]
    print(json.dumps({"port": ports[0], "secure": ports[1], "pem": authority.pem.decode()}), flush=True)
    await server.serve_forever()


async def one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    head = await reader.readuntil(b"\r\n\r\n")
    size = int(head.lower().partition(b"content-length: ")[2].split(b"\r\n")[0])
    while size:
        size -= len(await reader.read(min(size, 1 << 20)))
    writer.write(SSE + EVENT + b"0\r\n\r\n")
    await writer.drain()


async def tap(url: str, pem: str, store: str) -> None:
    """The tap, as the command line opens it: calls are read, and kept in a store."""
    from overture.tap.proxy.certificate_authority import Authority
    from overture.tap.proxy.open_tap import open_tap
    from overture.tap.recorded_call import Run
    from overture.tap.run.run_tap import Recording
    from overture.tap.upstreams import resolve_upstreams

    with open_store(store) as kept:
        recording = Recording(kept, Run("r", "2026-03-07T08:00:00+00:00", "bench", ("bench",), "/"))
        authority = Authority()
        trust = trust_of(Path(pem).read_text(encoding="ascii"))
        async with open_tap(resolve_upstreams((url,)), recording.record, authority=authority, trust=trust) as there:
            told = {"port": there.port, "proxy": there.proxy, "pem": authority.pem.decode()}
            print(json.dumps(told), flush=True)
            await asyncio.Event().wait()


@asynccontextmanager
async def started(*words: str) -> AsyncIterator[tuple[int, dict[str, str]]]:
    """A process of this file: its id, and what it printed."""
    with subprocess.Popen([sys.executable, __file__, *words], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.pid, json.loads(process.stdout.readline())
        finally:
            process.terminate()


async def first_bytes(
    ways: dict[str, Way], rounds: int, path: str = "chat/completions", body: bytes = BODY
) -> dict[str, list[float]]:
    """Nanoseconds to the first byte of an answer, of each in turn."""
    took: dict[str, list[float]] = {name: [] for name in ways}
    lines = {name: await way.open() for name, way in ways.items()}
    for _ in range(rounds):
        for name, (reader, writer) in lines.items():
            start = time.perf_counter_ns()
            writer.write(ways[name].asked(path, body, "Content-Type: application/json"))
            got = await reader.read(1)
            took[name].append(time.perf_counter_ns() - start)
            while not got.endswith(b"0\r\n\r\n"):
                got += await reader.read(9999)
    for _, writer in lines.values():
        writer.close()
    return took


if __name__ == "__main__":
    if sys.argv[1:2] == ["upstream"]:
        asyncio.run(upstream())
    elif sys.argv[1:2] == ["tap"]:
        asyncio.run(tap(*sys.argv[2:5]))
