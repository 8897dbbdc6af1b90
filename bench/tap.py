"""What the tap adds on this machine: `python bench/tap.py [SECONDS]`.

An upstream, the tap with a store and the client are three processes on loopback. Of both ways, by base URL and as by a
proxy with TLS on both sides: first bytes in turn with and without the tap, on connections that are kept; 200 streams at
once for SECONDS (10), every byte of them compared, with the tap's memory at the start, in the middle and at the end.
Then one large body each way, and a tap that is killed while streams run.
"""

import asyncio
import json
import os
import signal
import sqlite3
import ssl
import statistics
import subprocess
import sys
import tempfile
import time
from base64 import b64encode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from bench import show

from overture.tap.store.open_store import open_store

ROUNDS = 1500
STREAMS = 200
LARGE = 256 << 20
PIECE = b"x" * (1 << 18)
SAID = [{"role": "system", "content": "You are Ada. " * 2000}, {"role": "user", "content": "hi"}]
BODY = json.dumps({"model": "gpt-5", "messages": SAID, "input": SAID}).encode()
SSE = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


def event(name: bytes, number: int) -> bytes:
    """One event as a chunk."""
    data = b'data: {"stream": "%s", "number": %d, "text": "%s"}\n\n' % (name, number, b"words and " * 6)
    return b"%x\r\n%s\r\n" % (len(data), data)


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
    """Answer: /first at once, /large with a large body, /put after one, /stream with events until it is left."""

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
    path = head.split(b" ")[1]
    if path.endswith(b"/large"):
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % LARGE)
        for _ in range(LARGE // len(PIECE)):
            writer.write(PIECE)
            await writer.drain()
    elif path.endswith(b"responses"):
        name, count = head.partition(b"X-Stream: ")[2].split(b"\r\n")[0].split(b" ")
        writer.write(SSE)
        for number in range(int(count)):
            writer.write(event(name, number))
            await writer.drain()
            await asyncio.sleep(0.05)
        writer.write(b"0\r\n\r\n")
    else:
        writer.write(SSE + event(b"first", 0) + b"0\r\n\r\n")
    await writer.drain()


async def tap(url: str, pem: str, store: str) -> None:
    """The tap, as the command line opens it: calls are read, and kept in a store."""
    from overture.tap.call import Run
    from overture.tap.proxy.certificate_authority import Authority
    from overture.tap.proxy.open_tap import open_tap
    from overture.tap.record.recording import Recording
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


async def first_bytes(ways: dict[str, Way]) -> dict[str, list[float]]:
    """Milliseconds to the first byte of an answer, of each in turn."""
    took: dict[str, list[float]] = {name: [] for name in ways}
    lines = {name: await way.open() for name, way in ways.items()}
    for _ in range(ROUNDS):
        for name, (reader, writer) in lines.items():
            start = time.perf_counter()
            writer.write(ways[name].asked("chat/completions", BODY))
            got = await reader.read(1)
            took[name].append((time.perf_counter() - start) * 1000)
            while not got.endswith(b"0\r\n\r\n"):
                got += await reader.read(9999)
    for _, writer in lines.values():
        writer.close()
    return took


async def throughput(way: Way) -> tuple[float, float]:
    """Megabytes a second down and up."""
    reader, writer = await way.open()
    start, left = time.perf_counter(), LARGE
    writer.write(way.asked("large", b""))
    await reader.readuntil(b"\r\n\r\n")
    while left:
        left -= len(await reader.read(1 << 20))
    down = LARGE / (time.perf_counter() - start) / 1e6
    start = time.perf_counter()
    writer.write(way.asked("put", b"").replace(b"Length: 0", b"Length: %d" % LARGE))
    for _ in range(LARGE // len(PIECE)):
        writer.write(PIECE)
        await writer.drain()
    await reader.readuntil(b"0\r\n\r\n")
    writer.close()
    return down, LARGE / (time.perf_counter() - start) / 1e6


async def stream(way: Way, number: int, count: int) -> tuple[int, bool]:
    """Read one stream to its end; how many bytes, and whether all are there in their order."""
    name = b"s%d" % number
    reader, writer = await way.open()
    writer.write(way.asked("responses", BODY, f"X-Stream: {name.decode()} {count}"))
    expected = SSE + b"".join(event(name, each) for each in range(count)) + b"0\r\n\r\n"
    try:
        got = await reader.readexactly(len(expected))
    except (asyncio.IncompleteReadError, ConnectionError):
        got = b""
    writer.close()
    return len(got), got == expected


def memory(process: int) -> float:
    """Megabytes that a process holds."""
    with open(f"/proc/{process}/status", encoding="ascii") as file:  # noqa: PTH123
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1024


async def streams(process: int, way: Way, seconds: float, how: str) -> None:
    """All streams at once, again and again, and what the tap holds meanwhile."""
    held, bytes_read, wrong, done = [memory(process)], 0, 0, 0
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        found = await asyncio.gather(*(stream(way, number, 60) for number in range(STREAMS)))
        bytes_read += sum(size for size, _ in found)
        wrong += sum(not same for _, same in found)
        done += len(found)
        held.append(memory(process))
    half = held[len(held) // 2]
    show(f"tap, {how}: streams of {STREAMS} at once, for {seconds:.0f} s", done, "")
    show(f"tap, {how}: of them lost, moved or mixed", wrong, "", "target 0")
    show(f"tap, {how}: megabytes of streams", bytes_read / 1e6, "MB")
    show(f"tap, {how}: memory before, half way, at the end", held[0], "MB", f"{half:.1f} MB, {held[-1]:.1f} MB")


async def measured(process: int, ways: dict[str, Way], seconds: float, how: str) -> None:
    """First bytes and streams, by one way."""
    took = await first_bytes(ways)
    for name, each in took.items():
        show(f"tap, {how}: first byte {name} it, median", statistics.median(each), "ms")
        show(f"tap, {how}: first byte {name} it, 99th percentile", statistics.quantiles(each, n=100)[98], "ms")
    added = statistics.median(took["with"]) - statistics.median(took["without"])
    show(f"tap, {how}: added to the first byte, median", added, "ms", "target 2")
    await streams(process, ways["with"], seconds, how)


async def killed(url: str, pem: str, folder: Path) -> None:
    """A tap that is killed while streams run: what had ended is kept, and the store opens."""
    store = folder / "killed" / "calls.sqlite"
    async with started("tap", url, pem, str(store)) as (process, told):
        way = Way(int(told["port"]), "/openai/v1")
        await asyncio.gather(*(stream(way, number, 2) for number in range(50)))
        running = asyncio.gather(*(stream(way, number, 60) for number in range(STREAMS)))
        await asyncio.sleep(1.5)
        os.kill(process, signal.SIGKILL)
        await running
    with open_store(store) as kept:
        show(
            "tap: killed in the middle; calls that had ended, of 50, in the store", len(kept.list_calls(limit=999)), ""
        )
    with sqlite3.connect(store) as raw:
        print("tap: the store after that:", raw.execute("pragma integrity_check").fetchone()[0])


async def main() -> None:
    """Measure all."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 10
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        async with started("upstream") as (_, there):
            plain, secure = f"http://127.0.0.1:{there['port']}", f"https://localhost:{there['secure']}"
            (folder / "pem").write_text(there["pem"], encoding="ascii")
            pem = str(folder / "pem")
            async with started("tap", plain, pem, str(folder / "base" / "calls.sqlite")) as (process, told):
                ways = {"without": Way(int(there["port"]), "/v1"), "with": Way(int(told["port"]), "/openai/v1")}
                await measured(process, ways, seconds, "by base URL")
                for each, way in ways.items():
                    down, up = await throughput(way)
                    show(f"tap: {LARGE >> 20} MB {each} it, down", down, "MB/s")
                    show(f"tap: {LARGE >> 20} MB {each} it, up", up, "MB/s")
            async with started("tap", f"openai={secure}/v1", pem, str(folder / "proxy" / "calls.sqlite")) as (
                process,
                told,
            ):
                token = b64encode(told["proxy"].partition("//")[2].rpartition("@")[0].encode()).decode()
                ways = {
                    "without": Way(int(there["secure"]), "/v1", trust_of(there["pem"])),
                    "with": Way(int(told["port"]), "/v1", trust_of(told["pem"]), f"localhost:{there['secure']}", token),
                }
                await measured(process, ways, seconds, "as a proxy")
            await killed(plain, pem, folder)


if __name__ == "__main__":
    if sys.argv[1:2] == ["upstream"]:
        asyncio.run(upstream())
    elif sys.argv[1:2] == ["tap"]:
        asyncio.run(tap(*sys.argv[2:5]))
    else:
        asyncio.run(main())
