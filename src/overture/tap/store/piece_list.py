"""The pieces of a call as one small value: which texts, in which order, and what each of them is.

A conversation is sent again with every call, and grows. Rows for each piece of each call would grow with its square;
here a call of a thousand pieces takes some hundred bytes, because texts that came one after the other lie one after
the other, and differences that are all alike compress to nearly nothing.
"""

import zlib
from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from operator import sub
from typing import NamedTuple

import msgspec

from ..call import CallPiece, PieceKind

Sort = tuple[PieceKind, str, str]
"""What a piece is: its kind, its name, what it holds."""


class _Columns(msgspec.Struct, array_like=True, frozen=True):
    texts: list[int]
    sorts: list[int]
    messages: list[int]
    marks: list[int]


class PieceColumns(NamedTuple):
    """What the pieces of a call are, without their texts."""

    names: dict[Sort, int]
    """The sorts, in the order in which they come, each with the index of its first piece. They are the same from call
    to call, and kept like a text."""
    sorts: list[int]
    messages: list[int]
    marks: list[int]
    """The indexes of pieces with a mark."""


NO_PIECES = PieceColumns({}, [], [], [])


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
    return PieceColumns(
        names,
        extend_steps(known.sorts[:shared], sorts),
        extend_steps(known.messages[:shared], messages),
        known.marks[: bisect_left(known.marks, shared)] + marks,
    )


def pack_list(columns: PieceColumns, texts: list[int]) -> bytes:
    """The pieces without their texts, whose numbers are given as steps."""
    return zlib.compress(msgspec.msgpack.encode(_Columns(texts, *columns[1:])), 6)


def read_text_numbers(data: bytes) -> list[int]:
    """The numbers of the texts that a list names."""
    return list(accumulate(_decode_columns(data).texts))


PieceRow = tuple[int, int, int, bool]
"""A piece: the number of its text, the number of its sort, its message or -1, and whether it has a mark."""


def unpack_rows(data: bytes) -> list[PieceRow]:
    """The pieces again, by numbers."""
    columns = _decode_columns(data)
    texts, sorts, messages = map(accumulate, (columns.texts, columns.sorts, columns.messages))
    marks = [False] * len(columns.texts)
    for index in columns.marks:
        marks[index] = True
    return list(zip(texts, sorts, messages, marks, strict=True))


def make_piece(row: PieceRow, text: str, sorts: Sequence[Sort]) -> CallPiece:
    """The piece of a row."""
    kind, name, what = sorts[row[1]]
    return CallPiece(kind, name, text, what, row[3], None if row[2] == -1 else row[2])


def _decode_columns(data: bytes) -> _Columns:
    return msgspec.msgpack.decode(zlib.decompress(data), type=_Columns)


def compute_steps(numbers: Sequence[int]) -> list[int]:
    """Each as its difference from the one before it."""
    return extend_steps([], numbers)


def extend_steps(steps: list[int], numbers: Sequence[int]) -> list[int]:
    """Differences, and those of numbers that follow."""
    return [*steps, *map(sub, numbers, (sum(steps), *numbers))]
