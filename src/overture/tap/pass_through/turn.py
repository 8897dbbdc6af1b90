"""One request and its answer on a connection: how far each has come, and the copy of them."""

import h11

from ..exchange import Ended
from .door import Route
from .kept.copy import Copy
from .kept.recorder import Recorder
from .messages.head import readdressed
from .messages.read_request import Asked, RequestReader
from .messages.read_response import Answered, ResponseReader
from .websocket.overheard import Overheard


class Turn:
    """A request, from its first byte to the last of its answer."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder
        self._request = RequestReader()
        self._response: ResponseReader | None = None
        self._copy: Copy | None = None
        self.asked = self._answered = self._is_call = False

    @property
    def begun(self) -> bool:
        """Whether the head of the request has passed."""
        return self._response is not None

    @property
    def waits(self) -> bool:
        """Whether the request has passed, and its answer has not."""
        return self.asked and self.begun

    @property
    def done(self) -> bool:
        """Whether both have passed."""
        return self.asked and self._answered

    @property
    def open_ended(self) -> bool:
        """Whether an answer is under way that ends with the connection."""
        return self._response is not None and not self._response.framed

    def hear(self, data: bytes) -> Asked:
        """What these bytes of the program are."""
        return self._request.feed(data)

    def begin(self, asked: Asked, request: h11.Request, route: Route) -> None:
        """The request goes there; its head is readdressed."""
        asked.head = readdressed(asked.head, route.target, route.host)
        self._response = ResponseReader(request)
        self._is_call = route.family.is_call(request.method, route.target)
        spoken = route.family.has_path(route.target) or route.family.is_live(route.target)
        if self._is_call or (_upgrades(request) and spoken):
            self._copy = Copy(request, route, self._recorder.room)

    def passed(self, asked: Asked) -> None:
        """Keep a copy of what has gone on."""
        self.asked = self.asked or asked.whole
        if self._copy is not None:
            self._copy.sent.add(asked.body)
            self._copy.missing += [f"request: the rest of it can't be read: {asked.broken}"] if asked.broken else []

    def answer(self, data: bytes) -> Answered:
        """What these bytes of the upstream were; none are the end of the connection."""
        assert self._response is not None
        answered = self._response.feed(data)
        self._answered = self._answered or answered.whole
        if self._copy is not None:
            self._copy.answered(answered.response, answered.body)
        return answered

    def switch(self, head: h11.InformationalResponse, rest: bytes) -> Overheard | None:
        """It goes on as another protocol: where calls may come by WebSocket, they are overheard."""
        copy = self._copy
        if copy is None or _value(head, b"upgrade").lower() != "websocket":
            return None
        self._copy = None
        overheard = Overheard(copy, _value(head, b"sec-websocket-extensions"), self._recorder.remind)
        overheard.heard(False, rest)
        return overheard

    def end(self, ended: Ended, *missing: str) -> None:
        """Have it recorded, if it was a call; who asks for another protocol and is refused has not called."""
        copy, self._copy = self._copy, None
        if copy is None:
            return
        copy.end(ended, *missing)
        if self._is_call or ended == "upgraded":
            self._recorder.put(copy)
        else:
            self._recorder.room.give(copy.size)


def _upgrades(request: h11.Request) -> bool:
    return any(name == b"upgrade" for name, _ in request.headers)


def _value(head: h11.InformationalResponse, name: bytes) -> str:
    """A header, its lines joined."""
    return ", ".join(value.decode("latin-1") for each, value in head.headers if each == name)
