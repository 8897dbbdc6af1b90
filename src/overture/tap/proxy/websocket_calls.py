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
        """Begin a call with a message of the program at this time."""
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
        self.response_body.add([b"data: ", message.data.replace(b"\n", b" ").replace(b"\r", b" "), b"\n\n"], message.at)

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
        """Begin without earlier responses of the WebSocket."""
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
MAX_STEERED = 64
MAX_LANES = 64
"""Lanes of a connection of which it is known how they asked last."""
FAILED = 400


class ResponseTurns:
    """The calls of one connection, in the order in which their messages come."""

    def __init__(self, room: CaptureMemory) -> None:
        """Begin without calls on this WebSocket."""
        self.memory, self.earlier_responses = room, ConnectionMemory(room)
        self._lanes: dict[str, deque[WebSocketCall]] = {}
        self._settings: dict[str, dict[str, Any]] = {}
        self._steered: dict[str, list[Items]] = {}
        self.has_calls = False
        """Whether any call was seen."""

    def read_request(self, message: WebSocketMessage) -> None:
        """Read a message of the program."""
        data = decode_object(message.data)
        if message.missing:
            self._add_call("", WebSocketCall(self.memory, message.began)).missing.append(f"request: {message.missing}")
        elif data.get("type") == "response.create":
            self._begin_call(data, message)
        elif data.get("type") == "response.steer":
            self._steer(a_text(data.get("previous_response_id")), list_items(data.get("input")))

    def read_event(self, message: WebSocketMessage) -> Iterator[WebSocketCall]:
        """Read a message of the provider, and return the calls that end with it."""
        event = decode_object(message.data)
        kind, lane = a_text(event.get("type")), self._find_lane(event)
        if kind == CREATED:
            yield from self._begin_response(event, lane, message)
        elif kind == "response.steer.failed":
            self._unsteer(a_dict(event.get("steer")))
        call = next(iter(self._lanes.get(lane, ())), None)
        if call is None:
            return
        call.add_event(message)
        if message.missing:
            call.missing.append(f"response: an event: {message.missing}")
        elif kind == "response.output_item.done":
            call.output_items.append(event.get("item"))
        elif kind in ENDS:
            yield self._end_call(call, lane, event, len(message.data))

    def end(self) -> Iterator[WebSocketCall]:
        """The connection is gone; the calls that were under way."""
        for lane in self._lanes.values():
            yield from lane
        self._lanes.clear()
        self.earlier_responses.clear()

    def _add_call(self, lane: str, call: WebSocketCall) -> WebSocketCall:
        """Add a call to those of its lane that wait for answers."""
        self.has_calls = True
        self._lanes.setdefault(lane, deque()).append(call)
        return call

    def _begin_call(self, data: dict[str, Any], message: WebSocketMessage) -> None:
        """A request, as it would be over HTTP: with all of its input."""
        lane = a_text(data.get("stream_id"))
        call = self._add_call(lane, WebSocketCall(self.memory, message.began))
        body = {key: value for key, value in data.items() if key not in ("type", "stream_id")} | {"stream": True}
        self._settings.pop(lane, None)
        self._settings[lane] = {key: value for key, value in data.items() if key != "input"}
        while len(self._settings) > MAX_LANES:
            del self._settings[next(iter(self._settings))]
        call.continues = a_text(body.get("previous_response_id"))
        new = [item for items in self._steered.pop(call.continues, ()) for item in items]
        new += list_items(body.get("input"))
        if call.continues:
            earlier = self.earlier_responses.get(call.continues) or EarlierResponse([], call.continues)
            call.items, call.unknown_response = [*earlier.items, *new], earlier.unknown_response
            body["input"] = call.items
            if call.unknown_response:
                body["previous_response_id"] = call.unknown_response
            else:
                del body["previous_response_id"]
        else:
            call.items = new
        call.request_body.add([encode_body(body)])

    def _begin_response(self, event: dict[str, Any], lane: str, message: WebSocketMessage) -> Iterator[WebSocketCall]:
        """A response begins, which ends the previous one in its lane."""
        waiting = self._lanes.get(lane, deque())
        if waiting and waiting[0].is_created:
            waiting[0].missing.append("response: its end is missing")
            yield waiting.popleft()
        parent = a_text(a_dict(event.get("response")).get("previous_response_id"))
        if parent in self._steered and lane in self._settings and not (waiting and waiting[0].continues == parent):
            # The provider continues by itself, with the earlier settings and the input sent meanwhile.
            self._begin_call({**self._settings[lane], "previous_response_id": parent}, message)
            waiting = self._lanes[lane]
            waiting.rotate(1)
        if waiting:
            waiting[0].is_created = True

    def _end_call(self, call: WebSocketCall, lane: str, event: dict[str, Any], size: int) -> WebSocketCall:
        """The call that ends with an event; what was sent and answered is remembered for the next."""
        self._lanes[lane].popleft()
        if not self._lanes[lane]:
            del self._lanes[lane]
        kind = event["type"]
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

    def _find_lane(self, event: dict[str, Any]) -> str:
        """Whose event it is: its own lane's; without one, of the only one in which anything is under way."""
        lane = a_text(event.get("stream_id"))
        waiting = [name for name, each in self._lanes.items() if each]
        return waiting[0] if len(waiting) == 1 and not lane else lane

    def _steer(self, parent: str, items: Items) -> None:
        """Remember input that was sent while the response was streaming."""
        if parent and len(self._steered) < MAX_STEERED:
            self._steered.setdefault(parent, []).append(items)

    def _unsteer(self, steer: dict[str, Any]) -> None:
        """Forget input that the provider did not apply."""
        parent, items = a_text(steer.get("previous_response_id")), list_items(steer.get("input"))
        others = [each for each in self._steered.get(parent, ()) if each != items]
        if others:
            self._steered[parent] = others
        else:
            self._steered.pop(parent, None)


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
