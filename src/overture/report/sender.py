"""The requests of a session as they are sent: each built on the one before it, and cut as a session cuts it."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from ..assemble.build import build
from ..assemble.fit import fit
from ..model.budget import Budget
from ..model.counter import Counter
from ..model.prompt import Prompt
from ..model.recipe import Recipe
from ..model.state import State
from .cause import Turn
from .kept import Timed

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
            timed.append(Timed(self._turn(before), state.now))
        return timed

    def live(self, states: Sequence[State]) -> list[Timed]:
        """The turns of a session that is live while the states' clock moves: what it says follows the recipe's."""
        told = rebuilt(states) if self.recipe.clock == "rebuild" else states
        return [Timed(timed.turn, state.now) for timed, state in zip(self.session(told), states, strict=True)]

    def first(self, state: State) -> Turn:
        """The first turn of a session."""
        return self._turn(self._next(state, None))

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

    def _turn(self, prompt: Prompt) -> Turn:
        return Turn(prompt.counted(UNCOUNTED).saved, self.tools(prompt))


def rebuilt(states: Sequence[State]) -> Iterator[State]:
    """The states with the time of the last rebuild: of the start, or of other tools."""
    last = states[0]
    for state in states:
        last = last if state.tools == last.tools else state
        yield state.replace(now=last.now)
