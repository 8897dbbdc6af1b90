"""The pieces of a call that are its prompt, and where each stands where they are shown as one text."""

from typing import NamedTuple

from ..call import RecordedCall
from ..judge.conversation_names import is_from_model

JOIN = "\n\n"
"""Between the pieces of a prompt, where they are shown as one text."""


class PlacedPiece(NamedTuple):
    """A piece of a call in the text of its prompt."""

    piece: int
    start: int
    text: str


def place_pieces(call: RecordedCall) -> list[PlacedPiece]:
    """The system prompt, and the texts before a model first speaks: programs put instructions there, too."""
    pieces: list[PlacedPiece] = []
    at = 0
    for index, piece in enumerate(call.pieces):
        if piece.kind == "message" and is_from_model(piece):
            break
        if piece.kind != "tool" and piece.what == "text":
            pieces.append(PlacedPiece(index, at, piece.text))
            at += len(piece.text) + len(JOIN)
    return pieces
