"""A WebSocket while it passes: copies of its bytes go to the thread that records, which reads messages and calls."""

import asyncio
import json
import time
import zlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from datetime import timedelta
from typing import Any, NamedTuple

from wsproto.extensions import Extension
from wsproto.frame_protocol import CloseReason, Frame, FrameDecoder, FrameProtocol, Opcode, ParseFailed, RsvBits

from ...providers.openai_responses import STREAM_ENDS
from ...providers.read.plain_data import a_dict, a_text
from ..wire.read_call import Ended, RawCall, make_raw_call
from .capture import Capture, CapturedBody, CaptureMemory, describe_route


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


MAX_MESSAGE_BYTES = 256 << 20
"""Bytes of a message once it is unpacked."""
TAIL = b"\x00\x00\xff\xff"
"""What a sender leaves away at the end of each message."""
NAME = "permessage-deflate"


class Inflate(Extension):
    """Unpacks what one side sends."""

    name = NAME

    def __init__(self, agreed: str, from_client: bool) -> None:
        """Unpack the frames of one side, by the terms of compression that both agreed on."""
        who = "client" if from_client else "server"
        self._resets_context = f"{who}_no_context_takeover" in {each.strip() for each in agreed.split(";")}
        self._decompressor: zlib._Decompress | None = None
        self._is_packed = self._is_control = False
        self._size = 0

    def enabled(self) -> bool:
        """Compression of frames was agreed on."""
        return True

    def offer(self) -> bool | str:
        """Nothing: who only reads offers nothing."""
        return False

    def frame_inbound_header(
        self, proto: FrameDecoder | FrameProtocol, opcode: Opcode, rsv: RsvBits, payload_length: int
    ) -> CloseReason | RsvBits:
        """Whether the message that begins here is packed; control frames never are."""
        self._is_control = opcode.iscontrol()
        if rsv.rsv1 and (self._is_control or opcode is Opcode.CONTINUATION):
            return CloseReason.PROTOCOL_ERROR
        if not self._is_control and opcode is not Opcode.CONTINUATION:
            self._is_packed, self._size = rsv.rsv1, 0
        return RsvBits(True, False, False)

    def frame_inbound_payload_data(self, proto: FrameDecoder | FrameProtocol, data: bytes) -> bytes | CloseReason:
        """Unpack more of a frame."""
        return data if self._is_control or not self._is_packed else self._inflate(data)

    def frame_inbound_complete(self, proto: FrameDecoder | FrameProtocol, fin: bool) -> bytes | CloseReason | None:
        """The end of a frame; with the last of a message its tail is put back."""
        if self._is_control or not fin or not self._is_packed:
            return None
        rest = self._inflate(TAIL)
        if self._resets_context:
            self._decompressor = None
        return rest

    def _inflate(self, data: bytes) -> bytes | CloseReason:
        """Unpack a part of a message; the reason to close, where it is broken or too large."""
        if self._decompressor is None:
            # With the largest window everything can be unpacked, whichever smaller one was agreed on.
            self._decompressor = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            inflated = self._decompressor.decompress(data, MAX_MESSAGE_BYTES - self._size + 1)
        except zlib.error:
            return CloseReason.INVALID_FRAME_PAYLOAD_DATA
        self._size += len(inflated)
        return CloseReason.MESSAGE_TOO_BIG if self._size > MAX_MESSAGE_BYTES else inflated


PROBLEMS = {
    CloseReason.MESSAGE_TOO_BIG: "a message grows without end when it is decompressed",
    CloseReason.INVALID_FRAME_PAYLOAD_DATA: "a message is not compressed as negotiated, or is not UTF-8",
}


class FrameReader:
    """Reads what one side sends, frame by frame."""

    def __init__(self, agreed: str, from_client: bool, room: CaptureMemory) -> None:
        """Read the frames of one side, with the extensions that both agreed on."""
        named = [each.strip() for each in agreed.split(",") if each.strip()]
        unknown = [each for each in named if each.partition(";")[0].strip().lower() != NAME]
        packed: list[Extension] = [Inflate(each.lower(), from_client) for each in named[:1]]
        # A client's frames are read as a server reads them.
        self._frames = FrameProtocol(not from_client, packed)
        self.memory = room
        self._message: CapturedBody | None = None
        self._began = 0.0
        self.is_closed = False
        self.problem = f"the extension {unknown[0]!r:.60} is not known" if unknown else ""
        """Why nothing that comes can be read."""

    def feed(self, data: bytes, at: float) -> Iterator[WebSocketMessage]:
        """The messages that end in these bytes."""
        if self.problem or self.is_closed:
            return
        self._frames.receive_bytes(data)
        try:
            for frame in self._frames.received_frames():
                yield from self._add_frame(frame, at)
        except ParseFailed as problem:
            self.problem = PROBLEMS.get(problem.code, str(problem))
            self.drop_message()

    def _add_frame(self, frame: Frame, at: float) -> Iterator[WebSocketMessage]:
        """Take a frame; the message that ends with it."""
        self.is_closed = frame.opcode is Opcode.CLOSE
        if frame.opcode.iscontrol():
            return
        if self._message is None:
            self._message, self._began = CapturedBody("message", self.memory), at
        part = frame.payload.encode("utf-8") if isinstance(frame.payload, str) else frame.payload
        assert isinstance(part, (bytes, bytearray))
        self._message.add([bytes(part)])
        if frame.message_finished:
            body = self._message
            message = WebSocketMessage(b"".join(body.parts), self._began, at, body.missing)
            self.drop_message()
            yield message

    def drop_message(self) -> None:
        """Give back the room of a message that has not ended."""
        if self._message is not None:
            self.memory.release(self._message.kept_bytes)
            self._message = None


READ_DELAY_SECONDS = 0.05
"""Seconds after which what has passed is read: many frames at once."""
EVENTS = ((b"Content-Type", b"text/event-stream"),)
LOST = "too many concurrent calls"


class FrameBytes(NamedTuple):
    """Some bytes, or the end."""

    from_client: bool
    data: bytes
    at: float
    ended: Ended | None = None
    lost: str = ""


class WebSocketCapture:
    """One connection. `add_bytes` and `end` are the loop's, all else is done in the thread that records."""

    def __init__(self, copy: Capture, agreed: str, remind: Callable[["WebSocketCapture"], None]) -> None:
        """Capture the frames of a WebSocket that began with this request; `remind` wakes the thread that records."""
        self.capture, self._schedule = copy, remind
        self._parts: deque[FrameBytes] = deque()
        self._is_scheduled = self._lost = self._is_ended = self._is_over = False
        self._readers = {each: FrameReader(agreed, each, copy.memory) for each in (True, False)}
        self._turns = ResponseTurns(copy.memory)
        self._messages = 0
        self._has_reported = False

    # While it passes.

    def add_bytes(self, from_client: bool, data: bytes) -> None:
        """Keep a copy of this, if there is room; without it nothing that follows can be read."""
        if self._lost or not data:
            return
        self._lost = not self.capture.memory.reserve(len(data))
        self._parts.append(
            FrameBytes(from_client, b"" if self._lost else data, time.perf_counter(), lost=LOST * self._lost)
        )
        if not self._is_scheduled:
            self._is_scheduled = True
            asyncio.get_running_loop().call_later(READ_DELAY_SECONDS, self._schedule, self)

    def end(self, ended: Ended) -> None:
        """It is gone: what is under way will not end."""
        if not self._is_ended:
            self._is_ended = True
            self._parts.append(FrameBytes(True, b"", time.perf_counter(), ended))
            self._schedule(self)

    # In the thread that records.

    @property
    def size(self) -> int:
        """Bytes that are given back when it has been read: those of its parts are, one by one."""
        return 0

    @property
    def label(self) -> str:
        """Which WebSocket connection it is."""
        return f"{self.capture.label}, by WebSocket"

    def list_raw_calls(self) -> Iterator[RawCall]:
        """The calls that have ended with what has passed."""
        self._is_scheduled = False
        while self._parts:
            part = self._parts.popleft()
            try:
                yield from map(self._make_raw_call, self._read_part(part))
            finally:
                self.capture.memory.release(len(part.data))

    def _read_part(self, part: FrameBytes) -> Iterator[WebSocketCall]:
        """Read a copy of some bytes, and yield the calls that end in them."""
        reader = self._readers[part.from_client]
        reader.problem = reader.problem or part.lost
        for message in reader.feed(part.data, part.at) if not self.problem else ():
            self._messages += 1
            if part.from_client:
                self._turns.read_request(message)
            else:
                yield from self._turns.read_event(message)
        self._is_over, self._lost = part.ended is not None, self._lost or bool(self.problem)
        if self._is_over or self.problem:
            yield from self._end_calls(part)

    def _end_calls(self, part: FrameBytes) -> Iterator[WebSocketCall]:
        """The calls that were under way when nothing more came, or nothing more could be read."""
        for call in self._turns.end():
            self.capture.ended = part.ended or "unreadable"
            call.last = part.at
            call.missing += [f"response: the rest of the connection can't be read: {self.problem}"] * bool(self.problem)
            yield call
        for reader in self._readers.values():
            reader.drop_message()

    @property
    def problem(self) -> str:
        """Why the rest of the frames can't be read."""
        return self._readers[True].problem or self._readers[False].problem

    def list_problems(self) -> Iterable[str]:
        """What of the WebSocket is in no record, each listed once."""
        if self._has_reported or not (self.problem or (self._is_over and self._messages and not self._turns.has_calls)):
            return ()
        self._has_reported = True
        why = f"the rest can't be read: {self.problem}" if self.problem else "its messages are not known calls"
        return (f"{self.label}: {why}",)

    def _make_raw_call(self, call: WebSocketCall) -> RawCall:
        """A call, as it would have been over HTTP."""
        copy, sent, came = self.capture, call.request_body, call.response_body
        copy.memory.release(call.size)
        return make_raw_call(
            copy.route.target, copy.request.headers.raw_items(), b"".join(sent.parts), EVENTS, b"".join(came.parts),
            at=(copy.at + timedelta(seconds=call.began - copy.began)).isoformat(timespec="milliseconds"),
            method="POST", **describe_route(copy.route), status=call.status,
            first_ms=None if call.first is None else (call.first - call.began) * 1000,
            whole_ms=(call.last - call.began) * 1000, ended=copy.ended,
            missing=(*sent.missing_notes, *came.missing_notes, *call.missing), continues=call.continues,
            websocket=True,
        )  # fmt: skip
