"""Steps order the cuts of one block: which unit is shortened or dropped next, and how many tokens that saves."""

from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

from msgspec import Struct

from ..assemble.render_body import BodyRenderer
from ..lazy import lazy
from ..model.prompt.block import JOIN, Block
from ..model.recipe.body import Group, Node, Part, keep_in_full, node_text
from ..model.recipe.shorten import beginnings_of_node
from ..text.scan import PLAIN
from ..tokens.counter import Counter
from .units import DROPPED, CutUnit, check_rest, copy_nodes, find_units, has_forms, has_line, rest_line, shorter_forms

MIN_SHORTENED_TOKENS = 64
"""Tokens: a longer part of a list gets shorter forms even where its section gives it none."""


class UnitCosts:
    """What each unit of a block costs as it is laid, at each of its levels. Exact but for seams."""

    def __init__(self, block: Block, counter: Counter, layer: Callable[[], BodyRenderer]) -> None:
        self.counter, self.name, self.body, self.layer = counter, block.name, block.body, layer
        self.units = find_units(block.body)
        if len({id(unit.node) for unit in self.units}) < len(self.units):
            # Cuts are told apart by what they cut, so one part that is said twice has to be two.
            self.body = copy_nodes(block.body)
            self.units = find_units(self.body)
        for group in {id(unit.group): unit.group for unit in self.units if unit.group}.values():
            check_rest(group, self.name)
        # Whatever is contained is noted: without a note, all stands in the block as it was given.
        render = self._render if block.notes else node_text
        self.whole = counter.each([render(unit.node) + _find_separator(unit) for unit in self.units])
        """The tokens of each unit in full."""
        self.shorter = {
            index: forms
            for index, (unit, tokens) in enumerate(zip(self.units, self.whole, strict=True))
            if (unit.node is not unit.named or unit.named.leaner or tokens > MIN_SHORTENED_TOKENS or unit.group is None)
            and (forms := self._list_shorter_forms(unit, tokens))
        }
        """The shorter forms of those that have any."""

    @lazy
    def _known(self) -> dict[tuple[int, int], int]:
        """What was laid and counted before: a search comes by more than once."""
        return {}

    def variants(self, unit: int) -> Sequence[Node]:
        """The shorter forms of a unit."""
        return self.shorter.get(unit, ())

    def _list_shorter_forms(self, unit: CutUnit, tokens: int) -> Sequence[Node]:
        """Its own shorter forms, or else its beginnings, if it is long or all that its section says."""
        if not isinstance(unit.node, str) and unit.node.leaner is keep_in_full:
            return ()
        own = shorter_forms(unit, self.name) if has_forms(unit) else ()
        if own or (unit.group is not None and tokens <= MIN_SHORTENED_TOKENS):
            return own
        return beginnings_of_node(unit.node, unit.name or self.name, alone=unit.group is not None)

    def at(self, unit: int, level: int) -> int:
        """The tokens of a unit at a level: 0 is all of it, 1 its first shorter form."""
        if level == DROPPED:
            return 0
        if not level:
            return self.whole[unit]
        if (unit, level) not in self._known:
            text = self._render(self.shorter[unit][level - 1]) + _find_separator(self.units[unit])
            self._known[unit, level] = self.counter.by_lines(text)
        return self._known[unit, level]

    def _render(self, node: Node) -> str:
        """What a node says, contained: a file full of what is neutralised is longer in the prompt than on disk."""
        if type(node) is Part and node.marks is PLAIN and not node.single:
            return node_text(node)
        layer = self.layer()
        layer.lay(node)
        return "".join(layer.texts)

    @lazy
    def tools(self) -> dict[int, str]:
        """The units that describe a tool."""
        return {
            i: name for i, unit in enumerate(self.units) if unit.named and unit.named.source and (name := unit.tool)
        }


def _find_separator(unit: CutUnit) -> str:
    """What stands between a unit and the next."""
    return unit.group.sep if unit.group else JOIN


# Costs -> steps: the order in which the units of a block are shortened and left out, and what each step saves.


MAX_SINGLE_RUNGS = 8
"""So many shorter forms of a unit are each a step; where there are more, they are one step to slide along."""


Move: TypeAlias = tuple[int, int]
"""One unit, to one of its levels."""


class CutStep(Struct, frozen=True, gc=False):
    """Moves that are made together, and how many tokens they save."""

    moves: tuple[Move, ...]
    saves: int
    slides: bool = False
    """Whether its one move passes many levels, at each of which it can stop."""
    line: int = 0
    """So many tokens a level has to save: as many as the line costs that says what is gone."""


def make_cut_steps(costs: UnitCosts) -> list[CutStep]:
    """Shorter, then gone: group by group, in the order in which they stand. Every step saves something."""
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
    """Who gives way first: the lowest priority; of equals the outermost file, or the last of a list."""
    group = costs.units[members[0]].group
    if group is None or group.loose != "outermost":
        members.reverse()
    return sorted(members, key=priorities.__getitem__)


def _make_shortening_steps(costs: UnitCosts, order: list[int], now: list[int]) -> Iterator[CutStep]:
    group = costs.units[order[0]].group
    deepest = max([len(costs.variants(index)) for index in order])
    if deepest > MAX_SINGLE_RUNGS or (group is not None and group.loose == "outermost"):
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
    """About how many tokens the line costs that stands in the shorter forms of a unit; none where none does."""
    forms = costs.variants(index)
    return costs.at(index, len(forms)) if has_line(forms) else 0


def _make_dropping_steps(costs: UnitCosts, group: Group, order: list[int], now: list[int]) -> list[CutStep]:
    """One after the other; the first takes others along, until they save as much as the line costs that counts them."""
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
