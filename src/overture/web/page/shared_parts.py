"""Two turns after each other -> the later one, made of the earlier one's parts where they are the same.

Most of a prompt stays as it is from turn to turn: kept once, two hundred turns take hardly more room than a few.
"""

from typing import Any

from msgspec.structs import replace

from ...report.sheet.compare_sheets import SheetWithTools
from ...report.sheet.sheet import Sheet, SheetBlock, SheetPiece

WHOLE = ("omitted", "sources", "cuts", "problems", "paces", "context", "price", "inputs")
"""Fields that are taken over as a whole, or not at all."""


def sharing(shown: SheetWithTools, before: SheetWithTools | None) -> SheetWithTools:
    """The same, with as little of its own as can be."""
    if before is None:
        return shown
    tools = before.tools if before.tools == shown.tools else shown.tools
    return SheetWithTools(_sheet(shown.sheet, before.sheet), tools)


def _sheet(sheet: Sheet, before: Sheet) -> Sheet:
    texts = {piece.text: piece.text for block in (*before.blocks, *before.messages) for piece in block.pieces}
    known = {block.name: block for block in (*before.blocks, *before.messages)}
    changes: dict[str, Any] = {
        name: tuple(_block(block, known.get(block.name), texts) for block in getattr(sheet, name))
        for name in ("blocks", "messages")
    }
    changes |= {name: old for name in WHOLE if (old := getattr(before, name)) == getattr(sheet, name)}
    return replace(sheet, **changes)


def _block(block: SheetBlock, before: SheetBlock | None, texts: dict[str, str]) -> SheetBlock:
    if block == before:
        return before
    return replace(block, pieces=tuple(_piece(piece, texts) for piece in block.pieces))


def _piece(piece: SheetPiece, texts: dict[str, str]) -> SheetPiece:
    known = texts.get(piece.text)
    return piece if known is None else replace(piece, text=known)
