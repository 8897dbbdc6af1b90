"""One call that goes by WebSocket, while it passes."""

from ..record.capture import Body, Room
from .frames import Message
from .known import Items


class Spoken:
    """One call while it passes."""

    def __init__(self, room: Room, began: float) -> None:
        self.sent, self.came = Body("request", room), Body("response", room)
        self.began = self.last = began
        self.first: float | None = None
        self.status = 0
        self.continues = ""
        """The response that it goes on from."""
        self.items: Items = []
        """Its whole input, and then what it said."""
        self.held = ""
        self.said: Items = []
        self.created = False
        self.missing: list[str] = []

    def hear(self, message: Message) -> None:
        """Keep an event, as it would come over HTTP."""
        self.first = message.began if self.first is None else self.first
        self.last, self.status = message.at, self.status or 200
        # Between the values of JSON a line break says nothing.
        self.came.add([b"data: ", message.data.replace(b"\n", b" ").replace(b"\r", b" "), b"\n\n"], message.at)

    @property
    def size(self) -> int:
        """Bytes of it in memory."""
        return self.sent.kept + self.came.kept
