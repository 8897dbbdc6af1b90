"""The order of cuts in one block: steps that shorten or drop its units, what each saves, and their sequence."""

from bisect import bisect_left
from collections.abc import Iterator, Mapping
from functools import partial
from itertools import accumulate
from typing import NamedTuple, TypeAlias

from msgspec import Struct

from ..assemble.render_body import BodyRenderer
from ..assemble.sanitize.forbidden_frames import Guard, prompt_guard
from ..lazy import lazy
from ..model.prompt.block import JOIN, Block, Omission
from ..model.prompt.prompt import Prompt
from ..model.recipe.body import Group
from ..model.recipe.recipe import Recipe
from ..model.source import Origin
from ..tokens.counter import Counter
from .cut_units import DROPPED, UnitCosts, has_line, rest_line

# Block -> sequence: the steps that cut its text, down to the one-line notice in its place.
# Dropping the notice is not part of the sequence: that happens only when every sequence is at its end.


NOTICE = "[{name}: dropped to fit the budget, {tokens}.]"


MAX_SINGLE_STEPS = 8
"""Up to this many shorter forms of a unit, each is a step; more than that are one sliding step."""
Move: TypeAlias = tuple[int, int]
"""A unit, and the level that it is cut to."""


class CutStep(Struct, frozen=True, gc=False):
    """Moves that are made together, and how many tokens they save."""

    moves: tuple[Move, ...]
    saves: int
    slides: bool = False
    """Whether its one move covers many levels and can stop at each of them."""
    line: int = 0
    """The tokens that a level has to save: as many as the line about the cut costs."""


def make_cut_steps(costs: UnitCosts) -> list[CutStep]:
    """First shorten, then drop, group by group in the order of the text. Every step saves tokens."""
    groups: dict[int, list[int]] = {}
    for index, unit in enumerate(costs.units):
        groups.setdefault(id(unit.group), []).append(index)
    priorities = [unit.priority for unit in costs.units]
    orders = [_order_units(costs, members, priorities) for members in groups.values()]
    now = list(costs.whole)
    steps = [step for order in orders for step in _make_shortening_steps(costs, order, now)] if costs.shorter else []
    for order in orders:
        group = costs.units[order[0]].group
        if group is not None:
            steps += _make_dropping_steps(costs, group, order, now)
    return steps


def _order_units(costs: UnitCosts, members: list[int], priorities: list[int]) -> list[int]:
    """The order of cutting: the lowest priority first; of equals the outermost file, or the last of a list."""
    group = costs.units[members[0]].group
    if group is None or group.loose != "outermost":
        members.reverse()
    return sorted(members, key=priorities.__getitem__)


def _make_shortening_steps(costs: UnitCosts, order: list[int], now: list[int]) -> Iterator[CutStep]:
    group = costs.units[order[0]].group
    deepest = max([len(costs.variants(index)) for index in order])
    if deepest > MAX_SINGLE_STEPS or (group is not None and group.loose == "outermost"):
        for index in order:
            yield from _make_sliding_step(costs, index, now)
        return
    for level in range(1, deepest + 1):
        for index in order:
            if level <= len(costs.variants(index)) and (cost := costs.at(index, level)) < now[index]:
                if costs.whole[index] - cost < _count_line_tokens(costs, index):
                    continue
                yield CutStep(((index, level),), now[index] - cost)
                now[index] = cost


def _make_sliding_step(costs: UnitCosts, index: int, now: list[int]) -> Iterator[CutStep]:
    last = len(costs.variants(index))
    line = _count_line_tokens(costs, index)
    if last and (cost := costs.at(index, last)) < now[index] and now[index] - cost >= line:
        yield CutStep(((index, last),), now[index] - cost, last > 1, line)
        now[index] = cost


def _count_line_tokens(costs: UnitCosts, index: int) -> int:
    """About how many tokens the line about the cut costs in a unit's shorter forms; 0 if they have none."""
    forms = costs.variants(index)
    return costs.at(index, len(forms)) if has_line(forms) else 0


def _make_dropping_steps(costs: UnitCosts, group: Group, order: list[int], now: list[int]) -> list[CutStep]:
    """Drop units one by one; the first step drops enough to save what the line with their count costs."""
    steps: list[CutStep] = []
    moves: list[Move] = []
    line = costs.counter.by_lines(rest_line(group, len(order), len(order)) + group.sep)
    saves = -line
    for index in order:
        moves.append((index, DROPPED))
        saves += now[index]
        if saves > 0 and saves >= line:
            steps.append(CutStep(tuple(moves), saves))
            moves, saves, line = [], 0, 0
    return steps


class CutPosition(NamedTuple):
    """A position in a sequence: a number of whole steps, and a level within the next step."""

    steps: int = 0
    level: int = 0


def make_cut_sequence(block: Block, prompt: Prompt) -> "CutSequence":
    """The sequence of a block, by the prompt's counter."""
    return CutSequence(block, prompt.counter, prompt.recipe, prompt.state.origins, prompt_guard(prompt))


class CutSequence:
    """The steps that cut one block, in order, by one counter."""

    def __init__(
        self, block: Block, counter: Counter, recipe: Recipe, origins: Mapping[str, Origin], guard: Guard
    ) -> None:
        """Put the steps that cut this block into their order."""
        self.block, self.counter, self.origins = block, counter, origins
        self.tokens = block.tokens(counter, JOIN)
        self.notice = NOTICE.format(name=block.name, tokens=counter.describe(self.tokens))
        self.costs = UnitCosts(block, counter, partial(BodyRenderer, recipe, block.section, origins, guard))
        self.steps = make_cut_steps(self.costs)
        self.saved = list(accumulate([step.saves for step in self.steps], initial=0))
        """About how many tokens are saved after each number of steps."""
        self.cached: dict[object, Block | Omission] = {}
        """Cut forms of the block, by how far they are cut."""
        self._last: tuple[CutPosition, dict[int, int]] = (CutPosition(), {})

    @property
    def end(self) -> CutPosition:
        """The end of the sequence: the notice, or the shortest form if the notice would save too little."""
        return CutPosition(len(self.steps) + 1)

    @lazy
    def line(self) -> int:
        """The tokens of the notice at the end of the sequence; 0 if it saves less than it costs."""
        cost = self.counter.by_lines(self.notice + JOIN)
        return cost if 2 * cost <= self.tokens and cost < self.tokens - self.saved[-1] else 0

    @property
    def remains(self) -> int:
        """How many tokens are left at the end of the sequence."""
        return self.line or self.tokens - self.saved[-1]

    def levels(self, position: CutPosition) -> dict[int, int]:
        """The level of each unit that is cut at a position. The last result is cached: callers repeat it."""
        if self._last[0] == position:
            return self._last[1]
        levels = dict([move for step in self.steps[: position.steps] for move in step.moves])
        if position.level:
            levels[self.steps[position.steps].moves[0][0]] = position.level
        self._last = position, levels
        return levels

    def saving(self, position: CutPosition) -> int:
        """About how many tokens the steps up to a position save."""
        if position >= self.end:
            return self.tokens - self.remains
        saved = self.saved[position.steps]
        if position.level:
            index, _ = self.steps[position.steps].moves[0]
            saved += self.costs.whole[index] - self.costs.at(index, position.level)
        return saved

    def place_for(self, need: int) -> CutPosition:
        """The first position that saves about this many tokens."""
        steps = bisect_left(self.saved, need)
        if steps == 0 or steps > len(self.steps) or not self.steps[steps - 1].slides:
            return CutPosition(steps)
        index, last = self.steps[steps - 1].moves[0]
        room = self.costs.whole[index] - (need - self.saved[steps - 1])
        level = 1 + bisect_left(range(1, last), True, key=lambda each: self.costs.at(index, each) <= room)
        level = self._find_worthwhile_level(self.steps[steps - 1], level)
        return CutPosition(steps - 1, level) if level < last else CutPosition(steps)

    def _find_worthwhile_level(self, step: CutStep, level: int) -> int:
        """The given level, or the first later one that saves as many tokens as the line about the cut costs."""
        index, last = step.moves[0]
        while level < last and self.costs.whole[index] - self.costs.at(index, level) < step.line:
            level += 1
        return level

    def next(self, position: CutPosition) -> CutPosition:
        """The next position in the sequence of cuts."""
        if position.steps < len(self.steps) and (step := self.steps[position.steps]).slides:
            level = self._find_worthwhile_level(step, position.level + 1)
            return CutPosition(position.steps, level) if level < step.moves[0][1] else CutPosition(position.steps + 1)
        return CutPosition(position.steps + 1)
