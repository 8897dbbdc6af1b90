"""What the tap adds to the first byte of an answer, by base URL and as a proxy; and what claude-tap adds.

Upstream, tap with a store, and client are three processes on loopback, and connections are kept. Each round asks once
without the tap and once with it. The time is that of the clock, since three processes share it.
"""

import asyncio
import json
import ssl
import subprocess
import sys
import tempfile
import time
from base64 import b64encode
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from measure import Options, Row, make_row

from overture.tap.store.open_store import open_store

ROUNDS = 500
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
    from overture.tap.run.recording import Recording
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


def rows(options: Options) -> Iterator[Row]:
    """By base URL, as a proxy, and beside claude-tap."""
    for how, took in asyncio.run(_both_ways(options.count(ROUNDS))).items():
        work = f"tap: first byte of an answer, {how}"
        yield make_row("tap", work, "ms", took["with"], ("without the tap", took["without"]), "above", 2)
    program, work = options.peers / "bin" / "claude-tap", "tap: added to the first byte, against claude-tap"
    if not program.exists():
        yield Row("tap", work, "ms", "ratio", note="not installed")
        return
    from tap_peer import find_version, measure_both

    took = asyncio.run(measure_both(str(program), options.count(ROUNDS)))
    ours, theirs = ([a - b for a, b in zip(took[name], took["without"], strict=True)] for name in list(took)[1:])
    yield make_row("tap", work, "ms", ours, (find_version(str(program)), theirs))


async def _both_ways(rounds: int) -> dict[str, dict[str, list[float]]]:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        async with started("upstream") as (_, there):
            plain, secure = f"http://127.0.0.1:{there['port']}", f"https://localhost:{there['secure']}"
            (folder / "pem").write_text(there["pem"], encoding="ascii")
            pem = str(folder / "pem")
            async with started("tap", plain, pem, str(folder / "base" / "calls.sqlite")) as (_, told):
                ways = {"without": Way(int(there["port"]), "/v1"), "with": Way(int(told["port"]), "/openai/v1")}
                by_base = await first_bytes(ways, rounds)
            async with started("tap", f"openai={secure}/v1", pem, str(folder / "proxy" / "calls.sqlite")) as (_, told):
                token = b64encode(told["proxy"].partition("//")[2].rpartition("@")[0].encode()).decode()
                proxy = Way(int(told["port"]), "/v1", trust_of(told["pem"]), f"localhost:{there['secure']}", token)
                ways = {"without": Way(int(there["secure"]), "/v1", trust_of(there["pem"])), "with": proxy}
                as_proxy = await first_bytes(ways, rounds)
    return {"by base URL": by_base, "as a proxy with TLS": as_proxy}


if __name__ == "__main__":
    if sys.argv[1:2] == ["upstream"]:
        asyncio.run(upstream())
    elif sys.argv[1:2] == ["tap"]:
        asyncio.run(tap(*sys.argv[2:5]))
