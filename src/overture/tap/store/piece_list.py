"""The pieces of a call as one small value: which texts, in which order, and what each of them is.

A conversation is sent again with every call, and grows. Rows for each piece of each call would grow with its square;
here a call of a thousand pieces takes some hundred bytes, because texts that came one after the other lie one after
the other, and differences that are all alike compress to nearly nothing.
"""

import zlib
from collections.abc import Iterable, Sequence
from itertools import accumulate, pairwise

import msgspec

from ..call import CallPiece, PieceKind

Sort = tuple[PieceKind, str, str]
"""What a piece is: its kind, its name, what it holds."""


class _Columns(msgspec.Struct, array_like=True, frozen=True):
    texts: list[int]
    sorts: list[int]
    messages: list[int]
    marks: list[int]


def list_sorts(pieces: Iterable[CallPiece]) -> tuple[Sort, ...]:
    """Which sorts of pieces there are, in order. It is the same from call to call, and kept like a text."""
    return tuple(dict.fromkeys((piece.kind, piece.name, piece.what) for piece in pieces))


def pack_list(pieces: Sequence[CallPiece], texts: Sequence[int], sorts: Sequence[Sort]) -> bytes:
    """The pieces without their texts, whose numbers are given."""
    numbers = {sort: number for number, sort in enumerate(sorts)}
    return zlib.compress(msgspec.msgpack.encode(_Columns(
        compute_steps(texts),
        compute_steps([numbers[piece.kind, piece.name, piece.what] for piece in pieces]),
        compute_steps([-1 if piece.message is None else piece.message for piece in pieces]),
        [index for index, piece in enumerate(pieces) if piece.mark],
    )), 6)  # fmt: skip


def read_text_numbers(data: bytes) -> list[int]:
    """The numbers of the texts that a list names."""
    return list(accumulate(_decode_columns(data).texts))


def unpack_list(data: bytes, texts: Sequence[str], sorts: Sequence[Sort]) -> tuple[CallPiece, ...]:
    """The pieces again."""
    columns = _decode_columns(data)
    marks = set(columns.marks)
    rows = zip(texts, accumulate(columns.sorts), accumulate(columns.messages), strict=True)
    return tuple(
        _make_piece(sorts[sort], text, index in marks, None if message == -1 else message)
        for index, (text, sort, message) in enumerate(rows)
    )


def _make_piece(sort: Sort, text: str, mark: bool, message: int | None) -> CallPiece:
    kind, name, what = sort
    return CallPiece(kind, name, text, what, mark, message)


def _decode_columns(data: bytes) -> _Columns:
    return msgspec.msgpack.decode(zlib.decompress(data), type=_Columns)


def compute_steps(numbers: Sequence[int]) -> list[int]:
    """Each as its difference from the one before it."""
    return [*numbers[:1], *(after - before for before, after in pairwise(numbers))]
