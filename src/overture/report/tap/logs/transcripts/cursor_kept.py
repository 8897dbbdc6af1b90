"""The messages in Cursor's own store, among which the answers of a transcript are found again."""

from collections.abc import Iterator
from typing import Any, NamedTuple

from ...call import CallPiece
from ...read_call.parts import typed_pieces
from ...read_call.wire.plain_values import Data, a_dict, a_text, dicts
from ..found import Beside
from .cursor_words import answer_of, query_of


class Kept(NamedTuple):
    """What was sent before an answer, as Cursor's own store holds it."""

    pieces: tuple[CallPiece, ...]
    missing: tuple[str, ...]
    model: str


class KeptMessages:
    """The messages of a store, in which the answers of a transcript are found again, one behind the other."""

    def __init__(self, beside: Beside) -> None:
        self.messages, self.next = beside.messages, 0
        self.so_far: tuple[CallPiece, ...] = ()
        """What was said up to the answer that was found last, with it."""
        self.found = False
        """It was found just now."""
        gone = f"Cursor's store does not hold {beside.absent} of the messages in plain text"
        self.missing = (gone,) if beside.absent else ()

    @property
    def system(self) -> tuple[CallPiece, ...]:
        """The system prompt alone."""
        return tuple(self._pieces([message for message in self.messages if message.get("role") == "system"]))

    def before(self, query: str, content: Any) -> Kept | None:
        """What stands before an answer to that query; None where it is not there, as behind a summary."""
        wanted = answer_of(content)
        asked = {number for number, message in enumerate(self.messages) if message.get("role") == "user"}
        for number in range(self.next, len(self.messages)):
            message = self.messages[number]
            if message.get("role") != "assistant" or answer_of(message.get("content")) != wanted:
                continue
            last = max((each for each in asked if each < number), default=None)
            if last is not None and query_of(self.messages[last].get("content")) == query:
                self.next, self.found = number + 1, True
                before = tuple(self._pieces(self.messages[:number]))
                self.so_far = tuple(self._pieces(self.messages[: number + 1]))
                return Kept(before, self.missing, _model(message))
        return None

    def _pieces(self, messages: Any) -> Iterator[CallPiece]:
        index = 0
        for message in messages:
            role = a_text(message.get("role"))
            system = role == "system"
            yield from typed_pieces(
                message.get("content"), "system" if system else "message", role, None if system else index
            )
            index += not system


def _model(message: Data) -> str:
    """The model that an answer names."""
    parts = (message, *dicts(message.get("content")))
    named = (a_dict(a_dict(part.get("providerOptions")).get("cursor")).get("modelName") for part in parts)
    return next((a_text(name) for name in named if name), "")
