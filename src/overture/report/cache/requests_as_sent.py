"""The requests of a session as they are sent, each built on the one before it; counted once."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from ...assemble.build import build
from ...fit.fit import fit
from ...model.prompt.budget import Budget
from ...model.prompt.prompt import Prompt
from ...model.recipe.recipe import Recipe
from ...model.state.state import State
from ...tokens.counter import Count, Counter, as_counter
from .cause_of_miss import Turn
from .shared_prefix import Timed

PARAGRAPH = re.compile(r"\n\n(?=[^\s/])")
"""Ends of paragraphs at which the counts of the two sides add up, as at those of `overture.tokens.counter.LINES`."""


class Measured:
    """A counter that keeps what it has counted. Lives for one report, which counts every prefix of every turn."""

    def __init__(self, count: Count) -> None:
        self.counter: Counter = as_counter(count)
        self._texts: dict[tuple[int, int], int] = {}
        self._pieces: dict[str, int] = {}

    def __call__(self, text: str) -> int:
        """How many tokens, as the counter says."""
        # Length and hash stand for the text: hundreds of prefixes of a long prompt would fill the memory.
        key = len(text), hash(text)
        found = self._texts.get(key)
        if found is None:
            found = self._texts[key] = self._by_paragraphs(text) if self.counter.additive else self.counter(text)
        return found

    def _by_paragraphs(self, text: str) -> int:
        total = start = 0
        for end in [*(match.end() for match in PARAGRAPH.finditer(text)), len(text)]:
            total += self._piece(text[start:end])
            start = end
        return total

    def _piece(self, piece: str) -> int:
        found = self._pieces.get(piece)
        if found is None:
            found = self._pieces[piece] = self.counter(piece)
        return found


UNCOUNTED = Counter("characters", len, exact=True)
"""What a prompt is written down with: a report counts its prefixes itself, and never looks at the tokens in it."""


class Sender:
    """Says states in a recipe. `tools` gives the text of the tools, which stands before the system prompt."""

    def __init__(
        self, recipe: Recipe, tools: Callable[[Prompt], str], counter: Counter, budget: Budget | None = None
    ) -> None:
        self.recipe, self.tools, self.counter, self.budget = recipe, tools, counter, budget
        self._first: Prompt | None = None

    def session(self, states: Iterable[State]) -> list[Timed]:
        """The turns of one session, each at the time that its state gives."""
        timed: list[Timed] = []
        before: Prompt | None = None
        for state in states:
            before = self._next(state, before)
            timed.append(Timed(self.turn(before), state.now))
        return timed

    def live(self, states: Sequence[State]) -> list[Timed]:
        """The turns of a session that is live while the states' clock moves: what it says follows the recipe's."""
        told = rebuilt(states) if self.recipe.clock == "rebuild" else states
        return [Timed(timed.turn, state.now) for timed, state in zip(self.session(told), states, strict=True)]

    def first(self, state: State) -> Turn:
        """The first turn of a session."""
        return self.turn(self._next(state, None))

    def _next(self, state: State, before: Prompt | None) -> Prompt:
        # Sessions begin much alike: what the first of them said is taken over, so that it is counted once.
        whole = build(self.recipe, state, since=before or self._first)
        if self._first is None:
            self._first = whole = whole.counted(UNCOUNTED)
        if self.budget is None:
            return whole
        if before is not None and before.fitted is not None and before.fitted.whole is whole:
            return before
        # As a session does: the first cut leaves room for the turns to come, and the others keep to it.
        return fit(whole, self.budget, self.counter, since=before or whole)

    def turn(self, prompt: Prompt) -> Turn:
        """A prompt on its way, with the tools before it."""
        return Turn(prompt.counted(UNCOUNTED).saved, self.tools(prompt))


def rebuilt(states: Sequence[State]) -> Iterator[State]:
    """The states with the time of the last rebuild: of the start, or of other tools."""
    last = states[0]
    for state in states:
        last = last if state.tools == last.tools else state
        yield state.replace(now=last.now)
