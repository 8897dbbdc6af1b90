"""Sheet -> SavedPrompt: a sheet holds all that reports on saved prompts ask for."""

from ...model.prompt.saved import SavedBlock, SavedMessage, SavedPart, SavedPrompt, Tokens
from ...model.source import Source
from .sheet import Sheet, SheetBlock


def as_prompt(sheet: Sheet) -> SavedPrompt:
    """The prompt of a sheet, as far as it can be compared with another."""
    blocks: list[SavedBlock] = []
    at = 0
    for block in sheet.blocks:
        at += len(block.before)
        blocks.append(_block(sheet, block, at))
        at += block.chars
    return SavedPrompt(
        recipe=sheet.recipe,
        text=sheet.text,
        fingerprint=sheet.fingerprint,
        chars=sheet.chars,
        tokens=Tokens(sheet.tokens, sheet.tokenizer, sheet.exact),
        blocks=tuple(blocks),
        messages=tuple(SavedMessage(block.name, block.text) for block in sheet.messages),
        omitted=(),
        cuts=(),
        diagnostics=(),
        inputs=sheet.inputs,
    )


def _block(sheet: Sheet, block: SheetBlock, at: int) -> SavedBlock:
    parts: list[SavedPart] = []
    here = at
    for piece in block.pieces:
        row = sheet.sources[piece.source]
        source = Source(row.kind, path=row.path, line=piece.line, name=row.name)
        parts.append(SavedPart(here, here + len(piece.text), piece.tokens, source, row.tier))
        here += len(piece.text)
    return SavedBlock(block.name, at, here, block.pace, block.tokens, block.reads, tuple(parts))
