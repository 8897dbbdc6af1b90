"""A request from its first byte to the last of its answer: read, sent on, captured, and recorded at its end."""

import h11

from ..wire.read_call import Ended
from .capture import Capture, Recorder
from .http_messages import RequestBytes, RequestReader, ResponseBytes, ResponseReader, rewrite_head
from .router import Refusal, UpstreamRoute
from .websocket_frames import WebSocketCapture


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
