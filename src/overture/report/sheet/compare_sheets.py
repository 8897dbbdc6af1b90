"""Two sheets -> how they differ: the first byte and its cause, each section by words, and what a cache makes of it."""

from collections.abc import Sequence
from typing import Annotated

from ...model.struct import Frozen, note
from ..cache.cause_of_miss import Blame
from ..cache.shared_prefix import TurnNote
from ..diff import BlockDiff, Change, diff
from .sheet import Sheet
from .sheet_as_prompt import as_prompt
from .turn_row import ChangedBlock
from .word_changes import Words, word_changes


class BlockWords(Frozen, frozen=True, omit_defaults=False):
    """What became of one section."""

    name: str
    change: Change
    because: Annotated[tuple[str, ...], note("the fields of the state that it reads and that changed")]
    why: str
    words: tuple[Words, ...]


class CacheEffect(Frozen, frozen=True, omit_defaults=False):
    """What a provider's cache is predicted to give back of the later one, right after the earlier one."""

    tokens: Annotated[int, note("tools and system prompt")]
    common: Annotated[int, note("tokens before the first difference")]
    cached: int
    written: int
    cost: float | None
    uncached: float | None
    expired: bool
    model: str
    blame: Blame | None


class Difference(Frozen, frozen=True, omit_defaults=False):
    """How two turns differ."""

    a: int
    b: int
    first: Annotated[int | None, note("the first byte of the prompt that differs; none: the same text")]
    first_char: int | None
    line: Annotated[int | None, note("of the later prompt, from 1")]
    block: Annotated[str | None, note("the section in which that is")]
    source: Annotated[str | None, note("where the later text at that place came from")]
    inputs: tuple[str, ...]
    recipes: tuple[str, str]
    tools: Annotated[bool, note("the tools differ: they stand before the prompt, and nothing behind them is kept")]
    blocks: tuple[BlockWords, ...]
    cache: CacheEffect


def compare_sheets(a: Sheet, b: Sheet, cache: TurnNote, told: Sequence[ChangedBlock] = ()) -> Difference:
    """The difference of `b` from `a`; `told` are sections of which messages told between the two."""
    patch, text = diff(as_prompt(a), as_prompt(b)), b.text
    first, now = patch.first, {block.name: block.text for block in b.blocks}
    block, source = _at(b, first) if first is not None else (None, None)
    if first is not None and block is None:
        block = next((each.name for each in patch.changed), None)
    return Difference(
        a.turn,
        b.turn,
        None if first is None else len(text[:first].encode("utf-8", "surrogatepass")),
        first,
        None if first is None else text.count("\n", 0, first) + 1,
        block,
        source,
        patch.inputs,
        patch.recipes,
        a.tools != b.tools,
        (*(_words(each, now) for each in patch.blocks), *_told(told)),
        _effect(cache, b),
    )


def _words(block: BlockDiff, now: dict[str, str]) -> BlockWords:
    before, after = block.before, block.after
    if block.change == "same":
        before = after = now.get(block.name, "")
    return BlockWords(block.name, block.change, block.because, block.why, word_changes(before or "", after or ""))


def _told(told: Sequence[ChangedBlock]) -> list[BlockWords]:
    return [BlockWords(each.name, "told", each.because, each.why, ()) for each in told if each.how == "told"]


def _at(sheet: Sheet, char: int) -> tuple[str | None, str | None]:
    """The section at a character, and the source of the text there."""
    at = 0
    for block in sheet.blocks:
        at += len(block.before)
        if char >= at + block.chars:
            at += block.chars
            continue
        for piece in block.pieces:
            if char < at + len(piece.text):
                return block.name, _place(sheet, piece.source, piece.line, piece.text[: max(char - at, 0)])
            at += len(piece.text)
    return None, None


def _place(sheet: Sheet, index: int, line: int | None, before: str) -> str:
    """`AGENTS.md:12`: the line on which it stands, where the source is a file."""
    source = sheet.sources[index]
    if source.kind != "file" or line is None:
        return source.label
    lines = 0 if source.pinned else before.count("\n")
    return f"{source.label.rpartition(':')[0]}:{line + lines}"


def _effect(note: TurnNote, sheet: Sheet) -> CacheEffect:
    return CacheEffect(
        note.tokens, note.common, note.cached, note.written, note.cost, note.uncached, note.expired,
        sheet.price.model, note.blame,
    )  # fmt: skip
