"""Block -> ladder: how it gives up its text, rung by rung, down to the one line that stands for it.

The last step, after which nothing is said at all, is not on it: that is only taken when every ladder is at its end.
"""

from bisect import bisect_left
from collections.abc import Mapping
from copy import copy
from functools import partial
from itertools import accumulate
from typing import NamedTuple
from weakref import WeakValueDictionary

from ..assemble.gate.frames_of_prompt import guard_of_prompt
from ..assemble.gate.guard import Guard
from ..assemble.text_with_sources import Layer
from ..lazy import lazy
from ..model.prompt.block import Block
from ..model.prompt.block_tokens import JOIN
from ..model.prompt.cuts_and_omissions import Omission
from ..model.prompt.prompt import Prompt
from ..model.recipe.recipe import Recipe
from ..model.state.files import Origin
from ..tokens.counter import Counter
from .costs import Costs
from .cut_list import Pieces, pieces_of
from .order_within_block import Rung, rungs_of

NOTICE = "[{name}: left out for want of room, {tokens} tokens.]"


class Place(NamedTuple):
    """Where on a ladder: below so many whole rungs, and on the next one so many levels on."""

    rungs: int = 0
    level: int = 0


def ladder_of(block: Block, prompt: Prompt) -> "Ladder":
    """The block's ladder by the prompt's counter, made once and kept with the block.

    A block that was built anew and says the same as the last one of its section takes over the ladder of that.
    """
    counter, origins = prompt.counter, prompt.state.origins
    ladders: dict[Counter, Ladder] = block.__dict__.setdefault("ladders", {})
    if counter not in ladders:
        last: WeakValueDictionary[tuple[str, Counter], Ladder]
        last = prompt.recipe.__dict__.setdefault("ladders", WeakValueDictionary())
        before = last.get((block.name, counter))
        ladders.clear()
        if before is not None and before.origins == origins and before.block.says_what(block):
            ladders[counter] = before.of(block)
        else:
            ladders[counter] = Ladder(block, counter, prompt.recipe, origins, guard_of_prompt(prompt))
        last[block.name, counter] = ladders[counter]
    return ladders[counter]


class Ladder:
    """The ladder of one block, by one counter."""

    def __init__(
        self, block: Block, counter: Counter, recipe: Recipe, origins: Mapping[str, Origin], guard: Guard
    ) -> None:
        self.block, self.counter, self.origins = block, counter, origins
        self.tokens = block.tokens(counter, JOIN)
        self.notice = NOTICE.format(name=block.name, tokens=counter.shown(self.tokens))
        self.costs = Costs(block, counter, partial(Layer, recipe, block.section, origins, guard))
        self.rungs = rungs_of(self.costs)
        self.saved = list(accumulate([rung.saves for rung in self.rungs], initial=0))
        """About how many tokens are saved below so many rungs."""
        self.laid: dict[object, Block | Omission] = {}
        """What was laid of it before, by how far it was cut."""
        self._last: tuple[Place, dict[int, int]] = (Place(), {})

    def of(self, block: Block) -> "Ladder":
        """The same ladder for another block that says the same."""
        ladder = copy(self)
        ladder.block = block
        return ladder

    @property
    def end(self) -> Place:
        """The foot of the ladder: one line for the block, or its shortest form where a line would not be worth it."""
        return Place(len(self.rungs) + 1)

    @lazy
    def line(self) -> int:
        """The tokens of the line that stands for the block at the foot; none where it saves less than it costs."""
        cost = self.counter.by_lines(self.notice + JOIN)
        return cost if 2 * cost <= self.tokens and cost < self.tokens - self.saved[-1] else 0

    @property
    def remains(self) -> int:
        """How many tokens are left at the foot."""
        return self.line or self.tokens - self.saved[-1]

    @lazy
    def pieces(self) -> Pieces | None:
        """The block's pieces, where it can be cut without being laid anew."""
        return pieces_of(self.block, self.costs)

    def levels(self, place: Place) -> dict[int, int]:
        """The level of each unit that is cut at a place. The last answer is kept: it is asked for several times."""
        if self._last[0] == place:
            return self._last[1]
        found = dict([move for rung in self.rungs[: place.rungs] for move in rung.moves])
        if place.level:
            found[self.rungs[place.rungs].moves[0][0]] = place.level
        self._last = place, found
        return found

    def saving(self, place: Place) -> int:
        """About how many tokens are saved at a place."""
        if place >= self.end:
            return self.tokens - self.remains
        saved = self.saved[place.rungs]
        if place.level:
            index, _ = self.rungs[place.rungs].moves[0]
            saved += self.costs.whole[index] - self.costs.at(index, place.level)
        return saved

    def place_for(self, need: int) -> Place:
        """The first place at which about so many tokens are saved."""
        rungs = bisect_left(self.saved, need)
        if rungs == 0 or rungs > len(self.rungs) or not self.rungs[rungs - 1].slides:
            return Place(rungs)
        index, last = self.rungs[rungs - 1].moves[0]
        room = self.costs.whole[index] - (need - self.saved[rungs - 1])
        level = 1 + bisect_left(range(1, last), True, key=lambda each: self.costs.at(index, each) <= room)
        level = self._worth(self.rungs[rungs - 1], level)
        return Place(rungs - 1, level) if level < last else Place(rungs)

    def _worth(self, rung: Rung, level: int) -> int:
        """That level, or the first further on at which as much is saved as the line about it costs."""
        index, last = rung.moves[0]
        while level < last and self.costs.whole[index] - self.costs.at(index, level) < rung.line:
            level += 1
        return level

    def next(self, place: Place) -> Place:
        """One step further down."""
        if place.rungs < len(self.rungs) and (rung := self.rungs[place.rungs]).slides:
            level = self._worth(rung, place.level + 1)
            return Place(place.rungs, level) if level < rung.moves[0][1] else Place(place.rungs + 1)
        return Place(place.rungs + 1)
