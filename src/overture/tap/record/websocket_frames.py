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
        self._resets_context = f"{who}_no_context_takeover" in {each.strip() for each in agreed.split(";")}
        self._decompressor: zlib._Decompress | None = None
        self._is_packed = self._is_control = False
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
        self._is_control = opcode.iscontrol()
        if rsv.rsv1 and (self._is_control or opcode is Opcode.CONTINUATION):
            return CloseReason.PROTOCOL_ERROR
        if not self._is_control and opcode is not Opcode.CONTINUATION:
            self._is_packed, self._size = rsv.rsv1, 0
        return RsvBits(True, False, False)

    def frame_inbound_payload_data(self, proto: FrameDecoder | FrameProtocol, data: bytes) -> bytes | CloseReason:
        """More of a frame."""
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
        if self._decompressor is None:
            # With the largest window everything can be unpacked, whichever smaller one was agreed on.
            self._decompressor = zlib.decompressobj(-zlib.MAX_WBITS)
        try:
            found = self._decompressor.decompress(data, MAX_MESSAGE_BYTES - self._size + 1)
        except zlib.error:
            return CloseReason.INVALID_FRAME_PAYLOAD_DATA
        self._size += len(found)
        return CloseReason.MESSAGE_TOO_BIG if self._size > MAX_MESSAGE_BYTES else found


PROBLEMS = {
    CloseReason.MESSAGE_TOO_BIG: "a message grows without end when it is decompressed",
    CloseReason.INVALID_FRAME_PAYLOAD_DATA: "a message is not compressed as negotiated, or is not UTF-8",
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
