"""The pieces of calls as they are kept; of a call that begins like one before it, only what is new is looked up."""

import json
from collections.abc import Callable, Sequence
from typing import NamedTuple

import msgspec

from ...text.normalize import count_common_start
from ..call import CallPiece, RecordedCall
from ..shared_prefix import RecentSequences, SharedStart
from .piece_columns import (
    NO_PIECES,
    PieceColumns,
    Sort,
    StoredColumns,
    count_shared,
    extend_steps,
    list_numbers,
    make_columns,
    make_pieces,
    pack_list,
    unpack_columns,
)
from .stored_calls import write_json
from .stored_texts import NamedText, StoredTexts

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


class ReadPieces(NamedTuple):
    """Pieces that were read, their sorts, and the number of the text that tells these."""

    sorts: int
    names: list[Sort]
    pieces: tuple[CallPiece, ...]


class StoredPieces:
    """Lists of pieces, written and read one after the other."""

    def __init__(self, texts: StoredTexts) -> None:
        self._texts = texts
        self._generation = texts.generation
        self._recent = RecentSequences[tuple[CallPiece, ...], KeptPieces](KeptPieces(NO_PIECES), count_common_start)
        self._read = RecentSequences[StoredColumns, ReadPieces](ReadPieces(0, [], ()), count_shared)

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
        """The pieces of a list; those that it shares with a recent one are the same objects."""
        self._notice_removals()
        columns = unpack_columns(data)
        shared, known = self._read.find_start(columns)
        shared = shared if known.sorts == sorts else 0
        numbers = list_numbers(columns.texts, shared)
        texts = read_texts([sorts, *numbers])
        names = known.names if known.sorts == sorts else msgspec.convert(json.loads(texts[sorts]), list[Sort])
        new = make_pieces(columns, shared, [texts[number] for number in numbers], names)
        pieces = (*known.pieces[:shared], *new)
        self._read.add(columns, ReadPieces(sorts, names, pieces), new)
        return pieces

    def _notice_removals(self) -> None:
        if self._generation != self._texts.generation:
            self._generation = self._texts.generation
            self._recent.clear()
            self._read.clear()
