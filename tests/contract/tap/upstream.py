"""An upstream that is scripted byte by byte, and a client that keeps every byte."""

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

Reply = Callable[["Line"], object]


class Line:
    """A connection at the upstream: what came on it, request by request, and a way to answer."""

    def __init__(self, raw: socket.socket) -> None:
        self.raw, self.received, self.unread = raw, b"", b""

    def until(self, mark: bytes) -> bytes:
        """All that comes up to a mark."""
        while mark not in self.unread:
            self._more()
        found, _, self.unread = self.unread.partition(mark)
        return found + mark

    def exactly(self, size: int) -> bytes:
        """So many bytes."""
        parts, have = [self.unread], len(self.unread)
        while have < size:
            data = self._read()
            parts.append(data)
            have += len(data)
        whole = b"".join(parts)
        self.unread = whole[size:]
        return whole[:size]

    def request(self) -> bytes:
        """One whole request, as it came."""
        head = self.until(b"\r\n\r\n")
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line)
        if b"content-length" in fields:
            return head + self.exactly(int(fields[b"content-length"]))
        return head + (self.until(b"0\r\n\r\n") if b"transfer-encoding" in fields else b"")

    def send(self, data: bytes) -> None:
        """Answer with these bytes."""
        self.raw.sendall(data)

    def _more(self) -> None:
        self.unread += self._read()

    def _read(self) -> bytes:
        data = self.raw.recv(1 << 16)
        if not data:
            raise EOFError
        self.received += data if len(self.received) < 1 << 20 else b""
        return data


class Upstream:
    """A server on loopback that does on each connection what it is told."""

    def __init__(self, reply: Reply) -> None:
        self.reply = reply
        self.lines: list[Line] = []
        self.ended = threading.Event()
        """Set when a connection ended before it was answered."""
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=512)
        self.port = self._listening.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        with suppress(OSError):
            while True:
                raw, _ = self._listening.accept()
                raw.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                line = Line(raw)
                self.lines.append(line)
                threading.Thread(target=self._serve, args=(line,), daemon=True).start()

    def _serve(self, line: Line) -> None:
        try:
            self.reply(line)
        except (EOFError, OSError):
            self.ended.set()
        finally:
            with suppress(OSError):
                line.raw.shutdown(socket.SHUT_RDWR)
            line.raw.close()

    def close(self) -> None:
        """Listen no more."""
        with suppress(OSError):
            self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()


def answering(answer: bytes) -> Reply:
    """What an upstream does that reads one request and answers with these bytes."""

    def reply(line: Line) -> None:
        line.request()
        line.send(answer)

    return reply


@contextmanager
def upstream(reply: Reply) -> Iterator[Upstream]:
    """Such a server."""
    there = Upstream(reply)
    try:
        yield there
    finally:
        there.close()


def talk(port: int, request: bytes, shut: bool = False, seconds: float = 10) -> bytes:
    """All that comes back for these bytes until the other side closes."""
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as raw:
        raw.sendall(request)
        if shut:
            raw.shutdown(socket.SHUT_WR)
        return read_all(raw)


def read_all(raw: socket.socket) -> bytes:
    """All that comes until the other side closes."""
    parts = []
    while data := raw.recv(1 << 16):
        parts.append(data)
    return b"".join(parts)


def asking(port: int, path: str = "/openai/v1/chat/completions", body: bytes = b"{}", *headers: str) -> bytes:
    """A request as bytes."""
    lines = [f"POST {path} HTTP/1.1", f"Host: 127.0.0.1:{port}", *headers, f"Content-Length: {len(body)}"]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + body
