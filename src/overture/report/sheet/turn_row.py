"""A sheet beside the one before it -> one row of the history: what changed, why, and what a cache gives back."""

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Annotated

from ...known_models.model_facts import Facts
from ...model.struct import Frozen, note
from ..cache.cause_of_miss import Turn
from ..cache.shared_prefix import Cache, Timed, TurnNote
from ..diff import diff, first_difference
from .sheet import Sheet
from .sheet_as_prompt import as_prompt

Count = Callable[[str], int]


class ChangedBlock(Frozen, frozen=True, omit_defaults=False):
    """One section that changed."""

    name: str
    how: Annotated[str, note("rewritten, added, removed or told")]
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
    first: Annotated[int | None, note("the first byte that differs from the row before")] = None
    cached: Annotated[int, note("tokens that the cache is predicted to give back")] = 0
    cost: float | None = None
    uncached: float | None = None
    messages: Annotated[int, note("messages of the conversation")] = 0
    broken: str | None = None
    whole: Annotated[int, note("tokens of tools and system prompt: `cached` is a part of them")] = 0


def turn_row(
    sheet: Sheet, before: Sheet | None, cache: TurnNote, cause: str, changed: Sequence[ChangedBlock] | None = None
) -> TurnRow:
    """The row of a sheet. Without `changed`, what changed is told from the two sheets."""
    first = first_difference(before.text, sheet.text) if before else None
    return TurnRow(
        sheet.turn,
        sheet.at,
        cause,
        sheet.tokens,
        sheet.chars,
        changed_blocks(before, sheet) if changed is None else tuple(changed),
        None if first is None else len(sheet.text[:first].encode("utf-8", "surrogatepass")),
        cache.cached,
        cache.cost,
        cache.uncached,
        broken=sheet.broken,
        whole=cache.tokens,
    )


HOW = {"changed": "rewritten"}


def changed_blocks(before: Sheet | None, sheet: Sheet) -> tuple[ChangedBlock, ...]:
    """The sections that differ."""
    if before is None:
        return tuple(ChangedBlock(block.name, "added") for block in sheet.blocks)
    found = diff(as_prompt(before), as_prompt(sheet)).changed
    return tuple(ChangedBlock(each.name, HOW.get(each.change, each.change), each.because, each.why) for each in found)


class Shown(Frozen, frozen=True):
    """A sheet, and the tools as they are sent with it."""

    sheet: Sheet
    tools: str = ""


def cache_between(before: Shown | None, now: Shown, facts: Facts, count: Count, *, timed: bool = False) -> TurnNote:
    """What a provider's cache gives back of a turn after another one; `timed`: what was kept expires meanwhile."""
    cache = Cache(facts, count)
    first = Timed(Turn(as_prompt(before.sheet), before.tools), _time(before, timed)) if before else None
    if first is not None:
        cache.take(first.turn, first.at, None)
    return cache.take(Turn(as_prompt(now.sheet), now.tools), _time(now, timed), first)


def _time(shown: Shown, timed: bool) -> datetime | None:
    return datetime.fromisoformat(shown.sheet.at) if timed and shown.sheet.at else None
