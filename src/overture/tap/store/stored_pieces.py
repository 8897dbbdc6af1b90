"""The pieces of calls as they are kept; of a call that begins like one before it, only what is new is looked up."""

from collections.abc import Sequence
from typing import NamedTuple

from ..call import CallPiece, RecordedCall
from ..shared_start import RecentSequences, SharedStart
from .piece_list import NO_PIECES, PieceColumns, make_columns, pack_list
from .stored_call import write_json
from .stored_texts import StoredTexts


class KeptPieces(NamedTuple):
    """Pieces that are in the store, and the numbers of their texts."""

    columns: PieceColumns
    numbers: list[int]


class NewPieces(NamedTuple):
    """The pieces of a call, ready to be kept."""

    start: SharedStart[KeptPieces]
    columns: PieceColumns
    texts: list[tuple[bytes, str]]
    """With their names: the reply, the sorts, and the text of each piece behind the start."""
    generation: int
    """Of the numbers that the start holds."""


class StoredPieces:
    """Lists of pieces, written one after the other."""

    def __init__(self, texts: StoredTexts) -> None:
        self._texts = texts
        self._generation = texts.generation
        self._recent = RecentSequences[CallPiece, KeptPieces](KeptPieces(NO_PIECES, []))

    def prepare(self, call: RecordedCall) -> NewPieces:
        """What will be kept; it takes a while and needs no database."""
        if self._generation != self._texts.generation:
            self._generation = self._texts.generation
            self._recent.clear()
        start = self._recent.find_start(call.pieces)
        columns = make_columns(call.pieces, start.length, start.value.columns)
        new = (piece.text for piece in call.pieces[start.length :])
        texts = self._texts.add_digests([call.reply, write_json(columns.names), *new])
        return NewPieces(start, columns, texts, self._generation)

    def pack(self, call: RecordedCall, new: NewPieces, numbers: Sequence[int]) -> tuple[int, int, bytes]:
        """The numbers of the reply and of the sorts, and the list; the texts have got these numbers."""
        reply, sorts, *added = numbers
        kept = KeptPieces(new.columns, new.start.value.numbers[: new.start.length] + added)
        self._recent.add(call.pieces, kept, call.pieces[new.start.length :])
        return reply, sorts, pack_list(kept.columns, kept.numbers)
