"""The upstream's side of a WebSocket: what would be events of a stream are messages of its own."""

import base64
import hashlib
from collections.abc import Callable, Iterator
from io import BufferedIOBase

from wsproto.connection import Connection, ConnectionType
from wsproto.events import CloseConnection, Ping, TextMessage
from wsproto.extensions import PerMessageDeflate

GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"
DATA = "data: "


def accepted(key: str, offered: str) -> tuple[dict[str, str], Connection]:
    """The headers by which a connection is taken over, and the connection; packed where the agent offers it."""
    packing = PerMessageDeflate()
    offer = next((each for each in offered.split(",") if each.strip().startswith(packing.name)), None)
    agreed = packing.accept(offer) if offer else None
    headers = {"Upgrade": "websocket", "Connection": "Upgrade"}
    headers["Sec-WebSocket-Accept"] = base64.b64encode(hashlib.sha1(key.encode() + GUID).digest()).decode()
    if isinstance(agreed, str):
        headers["Sec-WebSocket-Extensions"] = "; ".join(filter(None, (packing.name, agreed)))
    return headers, Connection(ConnectionType.SERVER, [packing] if isinstance(agreed, str) else [])


def talk(line: Connection, reads: BufferedIOBase, writes: BufferedIOBase, answer: Callable[[str], str]) -> None:
    """Answer each message with the events of a stream, until the agent goes."""
    for asked in _messages(line, reads, writes):
        for event in answer(asked).split("\n"):
            if event.startswith(DATA) and event != f"{DATA}[DONE]":
                writes.write(line.send(TextMessage(data=event.removeprefix(DATA))))


def _messages(line: Connection, reads: BufferedIOBase, writes: BufferedIOBase) -> Iterator[str]:
    text = ""
    while data := reads.read1(1 << 16):
        line.receive_data(data)
        for event in line.events():
            if isinstance(event, Ping):
                writes.write(line.send(event.response()))
            elif isinstance(event, CloseConnection):
                writes.write(line.send(event.response()))
                return
            elif isinstance(event, TextMessage):
                text += event.data
                if event.message_finished:
                    yield text
                    text = ""
