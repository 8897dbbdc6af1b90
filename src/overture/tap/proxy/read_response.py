"""Reads the answer to one request in the bytes that come: they have passed already, and are only looked at."""

from dataclasses import dataclass, field

import h11

from .read_request import MOST_OF_HEAD
from .unreadable import unreadable


@dataclass(slots=True)
class Answered:
    """What some bytes were: the head, more of the body, the end."""

    response: h11.Response | None = None
    body: list[bytes] = field(default_factory=list)
    whole: bool = False
    switched: h11.InformationalResponse | None = None
    """The head after which the connection speaks another protocol."""
    rest: bytes = b""
    """What came of that already."""
    broken: str = ""


class ResponseReader:
    """The answer to one request."""

    def __init__(self, request: h11.Request) -> None:
        self._parser = h11.Connection(h11.CLIENT, max_incomplete_event_size=MOST_OF_HEAD)
        kept = [(name, value) for name, value in request.headers if name in (b"upgrade", b"connection")]
        # The parser has to know what was asked: to HEAD there is no body, and only who asks for it is switched.
        self._parser.send(h11.Request(method=request.method, target=b"/", headers=[(b"Host", b"h"), *kept]))
        self._parser.send(h11.EndOfMessage())
        self.framed = False
        """Whether the answer says itself where it ends; else it ends with the connection."""
        self._done = False

    def feed(self, data: bytes) -> Answered:
        """What these bytes are; none are the end of the connection."""
        answered = Answered()
        try:
            if not self._done:
                self._parser.receive_data(data)
            while not self._done and (event := self._parser.next_event()) not in (h11.NEED_DATA, h11.PAUSED):
                self._take(event, answered)
        except h11.RemoteProtocolError as problem:
            self._done, answered.broken = True, unreadable(problem)
        return answered

    def _take(self, event: object, answered: Answered) -> None:
        if isinstance(event, h11.Response):
            answered.response = event
            self.framed = any(name in (b"content-length", b"transfer-encoding") for name, _ in event.headers)
        elif isinstance(event, h11.InformationalResponse):
            if event.status_code == 101:
                answered.switched, answered.rest = event, bytes(self._parser.trailing_data[0])
                self._done = True
        elif isinstance(event, h11.Data):
            answered.body.append(bytes(event.data))
        elif isinstance(event, (h11.EndOfMessage, h11.ConnectionClosed)):
            self._done, answered.whole = True, isinstance(event, h11.EndOfMessage)
