"""The pieces of calls as they are kept; of a call that begins like one before it, only what is new is looked up."""

import json
from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from ..call import CallPiece, RecordedCall
from ..shared_start import RecentSequences, SharedStart
from .piece_list import (
    NO_PIECES,
    PieceColumns,
    PieceRow,
    Sort,
    extend_steps,
    make_columns,
    make_piece,
    pack_list,
    unpack_rows,
)
from .stored_call import write_json
from .stored_texts import MAX_HELD_CHARS, NamedText, StoredTexts

ReadTexts = Callable[[Sequence[int]], dict[int, str]]


class KeptPieces:
    """Pieces that are in the store, or will be in a moment."""

    __slots__ = ("columns", "texts")

    def __init__(self, columns: PieceColumns) -> None:
        self.columns = columns
        self.texts: list[int] = []
        """The numbers of their texts, each as its difference from the one before; none before they are written."""


class NewPieces(NamedTuple):
    """The pieces of a call, ready to be kept."""

    start: SharedStart[KeptPieces]
    kept: KeptPieces
    texts: list[NamedText]
    """The reply, the sorts, and the text of each piece behind the start."""


class StoredPieces:
    """Lists of pieces, written and read one after the other."""

    def __init__(self, texts: StoredTexts) -> None:
        self._texts = texts
        self._generation = texts.generation
        self._recent = RecentSequences[CallPiece, KeptPieces](KeptPieces(NO_PIECES))
        self._held: dict[int, dict[PieceRow, CallPiece]] = {}
        """Pieces that were read, by the number of their sorts."""
        self._held_chars = 0

    def prepare(self, call: RecordedCall) -> NewPieces:
        """What will be kept; it takes a while and needs no database."""
        self._notice_removals()
        start = self._recent.find_start(call.pieces)
        kept = KeptPieces(make_columns(call.pieces, start.length, start.value.columns))
        new = call.pieces[start.length :]
        self._recent.add(call.pieces, kept, new)
        sent = [call.reply, write_json([*kept.columns.names]), *(piece.text for piece in new)]
        return NewPieces(start, kept, self._texts.add_digests(sent))

    def pack(self, new: NewPieces, numbers: Sequence[int]) -> tuple[int, int, bytes]:
        """The numbers of the reply and of the sorts, and the list; calls are packed in the order of `prepare`."""
        reply, sorts, *added = numbers
        new.kept.texts = extend_steps(new.start.value.texts[: new.start.length], added)
        return reply, sorts, pack_list(new.kept.columns, new.kept.texts)

    def read(self, data: bytes, sorts: int, read_texts: ReadTexts) -> tuple[CallPiece, ...]:
        """The pieces of a list; those that were read before are the same objects, and need no text."""
        self._notice_removals()
        if self._held_chars > MAX_HELD_CHARS:
            self._forget_held()
        rows, held = unpack_rows(data), self._held.setdefault(sorts, {})
        new = dict.fromkeys([row for row in rows if row not in held])
        if new or not rows:
            texts = read_texts([sorts, *(row[0] for row in new)])
            names = msgspec.convert(json.loads(texts[sorts]), list[Sort])
            held.update({row: make_piece(row, texts[row[0]], names) for row in new})
            self._held_chars += sum(len(texts[row[0]]) for row in new)
        return tuple(map(held.__getitem__, rows))

    def _notice_removals(self) -> None:
        if self._generation != self._texts.generation:
            self._generation = self._texts.generation
            self._recent.clear()
            self._forget_held()

    def _forget_held(self) -> None:
        self._held.clear()
        self._held_chars = 0
