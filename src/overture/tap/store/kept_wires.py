"""The wires of a store's calls. What writes here is called while the store is being written to."""

from collections.abc import Iterator
from typing import NamedTuple

from msgspec.structs import replace

from ..databases.database import BROKEN, Database, as_blob
from ..wire.call_wire import CallWire
from ..wire.hide_events import hide_events
from .columns import column
from .cut_once import CutOnce, hide
from .kept_texts import KeptTexts
from .pack_wire import (
    head_text,
    pack_answer,
    pack_body,
    pack_head,
    texts_in_body,
    unpack_answer,
    unpack_body,
    unpack_head,
)

MOST_LIKE = 64
"""Heads that others are compared with."""


class CutWire(NamedTuple):
    """A wire, ready to be kept."""

    texts: tuple[str, ...]
    """The head that it is like, and the parts of its body."""
    head: bytes
    ways: tuple[int, ...] | None
    """Of the parts of its body; None where that was not kept."""
    response: bytes


class KeptWires:
    """Wires by the numbers of their calls."""

    def __init__(self, database: Database, texts: KeptTexts) -> None:
        self.database, self._texts = database, texts
        self._cut = CutOnce()
        self._like: dict[tuple[str, ...], str] = {}

    def cut(self, wire: CallWire) -> CutWire:
        """What will be kept of it, without secrets; it takes a while and needs no database."""
        head = head_text(wire)
        names = tuple(name for name, _ in (*wire.request_headers, *wire.response_headers))
        if len(self._like) > MOST_LIKE:
            self._like.clear()
        like = self._like.setdefault(names, head)
        parts = self._cut(wire.request) if wire.request is not None else []
        answer = wire.events if wire.events is None else hide_events(wire.events, hide)
        return CutWire(
            (like, *(part.text for part in parts)),
            pack_head(head, like),
            None if wire.request is None else tuple(part.way for part in parts),
            pack_answer(answer),
        )

    def keep(self, cut: CutWire, call: str, numbers: list[int]) -> None:
        """Write one, whose texts have these numbers."""
        like, *texts = numbers
        body = b"" if cut.ways is None else pack_body(texts, cut.ways)
        self.database.run(
            "INSERT INTO wires (number, base, head, request, response) SELECT number, ?, ?, ?, ? FROM calls "
            "WHERE id = ?",
            (like, cut.head, body, cut.response, column(call)),
        )

    def read(self, call: str) -> CallWire | None:
        """That of a call; None where there is none."""
        sql = "SELECT base, head, request, response FROM wires WHERE number = (SELECT number FROM calls WHERE id = ?)"
        rows = self.database.run(sql, (column(call),))
        if not rows:
            return None
        base, head, request, response = rows[0]
        numbers = texts_in_body(as_blob(request))
        texts = self._texts.read([base, *numbers])
        body = unpack_body(as_blob(request), [texts[number] for number in numbers]) if request else None
        wire = unpack_head(as_blob(head), texts[base])
        return replace(wire, request=body, events=unpack_answer(as_blob(response)))


def texts_of_wires(database: Database, broken: list[int]) -> Iterator[int]:
    """The numbers of all texts that wires name; the numbers of those that can't be read are added to `broken`."""
    for number, base, request in database.run("SELECT number, base, request FROM wires"):
        yield base
        try:
            yield from texts_in_body(as_blob(request))
        except BROKEN:
            broken.append(number)
