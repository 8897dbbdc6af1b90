"""Requests and responses in the bytes of a connection: how far each has come, and a head rewritten."""

import re
from dataclasses import dataclass, field

import h11

QUOTED = re.compile(r": bytearray\(b['\"](.*)", re.DOTALL)
NAME = re.compile(r"[\w-]{1,60}(?=[^\w-]*:)")


HOST = re.compile(rb"(?im)^(host[ \t]*:[ \t]*)([^\r\n]*?)([ \t]*\r?)$")

LINE = re.compile(rb"^(\S+ )(\S+)( [^\r\n]*)")


def describe_parse_error(problem: Exception) -> str:
    """What is wrong, and with which header; never its value."""
    message = str(problem)
    quoted = QUOTED.search(message)
    if quoted is None:
        return message
    name = NAME.match(quoted[1]) if "header line" in message else None
    return f"{message[: quoted.start()]}{f', of {name[0]}' if name else ''}"


MAX_HEAD_BYTES = 1 << 18
"""Bytes of a head, at the most."""
MAX_LEADING_NEWLINES = 64
"""Line ends that may precede a request: some programs send one more after a body than its length."""


@dataclass(slots=True)
class RequestBytes:
    """What some bytes were: the head (as it came), more of the body (as it came, and without its chunks), the end."""

    request: h11.Request | None = None
    before: bytes = b""
    """Line ends before the head."""
    head: bytes = b""
    raw: bytes = b""
    body: list[bytes] = field(default_factory=list)
    is_complete: bool = False
    rest: bytes = b""
    problem: str = ""


class RequestReader:
    """One request. Its bytes are only looked at: they pass as they came, up to its end."""

    def __init__(self) -> None:
        self._parser = h11.Connection(h11.SERVER, max_incomplete_event_size=MAX_HEAD_BYTES)
        self._unread = bytearray()
        self._before = b""
        self._has_head = self._is_broken = False

    def feed(self, data: bytes) -> RequestBytes:
        """What the next bytes are of the HTTP request."""
        request = RequestBytes()
        if self._is_broken:
            request.raw = data
            return request
        data = self._skip_line_ends(data)
        self._unread += data
        if not self._unread and not self._has_head:
            return request
        try:
            self._parser.receive_data(data)
            while not request.is_complete and (event := self._parser.next_event()) not in (h11.NEED_DATA, h11.PAUSED):
                self._take_event(event, request)
        except h11.RemoteProtocolError as problem:
            self._is_broken, request.problem = True, describe_parse_error(problem)
        if self._has_head:
            request.raw += bytes(self._unread)
            self._unread.clear()
        return request

    def _take_event(self, event: object, request: RequestBytes) -> None:
        """Note the head, a part of the body or the end of an HTTP request."""
        if isinstance(event, h11.Request):
            self._has_head = True
            request.request, request.head, request.before = event, self._take_parsed(), self._before
        elif isinstance(event, h11.Data):
            request.body.append(bytes(event.data))
        elif isinstance(event, h11.EndOfMessage):
            request.is_complete = True
            request.raw = self._take_parsed()
            request.rest = bytes(self._unread)
            self._unread.clear()

    def _skip_line_ends(self, data: bytes) -> bytes:
        """The bytes without the line ends before the first of a request, which the parser would refuse."""
        if self._has_head or self._unread or len(self._before) >= MAX_LEADING_NEWLINES:
            return data
        rest = data.lstrip(b"\r\n")
        self._before += data[: len(data) - len(rest)]
        return rest

    def _take_parsed(self) -> bytes:
        here = len(self._unread) - len(self._parser.trailing_data[0])
        taken = bytes(self._unread[:here])
        del self._unread[:here]
        return taken


@dataclass(slots=True)
class ResponseBytes:
    """What some bytes were: the head, more of the body, the end."""

    response: h11.Response | None = None
    body: list[bytes] = field(default_factory=list)
    is_complete: bool = False
    switched: h11.InformationalResponse | None = None
    """The head after which the connection speaks another protocol."""
    rest: bytes = b""
    """The bytes of that protocol so far."""
    problem: str = ""


class ResponseReader:
    """The answer to one request."""

    def __init__(self, request: h11.Request) -> None:
        self._parser = h11.Connection(h11.CLIENT, max_incomplete_event_size=MAX_HEAD_BYTES)
        upgrade_headers = [(name, value) for name, value in request.headers if name in (b"upgrade", b"connection")]
        # The parser needs the request: a response to HEAD has no body, and only a request to upgrade is switched.
        self._parser.send(h11.Request(method=request.method, target=b"/", headers=[(b"Host", b"h"), *upgrade_headers]))
        self._parser.send(h11.EndOfMessage())
        self.is_framed = False
        """Whether the response marks its own end; else it ends with the connection."""
        self._done = False

    def feed(self, data: bytes) -> ResponseBytes:
        """What these bytes are; none are the end of the connection."""
        answered = ResponseBytes()
        try:
            if not self._done:
                self._parser.receive_data(data)
            while not self._done and (event := self._parser.next_event()) not in (h11.NEED_DATA, h11.PAUSED):
                self._take_event(event, answered)
        except h11.RemoteProtocolError as problem:
            self._done, answered.problem = True, describe_parse_error(problem)
        return answered

    def _take_event(self, event: object, answered: ResponseBytes) -> None:
        """Note the head, a part of the body or the end of an HTTP response."""
        if isinstance(event, h11.Response):
            answered.response = event
            self.is_framed = any(name in (b"content-length", b"transfer-encoding") for name, _ in event.headers)
        elif isinstance(event, h11.InformationalResponse):
            if event.status_code == 101:
                answered.switched, answered.rest = event, bytes(self._parser.trailing_data[0])
                self._done = True
        elif isinstance(event, h11.Data):
            answered.body.append(bytes(event.data))
        elif isinstance(event, (h11.EndOfMessage, h11.ConnectionClosed)):
            self._done, answered.is_complete = True, isinstance(event, h11.EndOfMessage)


def rewrite_head(head: bytes, target: bytes, host: bytes | None) -> bytes:
    """The head with another target in its first line, and another value of `Host`; everything else as it came."""
    line, newline, rest = head.partition(b"\n")
    line = LINE.sub(lambda m: m[1] + target + m[3], line, count=1)
    if host is not None:
        rest = HOST.sub(lambda m: m[1] + host + m[3], rest, count=1)
    return line + newline + rest
