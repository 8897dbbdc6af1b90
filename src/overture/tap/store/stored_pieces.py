"""The pieces of calls as they are kept; of a call that begins like one before it, only what is new is looked up."""

from collections.abc import Sequence
from typing import NamedTuple

from ..call import CallPiece, RecordedCall
from ..shared_start import RecentSequences, SharedStart
from .piece_list import NO_PIECES, PieceColumns, extend_steps, make_columns, pack_list
from .stored_call import write_json
from .stored_texts import NamedText, StoredTexts


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
    """Lists of pieces, written one after the other."""

    def __init__(self, texts: StoredTexts) -> None:
        self._texts = texts
        self._generation = texts.generation
        self._recent = RecentSequences[CallPiece, KeptPieces](KeptPieces(NO_PIECES))

    def prepare(self, call: RecordedCall) -> NewPieces:
        """What will be kept; it takes a while and needs no database."""
        if self._generation != self._texts.generation:
            self._generation = self._texts.generation
            self._recent.clear()
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
