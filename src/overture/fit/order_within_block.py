"""Costs -> rungs: the order in which the units of a block are shortened and left out, and what each step saves."""

from collections.abc import Iterator
from typing import TypeAlias

from msgspec import Struct

from ..model.recipe.body import Group
from .costs import Costs
from .shorter_forms import has_line
from .smallest_units import GONE, rest_line

FEW = 8
"""So many shorter forms of a unit are each a rung; where there are more, they are one rung to slide along."""


Move: TypeAlias = tuple[int, int]
"""One unit, to one of its levels."""


class Rung(Struct, frozen=True, gc=False):
    """Moves that are made together, and how many tokens they save."""

    moves: tuple[Move, ...]
    saves: int
    slides: bool = False
    """Whether its one move passes many levels, at each of which it can stop."""
    line: int = 0
    """So many tokens a level has to save: as many as the line costs that says what is gone."""


def rungs_of(costs: Costs) -> list[Rung]:
    """Shorter, then gone: group by group, in the order in which they stand. Every rung saves something."""
    groups: dict[int, list[int]] = {}
    for index, unit in enumerate(costs.units):
        groups.setdefault(id(unit.group), []).append(index)
    priorities = [unit.priority for unit in costs.units]
    orders = [_order(costs, members, priorities) for members in groups.values()]
    now = list(costs.whole)
    rungs = [rung for order in orders for rung in _shorter(costs, order, now)] if costs.shorter else []
    for order in orders:
        group = costs.units[order[0]].group
        if group is not None:
            rungs += _gone(costs, group, order, now)
    return rungs


def _order(costs: Costs, members: list[int], priorities: list[int]) -> list[int]:
    """Who gives way first: the lowest priority; of equals the outermost file, or the last of a list."""
    group = costs.units[members[0]].group
    if group is None or group.loose != "outermost":
        members.reverse()
    return sorted(members, key=priorities.__getitem__)


def _shorter(costs: Costs, order: list[int], now: list[int]) -> Iterator[Rung]:
    group = costs.units[order[0]].group
    deepest = max([len(costs.variants(index)) for index in order])
    if deepest > FEW or (group is not None and group.loose == "outermost"):
        for index in order:
            yield from _slide(costs, index, now)
        return
    for level in range(1, deepest + 1):
        for index in order:
            if level <= len(costs.variants(index)) and (cost := costs.at(index, level)) < now[index]:
                if costs.whole[index] - cost < _line(costs, index):
                    continue
                yield Rung(((index, level),), now[index] - cost)
                now[index] = cost


def _slide(costs: Costs, index: int, now: list[int]) -> Iterator[Rung]:
    last = len(costs.variants(index))
    line = _line(costs, index)
    if last and (cost := costs.at(index, last)) < now[index] and now[index] - cost >= line:
        yield Rung(((index, last),), now[index] - cost, last > 1, line)
        now[index] = cost


def _line(costs: Costs, index: int) -> int:
    """About how many tokens the line costs that stands in the shorter forms of a unit; none where none does."""
    forms = costs.variants(index)
    return costs.at(index, len(forms)) if has_line(forms) else 0


def _gone(costs: Costs, group: Group, order: list[int], now: list[int]) -> list[Rung]:
    """One after the other; the first takes others along, until they save as much as the line costs that counts them."""
    rungs: list[Rung] = []
    moves: list[Move] = []
    line = costs.counter.by_lines(rest_line(group, len(order), len(order)) + group.sep)
    saves = -line
    for index in order:
        moves.append((index, GONE))
        saves += now[index]
        if saves > 0 and saves >= line:
            rungs.append(Rung(tuple(moves), saves))
            moves, saves, line = [], 0, 0
    return rungs
