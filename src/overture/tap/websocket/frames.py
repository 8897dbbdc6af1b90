"""The bytes of one side of a WebSocket -> its messages. They have passed: nothing is answered, nothing raises."""

from collections.abc import Iterator
from typing import NamedTuple

from wsproto.extensions import Extension
from wsproto.frame_protocol import CloseReason, Frame, FrameProtocol, Opcode, ParseFailed

from ..record.capture import Body, Room
from .inflate import NAME, Inflate

WRONG = {
    CloseReason.MESSAGE_TOO_BIG: "a message grows without end when it is unpacked",
    CloseReason.INVALID_FRAME_PAYLOAD_DATA: "a message is not packed as was agreed, or is no UTF-8",
}


class Message(NamedTuple):
    """A whole message."""

    data: bytes
    began: float
    at: float
    """When its last byte came."""
    missing: str = ""
    """Why nothing of it was kept."""


class FrameReader:
    """Reads what one side sends, frame by frame."""

    def __init__(self, agreed: str, from_client: bool, room: Room) -> None:
        named = [each.strip() for each in agreed.split(",") if each.strip()]
        unknown = [each for each in named if each.partition(";")[0].strip().lower() != NAME]
        packed: list[Extension] = [Inflate(each.lower(), from_client) for each in named[:1]]
        # A client's frames are read as a server reads them.
        self._frames = FrameProtocol(not from_client, packed)
        self.room = room
        self._begun: Body | None = None
        self._began = 0.0
        self.closed = False
        self.broken = f"the extension {unknown[0]!r:.60} is not known" if unknown else ""
        """Why nothing that comes can be read."""

    def feed(self, data: bytes, at: float) -> Iterator[Message]:
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

    def _take(self, frame: Frame, at: float) -> Iterator[Message]:
        self.closed = frame.opcode is Opcode.CLOSE
        if frame.opcode.iscontrol():
            return
        if self._begun is None:
            self._begun, self._began = Body("message", self.room), at
        part = frame.payload.encode("utf-8") if isinstance(frame.payload, str) else frame.payload
        assert isinstance(part, (bytes, bytearray))
        self._begun.add([bytes(part)])
        if frame.message_finished:
            body = self._begun
            message = Message(b"".join(body.parts), self._began, at, body.missing)
            self.drop()
            yield message

    def drop(self) -> None:
        """Give back the room of a message that has not ended."""
        if self._begun is not None:
            self.room.give(self._begun.kept)
            self._begun = None
