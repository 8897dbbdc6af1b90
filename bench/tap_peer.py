"""The tap beside claude-tap, on the same calls: `python bench/tap_peer.py [CLAUDE_TAP]`.

Both are started as their users start them, without a program, before one upstream on loopback. Measured in one run: the
time to the first byte, what each changes of a request and an answer, whether a stream and a slow answer come as they
are sent, which keys stand in the files, and how large these are. docs/tap-compared.md has the table.
"""

import asyncio
import gzip
import json
import os
import shutil
import socket
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, closing
from pathlib import Path

from first_bytes import BODY, Way, first_bytes, started
from measure import show

ROUNDS = 1000
CALLS = 1000
OVERTURE = str(Path(sys.executable).with_name("overture"))
KEYS = {
    "Authorization": "Bearer sk-one-0a1b2c3d4e5f6g7h8i9j",
    "x-api-key": "sk-ant-api03-two-0a1b2c3d4e5f6g7h8i9j",
    "api-key": "three-0a1b2c3d4e5f6g7h8i9j0a1b",
    "x-goog-api-key": "AIzaSyfour0a1b2c3d4e5f6g7h8i9j0a1b2",
    "Cookie": "session=five-0a1b2c3d4e5f6g7h8i9j",
}
IN_BODY = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
IN_QUERY = "AIzaSysix00a1b2c3d4e5f6g7h8i9j0a1b2"
USAGE = {"input_tokens": 40, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 9000, "output_tokens": 7}
ANSWER = json.dumps(
    {"id": "m", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "stop_reason": "end_turn",
     "content": [{"type": "text", "text": "Aye."}], "usage": USAGE}
).encode()  # fmt: skip
PACKED = gzip.compress(ANSWER, mtime=0)
WHOLE = (
    b"HTTP/1.1 200 OK\r\ncontent-TYPE: application/json\r\nX-Odd:  two  blanks\r\nx-Request-ID: r1\r\n"
    b"Content-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(PACKED)
) + PACKED
PAUSE = 0.5


class Upstream:
    """Keeps the requests as they come, and answers in the way that is asked for in a header."""

    def __init__(self) -> None:
        self.heads: list[bytes] = []
        self.bodies: list[bytes] = []
        self.port = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer until the other goes."""
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                self.heads.append(head)
                self.bodies.append(await _body(head, reader))
                await self._answer(head, writer)
        except (asyncio.IncompleteReadError, asyncio.CancelledError, ConnectionError):
            writer.close()

    async def _answer(self, head: bytes, writer: asyncio.StreamWriter) -> None:
        if b"slowly" in head.lower():
            kind = b"text/event-stream" if b"stream-slowly" in head.lower() else b"application/json"
            half = len(ANSWER) // 2
            writer.write(b"HTTP/1.1 200 OK\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n" % (kind, len(ANSWER)))
            writer.write(ANSWER[:half])
            await writer.drain()
            await asyncio.sleep(PAUSE)
            writer.write(ANSWER[half:])
        else:
            writer.write(WHOLE)
        await writer.drain()


async def _body(head: bytes, reader: asyncio.StreamReader) -> bytes:
    fields = dict(line.lower().split(b":", 1) for line in head.split(b"\r\n")[1:] if b":" in line)
    if b"content-length" in fields:
        return await reader.readexactly(int(fields[b"content-length"]))
    whole = b""
    while b"transfer-encoding" in fields:
        size = int(await reader.readuntil(b"\r\n"), 16)
        whole += (await reader.readexactly(size + 2))[:-2]
        if not size:
            break
    return whole


def free_port() -> int:
    """A port that nobody has."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        port: int = one.getsockname()[1]
        return port


@asynccontextmanager
async def both(upstream: int, folder: Path, claude_tap: str) -> AsyncIterator[dict[str, tuple[int, str]]]:
    """Both of them before an upstream: their ports, and the paths before `/v1`."""
    ports = {"overture tap": free_port(), "claude-tap": free_port()}
    there = f"http://127.0.0.1:{upstream}"
    commands = {
        "overture tap": [OVERTURE, "tap", "--listen", "--port", str(ports["overture tap"]), "--upstream", there],
        "claude-tap": [claude_tap, "--tap-no-launch", "--tap-no-live", "--tap-no-open", "--tap-host", "127.0.0.1",
                       "--tap-port", str(ports["claude-tap"]), "--tap-target", there],
    }  # fmt: skip
    running = []
    for name, command in commands.items():
        home = folder / name.replace(" ", "-")
        home.mkdir(parents=True, exist_ok=True)
        environ = {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONPATH": os.environ.get("PYTHONPATH", "")}
        nothing = subprocess.DEVNULL
        running.append(subprocess.Popen(command, cwd=home, env=environ, stdin=nothing, stdout=nothing, stderr=nothing))
    try:
        for name, port in ports.items():
            await _open(name, port)
        yield {"overture tap": (ports["overture tap"], "anthropic/"), "claude-tap": (ports["claude-tap"], "")}
    finally:
        for process in running:
            process.terminate()
        for process in running:
            process.wait(60)


async def _open(name: str, port: int) -> None:
    for _ in range(200):
        try:
            (await asyncio.open_connection("127.0.0.1", port))[1].close()
            return
        except OSError:
            await asyncio.sleep(0.1)
    sys.exit(f"{name} does not listen at port {port}.")


async def measure_both(claude_tap: str, rounds: int) -> dict[str, list[float]]:
    """Nanoseconds to the first byte of a stream: without either, with ours, with the other, in turn."""
    body = BODY[:-1] + b', "stream": true}'
    with tempfile.TemporaryDirectory() as place:
        async with started("upstream") as (_, told):
            port = int(told["port"])
            async with both(port, Path(place), claude_tap) as ways:
                ports = {"without": (port, ""), **ways}
                lines = {name: way_of(before, port) for name, (port, before) in ports.items()}
                return await first_bytes(lines, rounds, "v1/messages", body)


def show_first_bytes(took: dict[str, list[float]]) -> None:
    """Milliseconds, and what each adds."""
    without = statistics.median(took["without"])
    for name, each in took.items():
        high = statistics.quantiles(each, n=100)[98]
        show(f"first byte, {name}: median", statistics.median(each) / 1e6, "ms", f"99th percentile {high / 1e6:.2f} ms")
        if name != "without":
            show(f"first byte, {name}: added at the median", (statistics.median(each) - without) / 1e6, "ms")


def find_version(claude_tap: str) -> str:
    """Its name and version."""
    return subprocess.run([claude_tap, "--version"], capture_output=True, text=True, check=True).stdout.strip()


async def exchanged(port: int, request: bytes, most: float = 20) -> tuple[bytes, float]:
    """The answer to one request, and after how many seconds its body began."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    start = time.perf_counter()
    writer.write(request)
    got, began = b"", 0.0
    try:
        async with asyncio.timeout(most):
            while data := await reader.read(1 << 16):
                got += data
                began = began or (time.perf_counter() - start if got.partition(b"\r\n\r\n")[2] else 0.0)
    except TimeoutError:
        pass
    writer.close()
    return got, began


def way_of(before: str, port: int) -> Way:
    """To a port of this machine, with what stands before `v1` in its paths."""
    return Way(port, f"/{before}".rstrip("/"))


def request_of(before: str, port: int, *headers: str, body: bytes = BODY, query: str = "") -> bytes:
    """A request with names of headers in an order and case of their own; the other end closes behind its answer."""
    return way_of(before, port).asked(
        f"v1/messages{query}", body, "ACCEPT-Encoding: gzip, br, zstd", "content-type: application/json",
        "X-Twice: a", "anthropic-VERSION: 2023-06-01", "X-Twice: b", *headers, "Connection: close",
    )  # fmt: skip


async def compared(upstream: Upstream, ways: dict[str, tuple[int, str]]) -> None:
    """What each changes of what passes."""
    direct, _ = await exchanged(upstream.port, request_of("", upstream.port), 2)
    sent = _headers(upstream.heads[-1])
    packed = gzip.compress(BODY, mtime=0)
    for name, (port, before) in ways.items():
        answer, _ = await exchanged(port, request_of(before, port), 2)
        came = _headers(upstream.heads[-1])
        print(f"{name}: headers of a request that are gone or changed: {_lost(sent, came)}")
        print(f"{name}: headers of a request that were added: {_lost(came, sent)}")
        print(
            f"{name}: order of a request's headers kept: {[n for n, _ in came if (n, _) in sent] == _order(sent, came)}"
        )
        print(f"{name}: an answer passes byte by byte: {answer == direct}")
        if answer != direct:
            old, new = _headers(direct.partition(b"\r\n\r\n")[0]), _headers(answer.partition(b"\r\n\r\n")[0])
            print(f"{name}:   gone or changed {_lost(old, new)}, added {_lost(new, old)}")
        await exchanged(port, request_of(before, port, "Content-Encoding: gzip", body=packed), 2)
        print(f"{name}: a request that is packed passes as it is: {upstream.bodies[-1] == packed}")
        for how in ("stream-slowly", "slowly"):
            body = BODY[:-1] + b', "stream": true}' if how == "stream-slowly" else BODY
            _, began = await exchanged(port, request_of(before, port, f"X-How: {how}", body=body), 2)
            print(f"{name}: {how}: the first half came after {began * 1000:.0f} ms of {PAUSE * 1000:.0f}")


def _headers(head: bytes) -> list[tuple[bytes, bytes]]:
    pairs = [line.partition(b":")[::2] for line in head.split(b"\r\n")[1:] if line]
    return [(name, value.strip()) for name, value in pairs if name.lower() != b"host"]


def _lost(old: list[tuple[bytes, bytes]], new: list[tuple[bytes, bytes]]) -> str:
    gone = (Counter(old) - Counter(new)).elements()
    return ", ".join(f"{name.decode()}: {value.decode()}" for name, value in gone) or "none"


def _order(sent: list[tuple[bytes, bytes]], came: list[tuple[bytes, bytes]]) -> list[bytes]:
    return [name for name, value in sent if (name, value) in came]


async def secrets(ways: dict[str, tuple[int, str]], folder: Path) -> None:
    """Which keys stand in the files of each."""
    asks = {"model": "claude-sonnet-4-5", "messages": [{"role": "user", "content": f"My token is {IN_BODY}"}]}
    for port, before in ways.values():
        keys = [f"{name}: {value}" for name, value in KEYS.items()]
        made = request_of(before, port, *keys, body=json.dumps(asks).encode(), query=f"?key={IN_QUERY}")
        await exchanged(port, made, 2)
    await asyncio.sleep(1)
    for name in ways:
        held = _bytes(folder / name.replace(" ", "-"))
        looked = {**KEYS, "a token in a message": IN_BODY, "the query": IN_QUERY}
        found = [what for what, key in looked.items() if key.split(" ")[-1].encode() in held]
        print(f"{name}: keys that stand in its files: {', '.join(found) or 'none'}")
        modes = {oct(path.stat().st_mode & 0o777) for path in _files(folder / name.replace(" ", "-"))}
        print(f"{name}: its files may be read as {', '.join(sorted(modes))}")


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def _bytes(folder: Path) -> bytes:
    return b"".join(path.read_bytes() for path in _files(folder))


async def many(ways: dict[str, tuple[int, str]], grows: bool) -> str:
    """Send many calls of one prompt, or a conversation that grows."""
    words = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")[:9000]
    tools = [{"name": f"tool_{n}", "description": words[n * 50 :][:1500], "input_schema": {}} for n in range(20)]
    fixed = {"model": "claude-sonnet-4-5", "tools": tools, "system": words * 4}
    calls, sent = CALLS // 5 if grows else CALLS, 0
    for port, before in ways.values():
        line = await asyncio.open_connection("127.0.0.1", port)
        sent, said = 0, list[dict[str, str]]()
        for number in range(calls):
            said = [*(said if grows else []), {"role": "user", "content": f"Call {number}: {words[number:][:300]}"}]
            body = json.dumps({**fixed, "messages": said}).encode()
            await _one(*line, way_of(before, port).asked("v1/messages", body, "content-type: application/json"))
            sent, said = sent + len(body), [*said, {"role": "assistant", "content": f"Aye, {number}."}]
        line[1].close()
    return f"{calls} calls{', each with two messages more' * grows}, {sent / 1e6:.0f} MB sent"


def sizes(ways: dict[str, tuple[int, str]], folder: Path, what: str) -> None:
    """How large the files are once both have ended."""
    for name in ways:
        held = sum(path.stat().st_size for path in _files(folder / name.replace(" ", "-")))
        show(f"{name}: files after {what}", held / 1e6, "MB", f"{_kept(folder / name.replace(' ', '-'))} calls in them")


def _kept(folder: Path) -> int:
    """How many calls are kept: each has a database, with a table of them."""
    (path,) = (path for path in _files(folder) if path.suffix in (".sqlite", ".sqlite3"))
    with closing(sqlite3.connect(path)) as database:
        tables = {name for (name,) in database.execute("SELECT name FROM sqlite_master")}
        (count,) = database.execute(f"SELECT count(*) FROM {'calls' if 'calls' in tables else 'records'}").fetchone()
        return int(count)


async def _one(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes) -> None:
    writer.write(request)
    head = await reader.readuntil(b"\r\n\r\n")
    await reader.readexactly(int(head.lower().partition(b"content-length:")[2].split(b"\r\n")[0]))


async def main() -> None:
    """Measure all."""
    claude_tap = str(Path(sys.argv[1]).absolute()) if len(sys.argv) > 1 else shutil.which("claude-tap")
    if claude_tap is None:
        sys.exit("claude-tap is not found: pip install claude-tap in an environment of its own, and give its path.")
    load = f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"
    print(f"{find_version(claude_tap)}; Python {sys.version.split()[0]}, {load}")
    with tempfile.TemporaryDirectory() as place:
        show_first_bytes(await measure_both(claude_tap, ROUNDS))
        upstream, folder = Upstream(), Path(place, "second")
        server = await asyncio.start_server(upstream.serve, "127.0.0.1", 0, limit=1 << 20)
        upstream.port = server.sockets[0].getsockname()[1]
        async with both(upstream.port, folder, claude_tap) as ways:
            await compared(upstream, ways)
            await secrets(ways, folder)
        for grows in (False, True):
            async with both(upstream.port, folder := Path(place, f"many-{grows}"), claude_tap) as ways:
                what = await many(ways, grows)
            sizes(ways, folder, what)
        server.close()


if __name__ == "__main__":
    asyncio.run(main())
