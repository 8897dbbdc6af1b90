"""The pieces of calls in a store, as lists of the numbers of their texts; only what is new in a call is looked up.

A conversation is sent again with every call, and grows. Rows for each piece of each call would grow with its square;
here a call of a thousand pieces takes some hundred bytes, because texts that came one after the other are one after
the other, and differences that are all alike compress to nearly nothing.
"""

import json
import zlib
from bisect import bisect_left
from collections.abc import Callable, Sequence
from itertools import accumulate
from operator import sub
from typing import NamedTuple

import msgspec

from ...text.normalize import count_common_start
from ..recorded_call import CallPiece, PieceKind, RecordedCall
from ..shared_prefix import RecentSequences, SharedStart
from .database import encode_ascii_json
from .stored_texts import NamedText, StoredTexts

Sort = tuple[PieceKind, str, str]
"""What a piece is: its kind, its name, what it holds."""


class StoredColumns(msgspec.Struct, array_like=True, frozen=True):
    """The list of a call as it is kept; all but the marks and their lifetimes are differences."""

    texts: list[int]
    sorts: list[int]
    messages: list[int]
    marks: list[int]
    ttls: dict[int, str] = {}

    def __len__(self) -> int:
        return len(self.texts)


class PieceColumns(NamedTuple):
    """What the pieces of a call are, without their texts."""

    names: dict[Sort, int]
    """The sorts, in the order in which they come, each with the index of its first piece. They are the same from call
    to call, and kept like a text."""
    sorts: list[int]
    messages: list[int]
    marks: list[int]
    """The indexes of pieces with a mark."""
    ttls: dict[int, str]
    """The lifetimes that marks request, by the index of the piece."""


NO_PIECES = PieceColumns({}, [], [], [], {})


def make_columns(pieces: Sequence[CallPiece], shared: int = 0, known: PieceColumns = NO_PIECES) -> PieceColumns:
    """The columns of pieces, the first of which are also the first of those that are known."""
    new = pieces[shared:]
    names = {name: first for name, first in known.names.items() if first < shared}
    for index, piece in enumerate(new, shared):
        names.setdefault((piece.kind, piece.name, piece.what), index)
    numbers = {name: number for number, name in enumerate(names)}
    sorts = [numbers[piece.kind, piece.name, piece.what] for piece in new]
    messages = [-1 if piece.message is None else piece.message for piece in new]
    marks = [index for index, piece in enumerate(new, shared) if piece.mark]
    ttls = {index: ttl for index, ttl in known.ttls.items() if index < shared}
    return PieceColumns(
        names,
        extend_steps(known.sorts[:shared], sorts),
        extend_steps(known.messages[:shared], messages),
        known.marks[: bisect_left(known.marks, shared)] + marks,
        ttls | {index: piece.ttl for index, piece in enumerate(new, shared) if piece.ttl},
    )


def pack_list(columns: PieceColumns, texts: list[int]) -> bytes:
    """The pieces without their texts, whose numbers are given as steps."""
    return zlib.compress(msgspec.msgpack.encode(StoredColumns(texts, *columns[1:])), 6)


def read_text_numbers(data: bytes) -> list[int]:
    """The numbers of the texts that a list names."""
    return list_numbers(unpack_columns(data).texts)


def count_shared(columns: StoredColumns, others: StoredColumns) -> int:
    """How many pieces two lists have in common from their start."""
    shared = count_common_start(columns.texts, others.texts)
    for steps, other in ((columns.sorts, others.sorts), (columns.messages, others.messages)):
        if steps[:shared] != other[:shared]:  # most often, the same texts are the same pieces
            shared = count_common_start(steps[:shared], other[:shared])
    other_ttls = (index for index, _ in columns.ttls.items() ^ others.ttls.items())
    return min([shared, *({*columns.marks} ^ {*others.marks}), *other_ttls])


def unpack_columns(data: bytes) -> StoredColumns:
    """The list of a call, by numbers."""
    return msgspec.msgpack.decode(zlib.decompress(data), type=StoredColumns)


def list_numbers(steps: list[int], start: int = 0) -> list[int]:
    """The numbers of which these are the differences, from one of them on."""
    return [*accumulate(steps[start:], initial=sum(steps[:start]))][1:]


def make_pieces(columns: StoredColumns, start: int, texts: Sequence[str], sorts: Sequence[Sort]) -> list[CallPiece]:
    """The pieces from one of them on, which have these texts."""
    marks, pieces = {*columns.marks}, list[CallPiece]()
    rows = zip(texts, list_numbers(columns.sorts, start), list_numbers(columns.messages, start), strict=True)
    for index, (text, sort, message) in enumerate(rows, start):
        kind, name, what = sorts[sort]
        at, ttl = None if message == -1 else message, columns.ttls.get(index, "")
        pieces.append(CallPiece(kind, name, text, what, index in marks, at, ttl))
    return pieces


def extend_steps(steps: list[int], numbers: Sequence[int]) -> list[int]:
    """Differences, and those of numbers that follow."""
    return [*steps, *map(sub, numbers, (sum(steps), *numbers))]


ReadTexts = Callable[[Sequence[int]], dict[int, str]]


class KeptPieces:
    """Pieces that are in the store, or will be in a moment."""

    __slots__ = ("columns", "texts")

    def __init__(self, columns: PieceColumns) -> None:
        """Pieces whose texts have no numbers in the store yet."""
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
    """Pieces that were read, their sorts, and the number of the text that lists the sorts."""

    sorts: int
    names: list[Sort]
    pieces: tuple[CallPiece, ...]


class StoredPieces:
    """Lists of pieces, written and read one after the other."""

    def __init__(self, texts: StoredTexts) -> None:
        """Begin without lists of pieces; `texts` has their texts."""
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
        sent = [call.reply, encode_ascii_json([*kept.columns.names]), *(piece.text for piece in new)]
        return NewPieces(start, kept, self._texts.add_digests(sent))

    def pack(self, new: NewPieces, numbers: Sequence[int]) -> tuple[int, int, bytes]:
        """The numbers of the reply and of the sorts, and the list; calls are packed in the order of `prepare`."""
        reply, sorts, *added = numbers
        new.kept.texts = extend_steps(new.start.value.texts[: new.start.length], added)
        return reply, sorts, pack_list(new.kept.columns, new.kept.texts)

    def read(self, data: bytes, sorts: int, reply: int, read_texts: ReadTexts) -> tuple[tuple[CallPiece, ...], str]:
        """The pieces of a list, and the reply; those that it shares with a recent one are the same objects."""
        self._notice_removals()
        columns = unpack_columns(data)
        shared, known = self._read.find_start(columns)
        shared = shared if known.sorts == sorts else 0
        numbers = list_numbers(columns.texts, shared)
        texts = read_texts([reply, sorts, *numbers])
        names = known.names if known.sorts == sorts else msgspec.convert(json.loads(texts[sorts]), list[Sort])
        new = make_pieces(columns, shared, [texts[number] for number in numbers], names)
        pieces = (*known.pieces[:shared], *new)
        self._read.add(columns, ReadPieces(sorts, names, pieces), new)
        return pieces, texts[reply]

    def _notice_removals(self) -> None:
        """Forget remembered pieces once texts may have been removed from the store."""
        if self._generation != self._texts.generation:
            self._generation = self._texts.generation
            self._recent.clear()
            self._read.clear()
