"""What the tap adds on this machine: `python bench/tap.py [SECONDS]`.

An upstream, the tap and the client are three processes on loopback. First bytes are measured in turn with and without
the tap, on connections that are kept; then one large body each way; then 200 streams at once for SECONDS (10), every
byte of them compared, with the tap's memory at the start, in the middle and at the end.
"""

import asyncio
import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from bench import show

ROUNDS = 1500
STREAMS = 200
LARGE = 256 << 20
PIECE = b"x" * (1 << 18)
BODY = json.dumps(
    {"model": "m", "system": "You are Ada. " * 2000, "messages": [{"role": "user", "content": "hi"}]}
).encode()
SSE = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"


def event(name: bytes, number: int) -> bytes:
    """One event as a chunk."""
    data = b'data: {"stream": "%s", "number": %d, "text": "%s"}\n\n' % (name, number, b"words and " * 6)
    return b"%x\r\n%s\r\n" % (len(data), data)


async def upstream() -> None:
    """Answer: /first at once, /large with a large body, /put after one, /stream with events until it is left."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                await one(reader, writer)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, limit=1 << 20, backlog=1024)
    print(server.sockets[0].getsockname()[1], flush=True)
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


async def tap(url: str) -> None:
    """The tap, with a recording that reads what it is given."""
    from overture.tap.pass_through.tapped import tapped
    from overture.tap.upstreams import upstreams_of

    async with tapped(upstreams_of((url,)), lambda exchange: json.loads(exchange.request or b"0")) as there:
        print(there.port, flush=True)
        await asyncio.Event().wait()


@asynccontextmanager
async def started(*words: str) -> AsyncIterator[tuple[int, int]]:
    """A process of this file: its id, and the port that it printed."""
    with subprocess.Popen([sys.executable, __file__, *words], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.pid, int(process.stdout.readline())
        finally:
            process.terminate()


def asked(path: str, body: bytes, *headers: str, port: int) -> bytes:
    lines = [f"POST /{path} HTTP/1.1", f"Host: 127.0.0.1:{port}", *headers, f"Content-Length: {len(body)}"]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body


async def first_bytes(ports: dict[str, int]) -> dict[str, list[float]]:
    """Milliseconds to the first byte of an answer, of each in turn."""
    took: dict[str, list[float]] = {name: [] for name in ports}
    lines = {name: await asyncio.open_connection("127.0.0.1", port) for name, port in ports.items()}
    for _ in range(ROUNDS):
        for name, (reader, writer) in lines.items():
            path = "v1/chat/completions" if name == "without" else "openai/v1/chat/completions"
            start = time.perf_counter()
            writer.write(asked(path, BODY, port=ports[name]))
            got = await reader.read(1)
            took[name].append((time.perf_counter() - start) * 1000)
            while not got.endswith(b"0\r\n\r\n"):
                got += await reader.read(9999)
    for _, writer in lines.values():
        writer.close()
    return took


async def throughput(port: int, prefix: str) -> tuple[float, float]:
    """Megabytes a second down and up."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=1 << 20)
    start, left = time.perf_counter(), LARGE
    writer.write(asked(f"{prefix}/large", b"", port=port))
    await reader.readuntil(b"\r\n\r\n")
    while left:
        left -= len(await reader.read(1 << 20))
    down = LARGE / (time.perf_counter() - start) / 1e6
    start = time.perf_counter()
    writer.write(asked(f"{prefix}/put", b"", port=port).replace(b"Length: 0", b"Length: %d" % LARGE))
    for _ in range(LARGE // len(PIECE)):
        writer.write(PIECE)
        await writer.drain()
    await reader.readuntil(b"0\r\n\r\n")
    writer.close()
    return down, LARGE / (time.perf_counter() - start) / 1e6


async def stream(port: int, number: int, count: int) -> tuple[int, bool]:
    """Read one stream to its end; how many bytes, and whether all are there in their order."""
    name = b"s%d" % number
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(asked("openai/v1/responses", BODY, f"X-Stream: {name.decode()} {count}", port=port))
    expected = SSE + b"".join(event(name, each) for each in range(count)) + b"0\r\n\r\n"
    got = await reader.readexactly(len(expected))
    writer.close()
    return len(got), got == expected


def memory(process: int) -> float:
    """Megabytes that a process holds."""
    with open(f"/proc/{process}/status", encoding="ascii") as file:  # noqa: PTH123
        return next(int(line.split()[1]) for line in file if line.startswith("VmRSS")) / 1024


async def streams(process: int, port: int, seconds: float) -> None:
    """All streams at once, again and again, and what the tap holds meanwhile."""
    held, bytes_read, wrong, done = [memory(process)], 0, 0, 0
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        found = await asyncio.gather(*(stream(port, number, 60) for number in range(STREAMS)))
        bytes_read += sum(size for size, _ in found)
        wrong += sum(not same for _, same in found)
        done += len(found)
        held.append(memory(process))
    show(f"tap: streams of {STREAMS} at once, for {seconds:.0f} s", done, "")
    show("tap: of them lost, moved or mixed", wrong, "", "target 0")
    show("tap: megabytes of streams", bytes_read / 1e6, "MB")
    show("tap: memory before, after the first, at the end", held[0], "MB", f"{held[1]:.1f} MB, {held[-1]:.1f} MB")


async def main() -> None:
    """Measure all."""
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 10
    print(f"Python {sys.version.split()[0]}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    async with started("upstream") as (_, direct), started("tap", f"http://127.0.0.1:{direct}") as (process, port):
        took = await first_bytes({"without": direct, "with": port})
        for name, each in took.items():
            show(f"tap: first byte {name} it, median", statistics.median(each), "ms")
            show(f"tap: first byte {name} it, 99th percentile", statistics.quantiles(each, n=100)[98], "ms")
        added = statistics.median(took["with"]) - statistics.median(took["without"])
        show("tap: added to the first byte, median", added, "ms", "target 2")
        for name, (where, prefix) in {"without": (direct, "v1"), "with": (port, "openai/v1")}.items():
            down, up = await throughput(where, prefix)
            show(f"tap: {LARGE >> 20} MB {name} it, down", down, "MB/s")
            show(f"tap: {LARGE >> 20} MB {name} it, up", up, "MB/s")
        await streams(process, port, seconds)


if __name__ == "__main__":
    if sys.argv[1:2] == ["upstream"]:
        asyncio.run(upstream())
    elif sys.argv[1:2] == ["tap"]:
        asyncio.run(tap(sys.argv[2]))
    else:
        asyncio.run(main())
