"""The units of a block, their shorter forms, and about how many tokens each of these has."""

from collections.abc import Callable, Sequence

from ..assemble.text_with_sources import Layer
from ..lazy import lazy
from ..model.prompt.block import Block
from ..model.prompt.block_tokens import JOIN
from ..model.recipe.body import Node, Part, in_full, said
from ..model.recipe.cut_text import beginnings
from ..text.scan import PLAIN
from ..tokens.counter import Counter
from .shorter_forms import forms_of, has_forms
from .smallest_units import GONE, Unit, apart, check_rest, units_of

LONG = 64
"""Tokens: a longer part of a list gets shorter forms even where its section gives it none."""


class Costs:
    """What each unit of a block costs as it is laid, at each of its levels. Exact but for seams."""

    def __init__(self, block: Block, counter: Counter, layer: Callable[[], Layer]) -> None:
        self.counter, self.name, self.body, self.layer = counter, block.name, block.body, layer
        self.units = units_of(block.body)
        if len({id(unit.node) for unit in self.units}) < len(self.units):
            # Cuts are told apart by what they cut, so one part that is said twice has to be two.
            self.body = apart(block.body)
            self.units = units_of(self.body)
        for group in {id(unit.group): unit.group for unit in self.units if unit.group}.values():
            check_rest(group, self.name)
        # Whatever is contained is noted: without a note, all stands in the block as it was given.
        says = self._laid if block.notes else said
        self.whole = counter.each([says(unit.node) + _sep(unit) for unit in self.units])
        """The tokens of each unit in full."""
        self.shorter = {
            index: forms
            for index, (unit, tokens) in enumerate(zip(self.units, self.whole, strict=True))
            if (unit.node is not unit.named or unit.named.leaner or tokens > LONG or unit.group is None)
            and (forms := self._forms(unit, tokens))
        }
        """The shorter forms of those that have any."""

    @lazy
    def _known(self) -> dict[tuple[int, int], int]:
        """What was laid and counted before: a search comes by more than once."""
        return {}

    def variants(self, unit: int) -> Sequence[Node]:
        """The shorter forms of a unit."""
        return self.shorter.get(unit, ())

    def _forms(self, unit: Unit, tokens: int) -> Sequence[Node]:
        """Its own shorter forms, or else its beginnings, if it is long or all that its section says."""
        if not isinstance(unit.node, str) and unit.node.leaner is in_full:
            return ()
        own = forms_of(unit, self.name) if has_forms(unit) else ()
        if own or (unit.group is not None and tokens <= LONG):
            return own
        return beginnings(unit.node, unit.name or self.name, alone=unit.group is not None)

    def at(self, unit: int, level: int) -> int:
        """The tokens of a unit at a level: 0 is all of it, 1 its first shorter form."""
        if level == GONE:
            return 0
        if not level:
            return self.whole[unit]
        if (unit, level) not in self._known:
            laid = self._laid(self.shorter[unit][level - 1]) + _sep(self.units[unit])
            self._known[unit, level] = self.counter.by_lines(laid)
        return self._known[unit, level]

    def _laid(self, node: Node) -> str:
        """What a node says, contained: a file full of what is neutralised is longer in the prompt than on disk."""
        if type(node) is Part and node.marks is PLAIN and not node.single:
            return said(node)
        layer = self.layer()
        layer.lay(node)
        return "".join(layer.texts)

    @lazy
    def tools(self) -> dict[int, str]:
        """The units that describe a tool."""
        return {
            i: name for i, unit in enumerate(self.units) if unit.named and unit.named.source and (name := unit.tool)
        }


def _sep(unit: Unit) -> str:
    """What stands between a unit and the next."""
    return unit.group.sep if unit.group else JOIN
