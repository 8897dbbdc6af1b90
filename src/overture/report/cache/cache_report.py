"""A recipe's sessions are played: how much of each turn a cache returns, each miss with its cause and cost."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache
from math import fsum
from statistics import median, quantiles
from typing import Annotated

from ...assemble.build import build
from ...fit.fit import fit
from ...known_models.model_facts import ModelFacts
from ...model.prompt.budget import Budget
from ...model.prompt.prompt import Prompt
from ...model.recipe.recipe import Recipe
from ...model.state.state import State
from ...model.struct import Frozen, note
from ...tokens.counter import ESTIMATE, Counter, CountFunction, as_counter
from .cause_of_miss import CacheTurn
from .predict_cache import CountPrefix, FleetNote, PredictedCache, TimedTurn, TurnNote, compare_fleet, find_marks
from .scenarios import SCENARIOS, make_fleet

PARAGRAPH = re.compile(r"\n\n(?=[^\s/])")
"""Ends of paragraphs at which the counts of both sides add up, as in `overture.tokens.counter.LINES`."""


class CachedCounter:
    """A counter with a cache. Lives for one report, which counts every prefix of every turn."""

    def __init__(self, count: CountFunction) -> None:
        """Count with `count`, each text of a cache report once."""
        self.counter: Counter = as_counter(count)
        self._texts: dict[tuple[int, int], int] = {}
        self._count_piece = cache(self.counter)

    def __call__(self, text: str) -> int:
        """The tokens of a text."""
        # Length and hash are the key: hundreds of prefixes of a long prompt would fill the memory.
        key = len(text), hash(text)
        tokens = self._texts.get(key)
        if tokens is None:
            tokens = self._texts[key] = self._count_by_paragraphs(text) if self.counter.additive else self.counter(text)
        return tokens

    def _count_by_paragraphs(self, text: str) -> int:
        total = start = 0
        for end in [*(match.end() for match in PARAGRAPH.finditer(text)), len(text)]:
            total += self._count_piece(text[start:end])
            start = end
        return total


CHARACTER_COUNTER = Counter("characters", len, exact=True)
"""The counter of saved prompts: a report counts prefixes itself, and never uses their tokens."""


class SessionSender:
    """Builds the prompts of a session's states. `tools` gives the text of the tools, which precedes the prompt."""

    def __init__(
        self, recipe: Recipe, tools: Callable[[Prompt], str], counter: Counter, budget: Budget | None = None
    ) -> None:
        """Play sessions of a recipe, with these tools, counted and within the budget."""
        self.recipe, self.tools, self.counter, self.budget = recipe, tools, counter, budget
        self._first: Prompt | None = None

    def session(self, states: Iterable[State]) -> list[TimedTurn]:
        """The turns of one played session, each at the time of its state."""
        timed: list[TimedTurn] = []
        before: Prompt | None = None
        for state in states:
            before = self._build_next_prompt(state, before)
            timed.append(TimedTurn(self.turn(before), state.now))
        return timed

    def live(self, states: Sequence[State]) -> list[TimedTurn]:
        """The turns of a live session while the clock of its states moves: the recipe decides when it is rebuilt."""
        sent_states = rebuild_prompt(states) if self.recipe.clock == "rebuild" else states
        return [
            TimedTurn(timed.turn, state.now) for timed, state in zip(self.session(sent_states), states, strict=True)
        ]

    def first(self, state: State) -> CacheTurn:
        """The first turn of a played session."""
        return self.turn(self._build_next_prompt(state, None))

    def _build_next_prompt(self, state: State, before: Prompt | None) -> Prompt:
        # Sessions begin with much the same text: blocks of the first prompt are reused, so that they are counted once.
        full = build(self.recipe, state, since=before or self._first)
        if self._first is None:
            self._first = full = full.counted(CHARACTER_COUNTER)
        if self.budget is None:
            return full
        if before is not None and before.fitted is not None and before.fitted.whole is full:
            return before
        # Like a session: the first cut leaves room for later turns, and the later ones keep it.
        return fit(full, self.budget, self.counter, since=before or full)

    def turn(self, prompt: Prompt) -> CacheTurn:
        """A turn of a played session: the prompt as it is sent, with the tools before it."""
        return CacheTurn(prompt.counted(CHARACTER_COUNTER).saved, self.tools(prompt))


def rebuild_prompt(states: Sequence[State]) -> Iterator[State]:
    """The states with the time of the last rebuild: of the start, or of the last change of tools."""
    last = states[0]
    for state in states:
        last = last if state.tools == last.tools else state
        yield state.replace(now=last.now)


# A recipe's sessions -> the predicted cache reads of each turn, the cause of each miss, and its cost.
# All of it is predicted from bytes and a dated table. Only the provider's response shows whether a cache was hit.


class PlayedSession(Frozen, frozen=True, omit_defaults=False):
    """One session, turn by turn."""

    name: str
    about: str
    turns: tuple[TurnNote, ...]
    stable: Annotated[tuple[float, float, float], note("stable-prefix ratio: least, 5th percentile, median")]
    effective: Annotated[float, note("predicted share of tokens read from the cache, after the first turn")]
    cost: float | None
    uncached: float | None
    at_least: Annotated[bool, note("some prices are unknown: the true cost is `cost` or more")] = False


class BudgetLimits(Frozen, frozen=True, omit_defaults=False):
    """The budget of every prompt, in tokens; it does not include tools."""

    total: int | None
    sections: dict[str, int]


class CacheReport(Frozen, frozen=True, omit_defaults=False):
    """The predicted cache use and cost of a recipe on one model."""

    recipe: str
    facts: ModelFacts
    tokens: Annotated[int, note("tools and system prompt of the first turn")]
    tokenizer: Annotated[str, note("the tokenizer of this report")]
    exact: Annotated[bool, note("false: the tokens are an estimate")]
    breakpoints: Annotated[tuple[str, ...], note("the last section before each; `tools` for the tools themselves")]
    sessions: tuple[PlayedSession, ...]
    fleet: tuple[FleetNote, ...] = ()
    budget: Annotated[BudgetLimits | None, note("the budget of every prompt")] = None
    tools: Annotated[bool, note("false: saved prompts have no tools, so all figures are without tools")] = True


def report_cache(
    recipe: Recipe,
    state: State,
    facts: ModelFacts,
    *,
    scenarios: Sequence[str] = tuple(SCENARIOS),
    count: CountPrefix = ESTIMATE,
    ttl: str | None = None,
    tools: Callable[[Prompt], str] = lambda _: "",
    budget: Budget | None = None,
) -> CacheReport:
    """Play the built-in scenarios. `tools` gives the text of the tools, which precedes the system prompt.

    With a `budget`, every prompt is cut to it as in a session, by `count`.
    """
    counted = CachedCounter(count)
    sender = SessionSender(recipe, tools, counted.counter, budget)
    first = sender.first(state)
    played = [
        play_session(name, SCENARIOS[name].about, sender.live(SCENARIOS[name].states(state)), facts, counted, ttl)
        for name in scenarios
    ]
    fleet = [
        compare_fleet(differs, [sender.first(at) for at in states], facts, counted)
        for differs, states in make_fleet(state).items()
    ]
    return report_sessions(recipe.name, first, facts, counted, played, budget, fleet=fleet)


def report_sessions(
    name: str,
    first: CacheTurn,
    facts: ModelFacts,
    count: CachedCounter,
    played: Sequence[PlayedSession],
    budget: Budget | None = None,
    *,
    fleet: Sequence[FleetNote] = (),
    tools: bool = True,
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
        breakpoints=tuple(named.get(mark, "tools") for mark in find_marks(first, facts, count)),
        sessions=tuple(played),
        fleet=tuple(fleet),
        tools=tools,
        budget=None if budget is None else BudgetLimits(budget.limit, budget.limits),
    )


def play_session(
    name: str, about: str, turns: Sequence[TimedTurn], facts: ModelFacts, count: CountPrefix, ttl: str | None = None
) -> PlayedSession:
    """Send the turns of a session one after the other."""
    predicted = PredictedCache(facts, count, ttl)
    notes = [predicted.take(timed) for timed in turns]
    later = notes[1:]
    total = sum(turn.tokens for turn in later)
    return PlayedSession(
        name=name,
        about=about,
        turns=tuple(notes),
        stable=_spread([turn.stable for turn in later]),
        effective=sum(turn.cached for turn in later) / total if total else 0.0,
        cost=_sum([turn.cost for turn in notes]),
        uncached=_sum([turn.uncached for turn in notes]),
        at_least=any(turn.at_least for turn in notes),
    )


def _spread(ratios: list[float]) -> tuple[float, float, float]:
    """Of the cached shares of a played session's turns: the least, the 5th percentile and the median."""
    if not ratios:
        return (1.0, 1.0, 1.0)
    low = quantiles(ratios, n=20, method="inclusive")[0] if len(ratios) > 1 else ratios[0]
    return (min(ratios), low, median(ratios))


def _sum(costs: Sequence[float | None]) -> float | None:
    """The sum of costs in a cache report; None if one of them is unknown."""
    known = [cost for cost in costs if cost is not None]
    # Not `sum`: Python 3.12 adds floats in another way, and every version must give the same figures.
    return fsum(known) if len(known) == len(costs) else None
