"""Block -> ladder: how it gives up its text, rung by rung, down to the one line that stands for it.

The last step, after which nothing is said at all, is not on it: that is only taken when every ladder is at its end.
"""

from bisect import bisect_left
from itertools import accumulate
from typing import NamedTuple

from ..model.block import Block, Omission
from ..model.counter import Counter
from ..model.lazy import lazy
from ..model.tokens import JOIN
from .costs import Costs
from .rungs import rungs_of

NOTICE = "[{name}: left out for want of room, {tokens} tokens.]"


class Place(NamedTuple):
    """Where on a ladder: below so many whole rungs, and on the next one so many levels on."""

    rungs: int = 0
    level: int = 0


def ladder_of(block: Block, counter: Counter) -> "Ladder":
    """The block's ladder by that counter, made once and kept with the block."""
    ladders: dict[Counter, Ladder] = block.__dict__.setdefault("ladders", {})
    if counter not in ladders:
        ladders.clear()
        ladders[counter] = Ladder(block, counter)
    return ladders[counter]


class Ladder:
    """The ladder of one block, by one counter."""

    def __init__(self, block: Block, counter: Counter) -> None:
        self.block, self.counter = block, counter
        self.tokens = block.tokens(counter, JOIN)
        self.notice = NOTICE.format(name=block.name, tokens=counter.shown(self.tokens))
        self.costs = Costs(block, counter)
        self.rungs = list(rungs_of(self.costs))
        self.saved = list(accumulate([rung.saves for rung in self.rungs], initial=0))
        """About how many tokens are saved below so many rungs."""
        self.laid: dict[object, Block | Omission] = {}
        """What was laid of it before, by how far it was cut."""
        self._last: tuple[Place, dict[int, int]] = (Place(), {})

    @property
    def end(self) -> Place:
        """The foot of the ladder: one line for the block, or nothing where that would be no shorter."""
        return Place(len(self.rungs) + 1)

    @lazy
    def remains(self) -> int:
        """How many tokens are left at the foot."""
        cost = self.counter.by_lines(self.notice + JOIN)
        return cost if cost < self.tokens - self.saved[-1] else 0

    def levels(self, place: Place) -> dict[int, int]:
        """The level of each unit that is cut at a place. The last answer is kept: it is asked for several times."""
        if self._last[0] == place:
            return self._last[1]
        found = {move.unit: move.level for rung in self.rungs[: place.rungs] for move in rung.moves}
        if place.level:
            found[self.rungs[place.rungs].moves[0].unit] = place.level
        self._last = place, found
        return found

    def saving(self, place: Place) -> int:
        """About how many tokens are saved at a place."""
        if place >= self.end:
            return self.tokens - self.remains
        saved = self.saved[place.rungs]
        if place.level:
            index = self.rungs[place.rungs].moves[0].unit
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
        return Place(rungs - 1, level) if level < last else Place(rungs)

    def next(self, place: Place) -> Place:
        """One step further down."""
        if place.rungs < len(self.rungs) and (rung := self.rungs[place.rungs]).slides:
            level = place.level + 1
            return Place(place.rungs, level) if level < rung.moves[0].level else Place(place.rungs + 1)
        return Place(place.rungs + 1)
