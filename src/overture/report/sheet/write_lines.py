"""Sheets -> lines. What is the same as on a turn before is named by its digest, and not encoded again."""

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import asdict, replace

from .line import AGE, APART, Header, Line, PublishedTurn, Ref
from .sheet import SheetBlock
from .turn_row import Shown, TurnRow

SHORT = 200
"""Bytes up to which a field stands in the turn's own line."""


def header_line(header: Header) -> bytes:
    """The first line."""
    return _line(header)


def end_line(at: str) -> bytes:
    """The last one."""
    return _line(Line(ended=at))


class Written:
    """What a file holds already. Lives for one file."""

    def __init__(self) -> None:
        self.turns = 0
        self.known: dict[str, int] = {}
        """The turn that last named each part."""
        self.kept: dict[str, tuple[Any, Ref]] = {}
        """What each field was on the turn before: the very object is not looked at again."""

    def lines(self, shown: Shown, row: TurnRow) -> bytes:
        """The lines that one more turn takes: parts that are new, then the turn."""
        self.turns += 1
        out: list[bytes] = []
        context = dict(self._fields("context.", shown.sheet.context, out))
        sheet = dict(self._fields("", shown.sheet, out))
        turn = PublishedTurn(row, sheet, context, self._field("tools as sent", shown.tools, out))
        out.append(_line(Line(turn=Raw(msgspec.json.encode(turn)))))
        self._forget()
        return b"".join(out)

    def _fields(self, where: str, struct: Struct, out: list[bytes]) -> Iterator[tuple[str, Ref]]:
        for name, value in asdict(struct).items():
            if where + name != "context":
                yield name, self._field(where + name, value, out)

    def _field(self, key: str, value: Any, out: list[bytes]) -> Ref:
        had = self.kept.get(key)
        ref = had[1] if had is not None and had[0] is value else None
        if ref is None or any(name not in self.known for name in ref.names):
            ref = self._blocks(value, out) if key in APART else self._ref(msgspec.json.encode(value), out)
            self.kept[key] = value, ref
        self.known.update(dict.fromkeys(ref.names, self.turns))
        return ref

    def _ref(self, data: bytes, out: list[bytes]) -> Ref:
        return Ref(value=Raw(data)) if len(data) <= SHORT else Ref(part=self._part(data, out))

    def _blocks(self, blocks: Sequence[SheetBlock], out: list[bytes]) -> Ref:
        # Every share moves when one section does; the reader works it out.
        texts = (msgspec.json.encode(replace(block, share=0.0)) for block in blocks)
        return Ref(parts=tuple(self._part(text, out) for text in texts))

    def _part(self, data: bytes, out: list[bytes]) -> str:
        name = hashlib.blake2b(data, digest_size=12).hexdigest()
        if name not in self.known:
            out.append(_line(Line(part=name, value=Raw(data))))
        self.known[name] = self.turns
        return name

    def _forget(self) -> None:
        """Parts that nobody named for long; the reader keeps them twice as long."""
        if self.turns % (AGE // 4) == 0:
            self.known = {name: turn for name, turn in self.known.items() if self.turns - turn < AGE // 2}


def _line(struct: Struct) -> bytes:
    return msgspec.json.encode(struct) + b"\n"
