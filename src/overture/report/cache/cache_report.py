"""A recipe's sessions -> how much of each turn a cache would give back, what stops it, and what that costs.

Everything here is predicted from bytes and a dated table. Whether a cache was hit, only the provider's answer says.
"""

from collections.abc import Callable, Sequence
from math import fsum
from statistics import median, quantiles
from typing import Annotated

from msgspec import structs

from ...known_models.model_facts import Facts
from ...model.prompt.budget import Budget
from ...model.prompt.prompt import Prompt
from ...model.recipe.recipe import Recipe
from ...model.state.state import State
from ...model.struct import Frozen, note
from ...tokens.counter import ESTIMATE
from .cause_of_miss import Turn
from .requests_as_sent import Measured, Sender
from .sessions_to_play import SCENARIOS, fleet
from .shared_prefix import Cache, Count, FleetNote, Timed, TurnNote, compare_fleet, marks_of


class Played(Frozen, frozen=True, omit_defaults=False):
    """One session, turn by turn."""

    name: str
    about: str
    turns: tuple[TurnNote, ...]
    stable: Annotated[tuple[float, float, float], note("stable-prefix ratio: least, 5th percentile, median")]
    effective: Annotated[float, note("share of all tokens after the first turn that is predicted to be read")]
    cost: float | None
    uncached: float | None
    at_least: Annotated[bool, note("not every price is known: it costs `cost` or more")] = False


class Limits(Frozen, frozen=True, omit_defaults=False):
    """The budget that every prompt was cut to, in tokens; tools are no part of it."""

    total: int | None
    sections: dict[str, int]


class CacheReport(Frozen, frozen=True, omit_defaults=False):
    """What a recipe's order is predicted to cost on one model."""

    recipe: str
    facts: Facts
    tokens: Annotated[int, note("tools and system prompt of the first turn")]
    tokenizer: Annotated[str, note("what counted all tokens in this report")]
    exact: Annotated[bool, note("false: the tokens are an estimate")]
    breakpoints: Annotated[tuple[str, ...], note("the last section before each; `tools` for the tools themselves")]
    sessions: tuple[Played, ...]
    fleet: tuple[FleetNote, ...] = ()
    budget: Annotated[Limits | None, note("what every prompt was cut to")] = None
    tools: Annotated[bool, note("false: saved prompts were played, which hold no tools; all figures are without")] = (
        True
    )


def cache(
    recipe: Recipe,
    state: State,
    facts: Facts,
    *,
    scenarios: Sequence[str] = tuple(SCENARIOS),
    count: Count = ESTIMATE,
    ttl: str | None = None,
    tools: Callable[[Prompt], str] = lambda _: "",
    budget: Budget | None = None,
) -> CacheReport:
    """Play the built-in scenarios. `tools` gives the text of the tools, which stands before the system prompt.

    With a `budget`, every prompt is cut to it as a session cuts it, by `count`.
    """
    counted = Measured(count)
    sender = Sender(recipe, tools, counted.counter, budget)
    first = sender.first(state)
    played = [
        play(name, SCENARIOS[name].about, sender.live(SCENARIOS[name].states(state)), facts, counted, ttl)
        for name in scenarios
    ]
    beside = [
        compare_fleet(differs, [sender.first(at) for at in states], facts, counted)
        for differs, states in fleet(state).items()
    ]
    report = reported(recipe.name, first, facts, counted, played, budget)
    return structs.replace(report, fleet=tuple(beside))


def reported(
    name: str, first: Turn, facts: Facts, count: Measured, played: Sequence[Played], budget: Budget | None = None
) -> CacheReport:
    """The report on sessions that were played."""
    before = len(first.tools)
    named = {before + block.end: block.name for block in first.prompt.blocks}
    return CacheReport(
        recipe=name,
        facts=facts,
        tokens=count(first.head),
        tokenizer=count.counter.name,
        exact=count.counter.exact,
        breakpoints=tuple(named.get(mark, "tools") for mark in marks_of(first, facts, count)),
        sessions=tuple(played),
        budget=None if budget is None else Limits(budget.limit, budget.limits),
    )


def play(name: str, about: str, turns: Sequence[Timed], facts: Facts, count: Count, ttl: str | None = None) -> Played:
    """Send the turns of a session one after the other."""
    cache = Cache(facts, count, ttl)
    notes = [cache.take(timed.turn, timed.at, turns[index - 1] if index else None) for index, timed in enumerate(turns)]
    later = notes[1:]
    whole = sum(turn.tokens for turn in later)
    return Played(
        name=name,
        about=about,
        turns=tuple(notes),
        stable=_spread([turn.stable for turn in later]),
        effective=sum(turn.cached for turn in later) / whole if whole else 0.0,
        cost=_sum([turn.cost for turn in notes]),
        uncached=_sum([turn.uncached for turn in notes]),
        at_least=any(turn.at_least for turn in notes),
    )


def _spread(ratios: list[float]) -> tuple[float, float, float]:
    """The least, the 5th percentile and the median."""
    if not ratios:
        return (1.0, 1.0, 1.0)
    low = quantiles(ratios, n=20, method="inclusive")[0] if len(ratios) > 1 else ratios[0]
    return (min(ratios), low, median(ratios))


def _sum(costs: Sequence[float | None]) -> float | None:
    known = [cost for cost in costs if cost is not None]
    # Not `sum`: Python 3.12 adds floats in another way, and the same figures must come out everywhere.
    return fsum(known) if len(known) == len(costs) else None
