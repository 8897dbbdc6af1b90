"""permessage-deflate for frames that are only read: what both sides agreed on, and no message without a bound.

wsproto has its own, which takes a ping between two frames for the end of a packed message and inflates without a bound.
"""

import zlib

from wsproto.extensions import Extension
from wsproto.frame_protocol import CloseReason, FrameDecoder, FrameProtocol, Opcode, RsvBits

MOST = 256 << 20
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
            found = self._way.decompress(data, MOST - self._size + 1)
        except zlib.error:
            return CloseReason.INVALID_FRAME_PAYLOAD_DATA
        self._size += len(found)
        return CloseReason.MESSAGE_TOO_BIG if self._size > MOST else found
