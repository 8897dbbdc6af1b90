"""The bytes of one side of a WebSocket -> its messages, decompressed."""

import zlib
from collections.abc import Iterator
from typing import NamedTuple

from wsproto.extensions import Extension
from wsproto.frame_protocol import CloseReason, Frame, FrameDecoder, FrameProtocol, Opcode, ParseFailed, RsvBits

from .capture import CapturedBody, CaptureMemory

MAX_MESSAGE_BYTES = 256 << 20
"""Bytes of a message once it is unpacked."""
TAIL = b"\x00\x00\xff\xff"
"""What a sender leaves away at the end of each message."""
NAME = "permessage-deflate"


class Inflate(Extension):
    """Unpacks what one side sends."""

    name = NAME

    def __init__(self, agreed: str, from_client: bool) -> None:
        who = "client" if from_client else "server"
        self._forgets = f"{who}_no_context_takeover" in {each.strip() for each in agreed.split(";")}
        self._way: zlib._Decompress | None = None
        self._packed = self._control = False
        self._size = 0

    def enabled(self) -> bool:
        """It was agreed on."""
        return True

    def offer(self) -> bool | str:
        """Nothing: who only reads offers nothing."""
        return False

    def frame_inbound_header(
        self, proto: FrameDecoder | FrameProtocol, opcode: Opcode, rsv: RsvBits, payload_length: int
    ) -> CloseReason | RsvBits:
        """Whether the message that begins here is packed; control frames never are."""
        self._control = opcode.iscontrol()
        if rsv.rsv1 and (self._control or opcode is Opcode.CONTINUATION):
            return CloseReason.PROTOCOL_ERROR
        if not self._control and opcode is not Opcode.CONTINUATION:
            self._packed, self._size = rsv.rsv1, 0
        return RsvBits(True, False, False)

    def frame_inbound_payload_data(self, proto: FrameDecoder | FrameProtocol, data: bytes) -> bytes | CloseReason:
        """More of a frame."""
        return data if self._control or not self._packed else self._inflated(data)

    def frame_inbound_complete(self, proto: FrameDecoder | FrameProtocol, fin: bool) -> bytes | CloseReason | None:
        """The end of a frame; with the last of a message its tail is put back."""
        if self._control or not fin or not self._packed:
            return None
        rest = self._inflated(TAIL)
        if self._forgets:
            self._way = None
        return rest

    def _inflated(self, data: bytes) -> bytes | CloseReason:
        if self._way is None:
            # With the largest window everything can be unpacked, whichever smaller one was agreed on.
            self._way = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            found = self._way.decompress(data, MAX_MESSAGE_BYTES - self._size + 1)
        except zlib.error:
            return CloseReason.INVALID_FRAME_PAYLOAD_DATA
        self._size += len(found)
        return CloseReason.MESSAGE_TOO_BIG if self._size > MAX_MESSAGE_BYTES else found


WRONG = {
    CloseReason.MESSAGE_TOO_BIG: "a message grows without end when it is unpacked",
    CloseReason.INVALID_FRAME_PAYLOAD_DATA: "a message is not packed as was agreed, or is no UTF-8",
}


class WebSocketMessage(NamedTuple):
    """A whole message."""

    data: bytes
    began: float
    at: float
    """When its last byte came."""
    missing: str = ""
    """Why nothing of it was kept."""


class FrameReader:
    """Reads what one side sends, frame by frame."""

    def __init__(self, agreed: str, from_client: bool, room: CaptureMemory) -> None:
        named = [each.strip() for each in agreed.split(",") if each.strip()]
        unknown = [each for each in named if each.partition(";")[0].strip().lower() != NAME]
        packed: list[Extension] = [Inflate(each.lower(), from_client) for each in named[:1]]
        # A client's frames are read as a server reads them.
        self._frames = FrameProtocol(not from_client, packed)
        self.room = room
        self._begun: CapturedBody | None = None
        self._began = 0.0
        self.closed = False
        self.broken = f"the extension {unknown[0]!r:.60} is not known" if unknown else ""
        """Why nothing that comes can be read."""

    def feed(self, data: bytes, at: float) -> Iterator[WebSocketMessage]:
        """The messages that end in these bytes."""
        if self.broken or self.closed:
            return
        self._frames.receive_bytes(data)
        try:
            for frame in self._frames.received_frames():
                yield from self._take(frame, at)
        except ParseFailed as problem:
            self.broken = WRONG.get(problem.code, str(problem))
            self.drop()

    def _take(self, frame: Frame, at: float) -> Iterator[WebSocketMessage]:
        self.closed = frame.opcode is Opcode.CLOSE
        if frame.opcode.iscontrol():
            return
        if self._begun is None:
            self._begun, self._began = CapturedBody("message", self.room), at
        part = frame.payload.encode("utf-8") if isinstance(frame.payload, str) else frame.payload
        assert isinstance(part, (bytes, bytearray))
        self._begun.add([bytes(part)])
        if frame.message_finished:
            body = self._begun
            message = WebSocketMessage(b"".join(body.parts), self._began, at, body.missing)
            self.drop()
            yield message

    def drop(self) -> None:
        """Give back the room of a message that has not ended."""
        if self._begun is not None:
            self.room.give(self._begun.kept)
            self._begun = None
