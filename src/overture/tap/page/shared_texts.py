"""Texts that many calls of one file have in common, each once: a conversation is sent again with every call."""

from typing import Any

from msgspec.structs import asdict

from ..store.cut_once import CutOnce
from ..wire.cut_body import Part, joined
from .message_rows import MessageRow
from .written_request import WrittenRequest

WAYS = 8
"""A part of a body is told as one number: this times the number of its text, and the way in which it is written."""


class SharedTexts:
    """Texts by their numbers, as long as there is room."""

    def __init__(self, most: int) -> None:
        self.texts: list[str] = []
        self.room = most
        self._numbers: dict[str, int] = {}
        self._cut = CutOnce()

    def request(self, told: WrittenRequest) -> dict[str, Any] | None:
        """A request whose body is told by numbers; None: there is no room for it."""
        parts = self._parts(told.body)
        if not self._fits([part.text for part in parts]):
            return None
        body = [WAYS * self._number(part.text) + part.way for part in parts]
        return {**asdict(told), "body": "", "parts": body}

    def _parts(self, body: str) -> list[Part]:
        parts = self._cut(body) if body else []
        return parts if joined(parts) == body else [Part(body)]

    def messages(self, told: tuple[MessageRow, ...]) -> list[dict[str, Any]] | None:
        """Messages whose texts are told by numbers."""
        if not self._fits([row.text for row in told]):
            return None
        return [{**asdict(row), "text": "", "at": self._number(row.text)} for row in told]

    def take(self, size: int) -> bool:
        """Whether there is room for so many characters that nothing shares; then they are taken."""
        fits = size <= self.room
        self.room -= size if fits else 0
        return fits

    def _fits(self, texts: list[str]) -> bool:
        return sum(len(text) for text in {*texts} if text not in self._numbers) <= self.room

    def _number(self, text: str) -> int:
        if text not in self._numbers:
            self._numbers[text] = len(self.texts)
            self.texts.append(text)
            self.room -= len(text)
        return self._numbers[text]
