"""Block -> ladder: the order in which it gives up its text, rung by rung, and what each rung saves.

First its parts are shortened and then left out, as their group says; then one line stands for the whole block. The
last rung, on which nothing is said at all, is not on the ladder: it is only taken when every ladder is at its end.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..model.block import Block, Omission
from ..model.counter import Counter
from ..model.lazy import lazy
from ..model.tokens import JOIN
from .units import GONE, Node, Unit, can_shorten, rest_line, said, units_of, variants_of

FEW = 6
"""So many shorter forms of a unit are each a rung; where there are more, they are one rung to slide along."""
NOTICE = "[{name}: left out for want of room, {tokens}.]"


class Move(NamedTuple):
    """One unit, to one of its levels: 1 is its first shorter form, GONE is nothing."""

    unit: int
    level: int


class Rung(NamedTuple):
    """Moves that are made together, and how many tokens they save."""

    moves: tuple[Move, ...]
    saves: int
    slides: bool = False
    """Whether its one move passes many levels, at each of which it can stop."""


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
    """The ladder of one block, by one counter. Kept with the block, so that later turns find it."""

    def __init__(self, block: Block, counter: Counter) -> None:
        self.block, self.counter = block, counter
        self.tokens = block.tokens(counter, JOIN)
        self.units = units_of(block.body)
        self.costs = [self._cost(unit, unit.text) for unit in self.units]
        self._variants = {i: variants_of(unit.node) for i, unit in enumerate(self.units) if can_shorten(unit)}
        self.notice = NOTICE.format(name=block.name, tokens=f"{counter.shown(self.tokens)} tokens")
        self.lowest = list(self.costs)
        """The tokens of each unit in its shortest form, of those that were tried."""
        self.rungs = list(self._rungs())
        self.saved = [0]
        self.laid: dict[object, Block | Omission] = {}
        """What was laid of it before, by how far it was cut."""
        for rung in self.rungs:
            self.saved.append(self.saved[-1] + rung.saves)

    @lazy
    def tools(self) -> dict[int, str]:
        """The units that describe a tool."""
        return {index: name for index, unit in enumerate(self.units) if (name := unit.tool)}

    @property
    def end(self) -> Place:
        """The foot of the ladder: one line for the block, or nothing where that would be no shorter."""
        return Place(len(self.rungs) + 1)

    @lazy
    def remains(self) -> int:
        """How many tokens are left at the foot."""
        cost = self.counter.by_lines(self.notice + JOIN)
        return cost if cost < self.tokens - self.saved[-1] else 0

    def variants(self, unit: int) -> Sequence[Node]:
        """The shorter forms of a unit."""
        return self._variants.get(unit, ())

    def _cost(self, unit: Unit, text: str) -> int:
        return self.counter.by_lines(text + (unit.group.sep if unit.group else JOIN))

    def cost_at(self, unit: int, level: int) -> int:
        """About how many tokens a unit has at a level."""
        if level == GONE:
            return 0
        return self._cost(self.units[unit], said(self.variants(unit)[level - 1])) if level else self.costs[unit]

    def _rungs(self) -> Iterator[Rung]:
        """Shorter, then gone: group by group, in the order in which they stand."""
        groups: dict[int, list[int]] = {}
        for index, unit in enumerate(self.units):
            groups.setdefault(id(unit.group), []).append(index)
        orders = [self._order(members) for members in groups.values()]
        for order in orders:
            yield from self._shorter(order)
        for order in orders:
            if self.units[order[0]].group is not None:
                yield from self._gone(order)

    def _order(self, members: list[int]) -> list[int]:
        """Who gives way first: the lowest priority; of equals the outermost file, or the last of a list."""
        group = self.units[members[0]].group
        if group is None or group.loose != "outermost":
            members.reverse()
        return sorted(members, key=[unit.priority for unit in self.units].__getitem__)

    def _shorter(self, order: list[int]) -> Iterator[Rung]:
        group = self.units[order[0]].group
        deepest = max(len(self.variants(index)) for index in order)
        if deepest > FEW or (group is not None and group.loose == "outermost"):
            for index in order:
                yield from self._slide(index)
            return
        now = self.lowest
        for level in range(1, deepest + 1):
            for index in order:
                if level <= len(self.variants(index)) and (cost := self.cost_at(index, level)) < now[index]:
                    yield Rung((Move(index, level),), now[index] - cost)
                    now[index] = cost

    def _slide(self, index: int) -> Iterator[Rung]:
        last = len(self.variants(index))
        if last and (cost := self.cost_at(index, last)) < self.costs[index]:
            yield Rung((Move(index, last),), self.costs[index] - cost, slides=last > 1)
            self.lowest[index] = cost

    def _gone(self, order: list[int]) -> Iterator[Rung]:
        """One after the other; the first takes others with it where the line that stands for them is longer than it."""
        group = self.units[order[0]].group
        assert group is not None
        line = rest_line(group, len(order), len(order)) + group.sep
        moves: list[Move] = []
        saves = -self.counter.by_lines(line)
        for index in order:
            moves.append(Move(index, GONE))
            saves += self.lowest[index]
            if saves > 0:
                yield Rung(tuple(moves), saves)
                moves, saves = [], 0

    def levels(self, place: Place) -> dict[int, int]:
        """The level of each unit that is cut at a place."""
        found = {move.unit: move.level for rung in self.rungs[: place.rungs] for move in rung.moves}
        if place.level:
            found[self.rungs[place.rungs].moves[0].unit] = place.level
        return found

    def place_for(self, need: int) -> Place:
        """The first place at which about so many tokens are saved."""
        rungs = bisect_left(self.saved, need)
        if rungs == 0 or rungs > len(self.rungs):
            return Place(rungs)
        rung = self.rungs[rungs - 1]
        if not rung.slides:
            return Place(rungs)
        index, last = rung.moves[0]
        need -= self.saved[rungs - 1]
        room = self.costs[index] - need
        low = bisect_left(range(1, last), True, key=lambda level: self.cost_at(index, level) <= room) + 1
        return Place(rungs - 1, low) if low < last else Place(rungs)

    def saving(self, place: Place) -> int:
        """About how many tokens are saved at a place."""
        if place.rungs > len(self.rungs):
            return self.tokens - self.remains
        saved = self.saved[place.rungs]
        if place.level:
            index = self.rungs[place.rungs].moves[0].unit
            saved += self.costs[index] - self.cost_at(index, place.level)
        return saved

    def next(self, place: Place) -> Place:
        """One step further down."""
        if place.rungs < len(self.rungs) and (rung := self.rungs[place.rungs]).slides:
            level = place.level + 1
            return Place(place.rungs, level) if level < rung.moves[0].level else Place(place.rungs + 1)
        return Place(place.rungs + 1)
