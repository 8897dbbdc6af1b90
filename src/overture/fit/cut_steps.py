"""Steps order the cuts of one block: which unit is shortened or dropped next, and how many tokens that saves."""

from collections.abc import Iterator
from typing import TypeAlias

from msgspec import Struct

from ..model.recipe.body import Group
from .cut_units import DROPPED, UnitCosts, has_line, rest_line

# Costs -> steps: the order in which the units of a block are shortened and dropped, and what each step saves.


MAX_SINGLE_RUNGS = 8
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
