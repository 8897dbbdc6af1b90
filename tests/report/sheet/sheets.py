"""Prompt -> Sheet for tests, and the way back: the source text before sanitizing."""

from overture import Prompt
from overture.known_models.model_table import find_facts, packaged_table
from overture.model.prompt.block import Block
from overture.model.recipe.body import node_text
from overture.report.context import measure_context
from overture.report.sheet.make_sheet import make_sheet
from overture.report.sheet.sheet import Mark, Sheet, SheetBlock, SheetContext, SheetPlace
from overture.text.normalize import normalize_newlines

FACTS = find_facts(packaged_table(), "anthropic")


def sheet_of(prompt: Prompt) -> Sheet:
    """The sheet of a prompt, of no turn in particular."""
    return make_sheet(prompt, SheetContext(measure_context(prompt, (), ()), FACTS, "anthropic", place=SheetPlace("/p")))


def marks_in(sheet: Sheet) -> list[Mark]:
    """Every mark of a sheet."""
    return [piece.mark for block in (*sheet.blocks, *sheet.messages) for piece in block.pieces if piece.mark]


def pairs(prompt: Prompt, sheet: Sheet) -> list[tuple[Block, SheetBlock]]:
    """Each block, and what the sheet says of it."""
    both = [*zip(prompt.blocks, sheet.blocks, strict=True), *zip(prompt.messages, sheet.messages, strict=True)]
    return both


def restored(block: SheetBlock) -> str:
    """The text of the block in its sources: with the original in the place of each mark."""
    return "".join(p.mark.was if p.mark and p.mark.kind != "cut" else p.text for p in block.pieces)


def before_sanitizing(block: Block) -> str:
    """The text of the section before sanitizing, in its frame."""
    frame = block.section.frame
    inner = normalize_newlines(node_text(block.body)).strip()
    return f"{frame.before.strip()} {inner} {frame.after.strip()}".strip() if frame else inner


def unframed(block: Block, text: str) -> str:
    """A block's text as `before_sanitizing` gives it."""
    frame = block.section.frame
    text = normalize_newlines(text)
    if frame is None:
        return text.strip()
    assert text.startswith(frame.before)
    assert text.endswith(frame.after)
    inner = text[len(frame.before) : len(text) - len(frame.after)].strip()
    return f"{frame.before.strip()} {inner} {frame.after.strip()}".strip()
