"""Reads one request in the bytes of a connection: its head, its body, and where it ends."""

from dataclasses import dataclass, field

import h11

from .unreadable import unreadable

MOST_OF_HEAD = 1 << 18
"""Bytes of a head, at the most."""
MOST_BEFORE = 64
"""Line ends before a request that pass: some programs send one more after a body than they have said."""


@dataclass(slots=True)
class Asked:
    """What some bytes were: the head (as it came), more of the body (as it came, and without its chunks), the end."""

    request: h11.Request | None = None
    before: bytes = b""
    """Line ends before the head."""
    head: bytes = b""
    raw: bytes = b""
    body: list[bytes] = field(default_factory=list)
    whole: bool = False
    rest: bytes = b""
    broken: str = ""


class RequestReader:
    """One request. Its bytes are only looked at: they pass as they came, up to its end."""

    def __init__(self) -> None:
        self._parser = h11.Connection(h11.SERVER, max_incomplete_event_size=MOST_OF_HEAD)
        self._unread = bytearray()
        self._before = b""
        self._headed = self._broken = False

    def feed(self, data: bytes) -> Asked:
        """What these bytes are."""
        asked = Asked()
        if self._broken:
            asked.raw = data
            return asked
        data = self._past_line_ends(data)
        self._unread += data
        if not self._unread and not self._headed:
            return asked
        try:
            self._parser.receive_data(data)
            while not asked.whole and (event := self._parser.next_event()) not in (h11.NEED_DATA, h11.PAUSED):
                self._take(event, asked)
        except h11.RemoteProtocolError as problem:
            self._broken, asked.broken = True, unreadable(problem)
        if self._headed:
            asked.raw += bytes(self._unread)
            self._unread.clear()
        return asked

    def _take(self, event: object, asked: Asked) -> None:
        if isinstance(event, h11.Request):
            self._headed = True
            asked.request, asked.head, asked.before = event, self._up_to_here(), self._before
        elif isinstance(event, h11.Data):
            asked.body.append(bytes(event.data))
        elif isinstance(event, h11.EndOfMessage):
            asked.whole = True
            asked.raw = self._up_to_here()
            asked.rest = bytes(self._unread)
            self._unread.clear()

    def _past_line_ends(self, data: bytes) -> bytes:
        """The bytes without the line ends before the first of a request, which the parser would refuse."""
        if self._headed or self._unread or len(self._before) >= MOST_BEFORE:
            return data
        rest = data.lstrip(b"\r\n")
        self._before += data[: len(data) - len(rest)]
        return rest

    def _up_to_here(self) -> bytes:
        """The bytes that the parser has behind it."""
        here = len(self._unread) - len(self._parser.trailing_data[0])
        taken = bytes(self._unread[:here])
        del self._unread[:here]
        return taken
