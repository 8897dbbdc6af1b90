"""The units of a block, their shorter forms, and about how many tokens each of these has."""

from collections.abc import Sequence

from ..model.block import Block
from ..model.counter import Counter
from ..model.heads import beginnings
from ..model.lazy import lazy
from ..model.said import Node, said
from ..model.tokens import JOIN
from .units import GONE, Unit, can_shorten, units_of, variants_of

LONG = 64
"""Tokens: a longer part of a list gets shorter forms even where its section gives it none."""


class Costs:
    """What each unit of a block costs, at each of its levels. Exact but for seams and what is contained."""

    def __init__(self, block: Block, counter: Counter) -> None:
        self.counter, self.name = counter, block.name
        self.units = units_of(block.body)
        self.whole = [self._count(unit, unit.text) for unit in self.units]
        """The tokens of each unit in full."""
        self._variants = {i: found for i in range(len(self.units)) if (found := self._shorter(i))}

    def variants(self, unit: int) -> Sequence[Node]:
        """The shorter forms of a unit."""
        return self._variants.get(unit, ())

    def _shorter(self, index: int) -> Sequence[Node]:
        """Its own shorter forms, or else its beginnings, if it is long or all that its section says."""
        unit = self.units[index]
        own = variants_of(unit.node) if can_shorten(unit) else ()
        if own or (unit.group is not None and self.whole[index] <= LONG):
            return own
        return beginnings(unit.node, unit.name or self.name, alone=unit.group is not None)

    def at(self, unit: int, level: int) -> int:
        """The tokens of a unit at a level: 0 is all of it, 1 its first shorter form."""
        if level == GONE:
            return 0
        return self._count(self.units[unit], said(self.variants(unit)[level - 1])) if level else self.whole[unit]

    def _count(self, unit: Unit, text: str) -> int:
        return self.counter.by_lines(text + (unit.group.sep if unit.group else JOIN))

    @lazy
    def tools(self) -> dict[int, str]:
        """The units that describe a tool."""
        return {index: name for index, unit in enumerate(self.units) if (name := unit.tool)}
