"""Two sheets are compared: as one row of the history, or section by section with words and cache effect."""

import re
from collections.abc import Callable, Sequence
from typing import Annotated

from ...known_models.model_facts import ModelFacts
from ...model.struct import Frozen, note
from ...text.normalize import first_difference
from ..cache.cause_of_miss import CacheTurn
from ..cache.predict_cache import PredictedCache, TimedTurn, TurnNote
from ..diff import BlockChange, BlockDiff, diff
from ..text_diff import WordRun, diff_words
from .sheet import Sheet, SheetPiece, SheetWithTools, sheet_as_prompt

CountTokens = Callable[[str], int]


class ChangedBlock(Frozen, frozen=True, omit_defaults=False):
    """One section that changed."""

    name: str
    how: Annotated[str, note("rewritten, added or removed")]
    because: tuple[str, ...] = ()
    why: str = ""


class TurnRow(Frozen, frozen=True, omit_defaults=False):
    """One row of the history."""

    turn: int
    at: str
    cause: str
    tokens: int
    chars: int
    changed: tuple[ChangedBlock, ...] = ()
    first: Annotated[int | None, note("the first byte that differs from the previous row")] = None
    cached: Annotated[int, note("predicted tokens read from the cache")] = 0
    cost: float | None = None
    uncached: float | None = None
    broken: str | None = None
    whole: Annotated[int, note("tokens of tools and system prompt, of which `cached` is a part; 0: unknown")] = 0


def make_turn_row(sheet: Sheet, before: Sheet | None, cache: TurnNote, cause: str) -> TurnRow:
    """The row of a sheet, with what changed since the one before it."""
    first = first_difference(before.text, sheet.text) if before else None
    return TurnRow(
        sheet.turn,
        sheet.at,
        cause,
        sheet.tokens,
        sheet.chars,
        find_changed_blocks(before, sheet),
        None if first is None else len(sheet.text[:first].encode("utf-8", "surrogatepass")),
        cache.cached,
        cache.cost,
        cache.uncached,
        broken=sheet.broken,
        whole=0 if sheet.lacks_own_prompt else cache.tokens,
    )


CHANGE_WORDS = {"changed": "rewritten"}


def find_changed_blocks(before: Sheet | None, sheet: Sheet) -> tuple[ChangedBlock, ...]:
    """The sections that differ."""
    if before is None:
        return tuple(ChangedBlock(block.name, "added") for block in sheet.blocks)
    changed = diff(sheet_as_prompt(before), sheet_as_prompt(sheet)).changed
    return tuple(
        ChangedBlock(each.name, CHANGE_WORDS.get(each.change, each.change), each.because, each.why) for each in changed
    )


def predict_cache_between(
    before: SheetWithTools | None, now: SheetWithTools, facts: ModelFacts, count: CountTokens
) -> TurnNote:
    """The predicted cache reads of a turn right after another."""
    cache = PredictedCache(facts, count)
    if before is not None:
        cache.take(_make_timed_turn(before))
    return cache.take(_make_timed_turn(now))


def _make_timed_turn(shown: SheetWithTools) -> TimedTurn:
    return TimedTurn(CacheTurn(sheet_as_prompt(shown.sheet), shown.tools), None)


class BlockDifference(Frozen, frozen=True, omit_defaults=False):
    """How one section differs."""

    name: str
    change: BlockChange
    because: Annotated[tuple[str, ...], note("the fields of the state that it reads and that changed")]
    why: str
    words: tuple[WordRun, ...]


class SheetCacheEffect(Frozen, frozen=True, omit_defaults=False):
    """The predicted cache reads of the later prompt, right after the earlier one."""

    tokens: Annotated[int, note("tools and system prompt")]
    common: Annotated[int, note("tokens before the first difference")]
    cached: int
    written: int
    cost: float | None
    uncached: float | None
    model: str
    at_least: Annotated[bool, note("some prices are unknown: the true cost is this or more")] = False
    lacks_own_prompt: Annotated[bool, note("an agent's own text and tools are not counted")] = False


class SheetDifference(Frozen, frozen=True, omit_defaults=False):
    """How two turns differ."""

    a: int
    b: int
    first: Annotated[int | None, note("the first byte of the prompt that differs; none: the same text")]
    line: Annotated[int | None, note("of the later prompt, from 1")]
    block: Annotated[str | None, note("the section that contains it")]
    source: Annotated[str | None, note("where the later text there came from")]
    recipes: tuple[str, str]
    tools: Annotated[bool, note("the tools differ: they come before the prompt, so nothing after them stays cached")]
    blocks: tuple[BlockDifference, ...]
    cache: SheetCacheEffect


def compare_sheets(a: Sheet, b: Sheet, cache: TurnNote) -> SheetDifference:
    """The difference of `b` from `a`."""
    patch, text = diff(sheet_as_prompt(a), sheet_as_prompt(b)), b.text
    first = patch.first
    block, source = _find_section_at(b, first) if first is not None else (None, None)
    if first is not None and block is None:
        block = next((each.name for each in patch.changed), None)
    return SheetDifference(
        a.turn,
        b.turn,
        None if first is None else len(text[:first].encode("utf-8", "surrogatepass")),
        None if first is None else text.count("\n", 0, first) + 1,
        block,
        source,
        patch.recipes,
        a.tools != b.tools,
        tuple(_diff_sheet_block(each, a, b) for each in patch.blocks),
        SheetCacheEffect(
            cache.tokens, cache.common, cache.cached, cache.written, cache.cost, cache.uncached, b.price.model,
            cache.at_least or b.lacks_own_prompt, b.lacks_own_prompt,
        ),
    )  # fmt: skip


def _diff_sheet_block(block: BlockDiff, a: Sheet, b: Sheet) -> BlockDifference:
    """How one section of two sheets differs, in words."""
    before, after = block.before, block.after
    others = tuple(name for name in block.because if name != CLOCK)
    is_clock_same = _list_clock_words(a, block.name) == _list_clock_words(b, block.name)
    because = others if is_clock_same and others else block.because
    if block.change == "same":
        before = after = next((each.text for each in b.blocks if each.name == block.name), "")
    return BlockDifference(block.name, block.change, because, block.why, diff_words(before or "", after or ""))


LISTED_PATH = re.compile(r"context_files\[\d+\]\.path")
CLOCK = "now"
"""The field of the State that changes with every build, whether or not the words of a section do."""


def _list_clock_words(sheet: Sheet, name: str) -> list[str]:
    """The words of a section of a sheet that come from the clock."""
    clocks = {index for index, source in enumerate(sheet.sources) if (source.name or "").split(".")[0] == CLOCK}
    pieces = (piece for block in sheet.blocks if block.name == name for piece in block.pieces)
    return [piece.text for piece in pieces if piece.source in clocks]


def _find_section_at(sheet: Sheet, char: int) -> tuple[str | None, str | None]:
    """The section at a character, and the source of the text there."""
    at = 0
    for block in sheet.blocks:
        at += len(block.before)
        if char >= at + block.chars:
            at += block.chars
            continue
        for number, piece in enumerate(block.pieces):
            if char < at + len(piece.text):
                named = _find_named_file(sheet, block.pieces[number:])
                return block.name, named or _format_source_line(
                    sheet, piece.source, piece.line, piece.text[: max(char - at, 0)]
                )
            at += len(piece.text)
    return None, None


def _find_named_file(sheet: Sheet, pieces: Sequence[SheetPiece]) -> str | None:
    """The file that follows its path: a value such as `context_files[0].path` precedes each file."""
    sources = [sheet.sources[piece.source] for piece in pieces]
    if not LISTED_PATH.fullmatch(sources[0].label):
        return None
    return next((source.label for source in sources if source.kind == "file"), None)


def _format_source_line(sheet: Sheet, index: int, line: int | None, before: str) -> str:
    """`AGENTS.md:12`: the line of the text, if the source is a file."""
    source = sheet.sources[index]
    if source.kind != "file" or line is None:
        return source.label
    lines = 0 if source.pinned else before.count("\n")
    return f"{source.label.rpartition(':')[0]}:{line + lines}"
