"""A request from its first byte to the last of its answer: read, sent on, captured, and recorded at its end."""

import re
from dataclasses import dataclass, field

import h11

from ..wire.read_call import Ended
from .capture import Capture, Recorder
from .router import Refusal, UpstreamRoute
from .websocket import WebSocketCapture

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


class PendingCall:
    """A request, from its first byte to the last of its answer."""

    def __init__(self, recorder: Recorder) -> None:
        """Wait for the first byte of a request; the recorder gets it at its end."""
        self._recorder = recorder
        self._request = RequestReader()
        self._response: ResponseReader | None = None
        self._capture: Capture | None = None
        self.is_request_done = self._is_response_done = self._is_call = False
        self.is_head_only = False
        """Whether its answer has no body."""
        self.is_body_expected = False
        """Whether the body comes only after the upstream's 100 Continue."""

    @property
    def is_begun(self) -> bool:
        """Whether the head of the request has passed."""
        return self._response is not None

    @property
    def is_done(self) -> bool:
        """Whether the request and its answer have passed."""
        return self.is_request_done and self._is_response_done

    @property
    def has_response(self) -> bool:
        """Whether anything of the answer has come."""
        return self._capture is not None and self._capture.response is not None

    @property
    def is_open_ended(self) -> bool:
        """Whether an answer is under way that ends with the connection."""
        return self._response is not None and not self._response.is_framed

    def read_request(self, data: bytes) -> RequestBytes:
        """What these bytes of the program are."""
        return self._request.feed(data)

    def begin(self, data: RequestBytes, request: h11.Request, route: UpstreamRoute) -> None:
        """The pending request goes to this route; its head is readdressed."""
        data.head = rewrite_head(data.head, route.target, route.host)
        self._response = ResponseReader(request)
        self.is_head_only = request.method == b"HEAD"
        self.is_body_expected = any(name == b"expect" for name, _ in request.headers)
        self._is_call = route.family.is_call(request.method, route.target)
        if self._is_call or (_is_upgrade(request) and route.family.has_path(route.target)):
            self._capture = Capture(request, route, self._recorder.memory)

    def capture_request(self, data: RequestBytes) -> None:
        """Keep a copy of what has gone on."""
        self.is_request_done = self.is_request_done or data.is_complete
        if self._capture is not None:
            self._capture.request_body.add(data.body)
            self._capture.missing += [f"request: the rest of it can't be read: {data.problem}"] if data.problem else []

    def read_response(self, data: bytes) -> ResponseBytes:
        """What these bytes of the upstream were; none are the end of the connection."""
        assert self._response is not None
        answered = self._response.feed(data)
        self._is_response_done = self._is_response_done or answered.is_complete
        if self._capture is not None:
            self._capture.add_response(answered.response, answered.body)
        return answered

    def switch(self, head: h11.InformationalResponse, rest: bytes) -> WebSocketCapture | None:
        """The pending call goes on as another protocol: where calls may come by WebSocket, they are captured."""
        capture = self._capture
        if capture is None or _read_header(head, b"upgrade").lower() != "websocket":
            return None
        self._capture = None
        websocket = WebSocketCapture(capture, _read_header(head, b"sec-websocket-extensions"), self._recorder.schedule)
        websocket.add_bytes(False, rest)
        return websocket

    def note_problem(self, problem: str) -> None:
        """Keep why the pending call got no response."""
        if self._capture is not None:
            self._capture.problem = problem

    def refuse(self, refusal: Refusal) -> None:
        """Record the part of the request that arrived, and why it was not sent on."""
        self.note_problem(refusal.detail)
        self.end("upstream down", *([] if self.is_request_done else ["request: the rest was not received"]))

    def end(self, ended: Ended, *missing: str) -> None:
        """Have it recorded, if it was a call; who asks for another protocol and is refused has not called."""
        capture, self._capture = self._capture, None
        if capture is None:
            return
        capture.end(ended, *missing)
        if self._is_call or ended == "upgraded":
            self._recorder.enqueue(capture)
        else:
            self._recorder.memory.release(capture.size)


def _is_upgrade(request: h11.Request) -> bool:
    """Whether the pending request asks for an upgrade, e.g. to a WebSocket."""
    return any(name == b"upgrade" for name, _ in request.headers)


def _read_header(head: h11.InformationalResponse, name: bytes) -> str:
    """A header of the response that makes a pending call a WebSocket, its lines joined."""
    return ", ".join(value.decode("latin-1") for each, value in head.headers if each == name)
