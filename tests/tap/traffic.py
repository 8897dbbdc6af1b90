"""Requests of any size through the tap in every mode: a provider that answers with what it read, and a client."""

import asyncio
import base64
import hashlib
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from functools import cache, partial
from typing import Literal, NamedTuple

from overture.tap.proxy.certificate_authority import Authority
from overture.tap.proxy.open_tap import open_tap
from overture.tap.upstreams import resolve_upstreams
from overture.tap.wire.read_call import RawCall

PATTERN = bytes(range(256)) * 256
PATH = "/v1/chat/completions"
LIMIT = 1 << 16
"""Bytes that a reader of these tests buffers, so that who does not read holds the other side back."""
Mode = Literal["base", "base to TLS", "proxy", "proxy to another upstream", "proxy to another upstream, TLS", "closed"]
MODES: tuple[Mode, ...] = (
    "base", "base to TLS", "proxy", "proxy to another upstream", "proxy to another upstream, TLS", "closed",
)  # fmt: skip


class Ask(NamedTuple):
    """One request, and how it is sent and answered."""

    size: int
    reply: int
    piece: int = 1 << 16
    """Bytes that are written at once, by both sides."""
    chunked: bool = False
    early: bool = False
    """The provider answers before it has read the body."""
    slow: Literal["", "writer", "reader"] = ""
    websocket: bool = False


def body_of(size: int) -> bytes:
    """A body of this size: JSON that a dry run answers."""
    frame = b'{"model":"m","messages":[{"role":"user","content":"%s"}]}'
    return frame % (b"lorem ipsum " * (size // 12 + 1))[: max(size - len(frame) + 2, 0)]


def pattern(size: int) -> bytes:
    """So many bytes that are easy to compare."""
    return (PATTERN * (size // len(PATTERN) + 1))[:size]


def _digest(body: bytes) -> bytes:
    return hashlib.sha256(body).hexdigest().encode()


async def write_slowly(writer: asyncio.StreamWriter, data: bytes, ask: Ask) -> None:
    """Write in pieces; a slow writer rests now and then."""
    for number, start in enumerate(range(0, len(data), ask.piece)):
        writer.write(data[start : start + ask.piece])
        await writer.drain()
        if ask.slow == "writer" and number % 16 == 0:
            await asyncio.sleep(0.002)


async def read_exactly(reader: asyncio.StreamReader, size: int, ask: Ask) -> bytes:
    """So many bytes; a slow reader rests before it begins, and now and then."""
    parts, have = [], 0
    if ask.slow == "reader":
        await asyncio.sleep(0.05)
    while have < size:
        part = await reader.read(min(size - have, 1 << 18))
        if not part:
            raise EOFError(f"{have} of {size} bytes came")
        parts.append(part)
        have += len(part)
        if ask.slow == "reader" and len(parts) % 16 == 0:
            await asyncio.sleep(0.002)
    return b"".join(parts)


async def read_chunks(reader: asyncio.StreamReader, ask: Ask) -> bytes:
    """A body in chunks."""
    parts: list[bytes] = []
    while size := int(await reader.readline(), 16):
        # It rests at some of the chunks: with thousands of them, a rest at each is minutes, and looks like a stall.
        resting = ask if len(parts) % 64 == 0 else ask._replace(slow="")
        parts.append((await read_exactly(reader, size + 2, resting))[:-2])
    await reader.readline()
    return b"".join(parts)


def chunked(data: bytes, piece: int) -> bytes:
    """A body as chunks."""
    parts = (data[at : at + piece] for at in range(0, len(data), piece))
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\n"


class Provider:
    """Answers each request with a pattern, and then with the digest of the body that it read."""

    def __init__(self, scheme: str, port: int) -> None:
        self.url = f"{scheme}://localhost:{port}"
        self.port = port


@asynccontextmanager
async def provider(context: ssl.SSLContext | None = None) -> AsyncIterator[Provider]:
    """Such a provider, with TLS where a context is given."""
    tasks: set[asyncio.Task[None]] = set()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        tasks.add(task)
        task.add_done_callback(tasks.discard)
        try:
            while True:
                await _answer(reader, writer)
        except (EOFError, OSError, asyncio.CancelledError):
            pass
        finally:
            writer.transport.abort()

    server = await asyncio.start_server(serve, "127.0.0.1", 0, ssl=context, limit=LIMIT)
    try:
        yield Provider("https" if context else "http", server.sockets[0].getsockname()[1])
    finally:
        server.close()
        for task in tuple(tasks):
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    head = await reader.readuntil(b"\r\n\r\n")
    fields = dict(line.lower().split(": ", 1) for line in head.decode().split("\r\n")[1:] if line)
    ask = Ask(int(fields.get("content-length", "0")), int(fields["x-reply"]), int(fields["x-piece"]),
              "transfer-encoding" in fields, "x-early" in fields, fields.get("x-slow", ""))  # type: ignore[arg-type]  # fmt: skip
    if "upgrade" in fields:
        size = int(fields["x-size"])
        writer.write(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
        body, _ = await asyncio.gather(
            read_exactly(reader, size, ask), write_slowly(writer, pattern(ask.reply), ask)
        )  # fmt: skip
        writer.write(_digest(body))
        return
    answer = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % (ask.reply + 64) + pattern(ask.reply)
    body_read = read_chunks(reader, ask) if ask.chunked else read_exactly(reader, ask.size, ask)
    if ask.early:
        body, _ = await asyncio.gather(body_read, write_slowly(writer, answer, ask))
    else:
        body = await body_read
        await write_slowly(writer, answer, ask)
    writer.write(_digest(body))
    await writer.drain()


def request_of(ask: Ask, host: str, path: str) -> bytes:
    """The bytes of a request."""
    lines = [f"POST {path} HTTP/1.1", f"Host: {host}", f"X-Reply: {ask.reply}", f"X-Piece: {ask.piece}"]
    lines += ["X-Early: 1"] * ask.early + [f"X-Slow: {ask.slow}"] * bool(ask.slow)
    if ask.websocket:
        lines[0] = f"GET {path.rpartition('/')[0]}/realtime HTTP/1.1"
        lines += ["Connection: Upgrade", "Upgrade: websocket", f"X-Size: {ask.size}"]
        return "\r\n".join(lines).encode() + b"\r\n\r\n"
    body = body_of(ask.size)
    lines.append("Transfer-Encoding: chunked" if ask.chunked else f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + (chunked(body, ask.piece) if ask.chunked else body)


class Client:
    """A connection of a program, through the tap or not."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, host: str, path: str) -> None:
        self.reader, self.writer, self.host, self.path = reader, writer, host, path

    async def ask(self, *asks: Ask) -> None:
        """Send these requests without waiting in between; every byte of the answers arrives."""
        sent = b"".join(request_of(ask, self.host, self.path) for ask in asks)
        await asyncio.gather(write_slowly(self.writer, sent, asks[0]), self._read(asks))

    async def _read(self, asks: tuple[Ask, ...]) -> None:
        for ask in asks:
            head = await self.reader.readuntil(b"\r\n\r\n")
            assert head.startswith(b"HTTP/1.1 200 "), head
            body = await read_exactly(self.reader, ask.reply + 64, ask)
            assert body[:-64] == pattern(ask.reply)
            assert body[-64:] == _digest(body_of(ask.size))

    async def talk(self, ask: Ask) -> None:
        """Become a WebSocket, and send both ways at once."""
        self.writer.write(request_of(ask._replace(websocket=True), self.host, self.path))
        assert b" 101 " in await self.reader.readuntil(b"\r\n\r\n")
        sent = pattern(ask.size)
        _, came = await asyncio.gather(
            write_slowly(self.writer, sent, ask), read_exactly(self.reader, ask.reply + 64, ask)
        )  # fmt: skip
        assert came == pattern(ask.reply) + _digest(sent)

    def close(self) -> None:
        """End it."""
        self.writer.transport.abort()


async def by_base(port: int) -> Client:
    """A client that asks the tap through its base URL."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=LIMIT)
    return Client(reader, writer, f"127.0.0.1:{port}", f"/openai{PATH}")


async def by_proxy(url: str, place: str, trust: ssl.SSLContext) -> Client:
    """A client that asks for a way through the tap, and speaks TLS there."""
    token, _, address = url.partition("//")[2].rpartition("@")
    reader, writer = await asyncio.open_connection("127.0.0.1", int(address.rpartition(":")[2]), limit=LIMIT)
    known = base64.b64encode(token.encode()).decode()
    writer.write(f"CONNECT {place} HTTP/1.1\r\nHost: {place}\r\nProxy-Authorization: Basic {known}\r\n\r\n".encode())
    assert await reader.readuntil(b"\r\n\r\n") == b"HTTP/1.1 200 Connection Established\r\n\r\n"
    await writer.start_tls(trust, server_hostname=place.partition(":")[0])
    return Client(reader, writer, place, PATH)


Open = Callable[[], Awaitable[Client]]


@asynccontextmanager
async def through(mode: Mode, record: Callable[[RawCall], None] = lambda _: None) -> AsyncIterator[Open]:
    """The tap in a mode, with a provider behind it; what opens a client's connection through it."""
    ours, theirs = authorities()
    secure = mode not in ("base", "proxy to another upstream")
    async with provider(theirs.get_context("localhost") if secure else None) as there:
        named = () if mode == "closed" else (f"openai={there.url}/v1",)
        trust = ssl.create_default_context(cadata=theirs.pem.decode())
        upstreams = resolve_upstreams(named)
        async with open_tap(upstreams, record, authority=ours, trust=trust) as tap:
            assert tap.proxy is not None
            place = "api.openai.com:443" if "another" in mode else f"localhost:{there.port}"
            known = trust if mode == "closed" else ssl.create_default_context(cadata=ours.pem.decode())
            yield partial(by_base, tap.port) if "base" in mode else partial(by_proxy, tap.proxy, place, known)


@cache
def authorities() -> tuple[Authority, Authority]:
    """The tap's and the provider's."""
    return Authority(), Authority()
