"""The messages of a WebSocket -> calls: each `response.create` with the events that answer it."""

import json
from collections import deque
from collections.abc import Iterator
from typing import Any, NamedTuple

from ...providers.openai_responses import STREAM_ENDS
from ...providers.read.plain_data import a_dict, a_text
from .capture import CapturedBody, CaptureMemory


class WebSocketMessage(NamedTuple):
    """A whole message."""

    data: bytes
    began: float
    at: float
    """When its last byte came."""
    missing: str = ""
    """Why nothing of it was kept."""


class WebSocketCall:
    """One call while it passes."""

    def __init__(self, room: CaptureMemory, began: float) -> None:
        self.request_body, self.response_body = CapturedBody("request", room), CapturedBody("response", room)
        self.began = self.last = began
        self.first: float | None = None
        self.status = 0
        self.continues = ""
        """The response that it continues."""
        self.items: Items = []
        """Its whole input, and then its output."""
        self.unknown_response = ""
        self.output_items: Items = []
        self.is_created = False
        self.missing: list[str] = []

    def add_event(self, message: WebSocketMessage) -> None:
        """Keep an event, as it would come over HTTP."""
        self.first = message.began if self.first is None else self.first
        self.last, self.status = message.at, self.status or 200
        # Between the values of JSON a line break has no meaning.
        self.response_body.add([b"data: ", message.data.replace(b"\n", b" ").replace(b"\r", b" "), b"\n\n"])

    @property
    def size(self) -> int:
        """Bytes of the call in memory."""
        return self.request_body.kept_bytes + self.response_body.kept_bytes


MAX_REMEMBERED_RESPONSES = 64
"""Responses of a connection that are remembered."""
Items = list[Any]


class EarlierResponse(NamedTuple):
    """All input and output of a model up to the end of a response."""

    items: Items
    unknown_response: str = ""
    """The response before them, where it is not known."""


class ConnectionMemory:
    """The responses of one connection. What each has in common with the one before it is held once."""

    def __init__(self, room: CaptureMemory) -> None:
        self.memory = room
        self._earlier: dict[str, EarlierResponse] = {}
        self._sizes: dict[str, int] = {}

    def get(self, id: str) -> EarlierResponse | None:
        """What there is up to a response; None where it is not known."""
        return self._earlier.get(id)

    def add(self, id: str, earlier: EarlierResponse, after: str, size: int) -> None:
        """Remember a response, of so many bytes together with all that it goes on from."""
        shared = self._sizes.get(after, 0)
        more = max(size - shared, 0)
        if not id or id in self._earlier or not self.memory.reserve(more):
            return
        self._earlier[id], self._sizes[id] = earlier, shared + more
        if after in self._sizes:
            self._sizes[after] = 0  # it is part of this one now
        while len(self._earlier) > MAX_REMEMBERED_RESPONSES or sum(self._sizes.values()) > self.memory.max_body:
            self.forget(next(iter(self._earlier)))

    def forget(self, id: str) -> None:
        """Give back the memory of one earlier response."""
        if self._earlier.pop(id, None) is not None:
            self.memory.release(self._sizes.pop(id))

    def clear(self) -> None:
        """Give back the memory of all earlier responses."""
        for id in list(self._earlier):
            self.forget(id)


CREATED = "response.created"
ENDS = (*STREAM_ENDS, "error")
REMEMBERED = ("response.completed", "response.incomplete", "response.done")
FAILED = 400


class ResponseTurns:
    """The calls of one connection, in the order in which their messages come."""

    def __init__(self, room: CaptureMemory) -> None:
        self.memory, self.earlier_responses = room, ConnectionMemory(room)
        self._waiting: deque[WebSocketCall] = deque()
        """The calls that are not answered, in their order."""
        self.has_calls = False
        """Whether any call was seen."""

    def read_request(self, message: WebSocketMessage) -> None:
        """Read a message of the program."""
        data = decode_object(message.data)
        if message.missing:
            self._add_call(message).missing.append(f"request: {message.missing}")
        elif data.get("type") == "response.create":
            self._begin_call(self._add_call(message), data)

    def read_event(self, message: WebSocketMessage) -> Iterator[WebSocketCall]:
        """Read a message of the provider, and return the calls that end with it."""
        event = decode_object(message.data)
        kind = a_text(event.get("type"))
        if kind == CREATED and self._waiting:
            yield from self._begin_response()
        call = next(iter(self._waiting), None)
        if call is None:
            return
        call.add_event(message)
        if message.missing:
            call.missing.append(f"response: an event: {message.missing}")
        elif kind == "response.output_item.done":
            call.output_items.append(event.get("item"))
        elif kind in ENDS:
            yield self._end_call(event, len(message.data))

    def end(self) -> Iterator[WebSocketCall]:
        """The connection is gone; the calls that were under way."""
        yield from self._waiting
        self._waiting.clear()
        self.earlier_responses.clear()

    def _add_call(self, message: WebSocketMessage) -> WebSocketCall:
        """Add a call to those that wait for answers."""
        self.has_calls = True
        self._waiting.append(WebSocketCall(self.memory, message.began))
        return self._waiting[-1]

    def _begin_call(self, call: WebSocketCall, data: dict[str, Any]) -> None:
        """A request, as it would be over HTTP: with all of its input."""
        body = {key: value for key, value in data.items() if key != "type"} | {"stream": True}
        call.continues = a_text(body.get("previous_response_id"))
        call.items = list_items(body.get("input"))
        if call.continues:
            earlier = self.earlier_responses.get(call.continues) or EarlierResponse([], call.continues)
            call.items, call.unknown_response = [*earlier.items, *call.items], earlier.unknown_response
            body["input"] = call.items
            if call.unknown_response:
                body["previous_response_id"] = call.unknown_response
            else:
                del body["previous_response_id"]
        call.request_body.add([encode_body(body)])

    def _begin_response(self) -> Iterator[WebSocketCall]:
        """A response begins, which ends the previous one."""
        if self._waiting[0].is_created:
            self._waiting[0].missing.append("response: its end is missing")
            yield self._waiting.popleft()
        if self._waiting:
            self._waiting[0].is_created = True

    def _end_call(self, event: dict[str, Any], size: int) -> WebSocketCall:
        """The call that ends with an event; what was sent and answered is remembered for the next."""
        call, kind = self._waiting.popleft(), event["type"]
        status = event.get("status", event.get("status_code"))
        if kind == "error" and isinstance(status, int) and FAILED <= status < 600:
            call.status = status
        response = a_dict(event.get("response"))
        if kind in REMEMBERED and call.request_body.kept_bytes:
            # Some servers leave the output of the last event empty.
            output = response.get("output") if isinstance(response.get("output"), list) else []
            earlier = EarlierResponse([*call.items, *(output or call.output_items)], call.unknown_response)
            self.earlier_responses.add(
                a_text(response.get("id")), earlier, call.continues, call.request_body.kept_bytes + size
            )
        return call


def decode_object(data: bytes) -> dict[str, Any]:
    """The object that a message is; empty where it is none."""
    try:
        return a_dict(json.loads(data))
    except (ValueError, RecursionError):
        return {}


def encode_body(body: dict[str, Any]) -> bytes:
    """A body as JSON; with escapes where a half of a character can't be written otherwise."""
    try:
        return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(body, separators=(",", ":")).encode("ascii")


def list_items(value: object) -> Items:
    """An input as items: a text alone is a user's."""
    if isinstance(value, str):
        return [{"type": "message", "role": "user", "content": value}]
    return list(value) if isinstance(value, list) else []
