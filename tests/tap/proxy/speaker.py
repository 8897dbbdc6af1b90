"""A provider on loopback that speaks OpenAI's Responses by WebSocket, and messages as they are sent and answered."""

import json
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from websockets.exceptions import ConnectionClosed
from websockets.sync.server import Server, ServerConnection, serve
from wsproto.frame_protocol import Opcode

Data = dict[str, Any]
USAGE = {"input_tokens": 30, "input_tokens_details": {"cached_tokens": 20}, "output_tokens": 2, "total_tokens": 32}
TOOL = {"type": "function", "name": "look", "parameters": {"type": "object"}}


def create(text: str = "Ahoy", **more: Any) -> Data:
    """A message that asks for a response."""
    said = [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]}]
    return {
        "type": "response.create", "model": "gpt-5.5", "instructions": "You are Ada.", "tools": [TOOL], "input": said,
        **more,
    }  # fmt: skip


def spoken(text: str) -> Data:
    """An item in which a model speaks."""
    return {"type": "message", "id": "msg", "role": "assistant", "content": [{"type": "output_text", "text": text}]}


def answer(id: str, text: str = "Aye.", end: str = "completed") -> list[Data]:
    """The events of a response."""
    items = [spoken(text)] if text else []
    whole = {"id": id, "status": end, "model": "gpt-5.5", "output": items, "usage": USAGE}
    return [
        {"type": "response.created", "response": {"id": id, "status": "in_progress"}},
        *({"type": "response.output_text.delta", "delta": letter} for letter in text[:20]),
        *({"type": "response.output_item.done", "item": item} for item in items),
        {"type": f"response.{end}", "response": whole},
    ]


Answer = Callable[[Data, int], list[Data]]


def plain(asked: Data, number: int) -> list[Data]:
    """The same for all; nothing is said where nothing is to be generated."""
    return answer(f"r{number}", "" if asked.get("generate") is False else f"Aye {number}.")


@contextmanager
def speaker(reply: Answer = plain, **more: Any) -> Iterator[tuple[Server, int]]:
    """Such a provider, and its port. An answer that is empty is the end of the connection, without a word."""

    def handle(line: ServerConnection) -> None:
        try:
            for number, message in enumerate(line, 1):
                events = reply(json.loads(message), number)
                for event in events:
                    line.send(json.dumps(event))
                if not events:
                    line.socket.shutdown(2)
        except (ConnectionClosed, OSError):
            pass

    with serve(handle, "127.0.0.1", 0, max_size=None, **more) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield server, server.socket.getsockname()[1]
        server.shutdown()
        thread.join(10)


class Frames:
    """Frames as bytes, packed or not, whole or in parts, with pings between them."""

    def __init__(self, masked: bool, packed: bool = False, forgets: bool = False, parts: int = 1) -> None:
        self.masked, self.packed, self.forgets, self.parts = masked, packed, forgets, parts
        self._way = zlib.compressobj(wbits=-15)

    def message(self, data: bytes, opcode: int = Opcode.TEXT) -> bytes:
        """A message; between its parts somebody pings."""
        if self.packed:
            data = self._way.compress(data) + self._way.flush(zlib.Z_SYNC_FLUSH)
            data = data[:-4]
            self._way = zlib.compressobj(wbits=-15) if self.forgets else self._way
        step = max(len(data) // self.parts, 1)
        cuts = [data[at : at + step] for at in range(0, len(data), step)] or [b""]
        return b"".join(
            self.frame(opcode if not n else Opcode.CONTINUATION, cut, n == len(cuts) - 1, self.packed and not n)
            + (self.frame(Opcode.PING, b"still there?") if self.parts > 1 else b"")
            for n, cut in enumerate(cuts)
        )

    def frame(self, opcode: int, data: bytes, fin: bool = True, packed: bool = False) -> bytes:
        """One frame."""
        size, mask = len(data), 0x80 * self.masked
        head = bytes([0x80 * fin | 0x40 * packed | opcode])
        if size < 126:
            head += bytes([mask | size])
        elif size < 1 << 16:
            head += bytes([mask | 126]) + size.to_bytes(2, "big")
        else:
            head += bytes([mask | 127]) + size.to_bytes(8, "big")
        if not self.masked:
            return head + data
        key = b"\x37\xfa\x21\x3d"
        long = int.from_bytes(data, "big") ^ int.from_bytes((key * (size // 4 + 1))[:size], "big")
        return head + key + long.to_bytes(size, "big")
