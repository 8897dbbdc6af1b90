"""The units of a block, their shorter forms, and about how many tokens each of these has."""

from collections.abc import Sequence

from ..model.block import Block
from ..model.counter import Counter
from ..model.lazy import lazy
from ..model.tokens import JOIN
from .units import GONE, Node, Unit, can_shorten, said, units_of, variants_of


class Costs:
    """What each unit of a block costs, at each of its levels. Exact but for seams and what is contained."""

    def __init__(self, block: Block, counter: Counter) -> None:
        self.counter = counter
        self.units = units_of(block.body)
        self.whole = [self._count(unit, unit.text) for unit in self.units]
        """The tokens of each unit in full."""
        self._variants = {i: variants_of(unit.node) for i, unit in enumerate(self.units) if can_shorten(unit)}

    def variants(self, unit: int) -> Sequence[Node]:
        """The shorter forms of a unit."""
        return self._variants.get(unit, ())

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
