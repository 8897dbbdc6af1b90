"""A block, cut to a place in its sequence: laid anew by the way that built it, and the record of what was cut."""

from collections.abc import Iterator
from typing import NamedTuple

from ..assemble.render_body import BodyRenderer
from ..assemble.sanitize.guard import prompt_guard
from ..model.prompt.block import JOIN, Block, Cut, CutKind, Omission
from ..model.prompt.prompt import Prompt
from ..model.recipe.body import Node
from .cut_sequence import CutPosition, CutSequence, cut_sequence_of
from .cut_units import DROPPED, apply_cuts, find_units

MAX_CACHED_CUTS = 8
"""So many cut forms of a block are kept with it."""


class BlockCut(NamedTuple):
    """How far a block is cut."""

    sequence: CutSequence
    place: CutPosition
    bereft: frozenset[str] = frozenset()
    """Tools that were cut elsewhere: what goes with them goes too."""
    dropped: bool = False
    """Whether not even a line is left."""

    @property
    def levels(self) -> dict[int, int]:
        """The level of each unit that is cut."""
        found = self.sequence.levels(self.place)
        if not self.bereft:
            return found
        found = dict(found)
        for index, unit in enumerate(self.sequence.costs.units):
            if unit.group is not None and unit.named is not None and unit.named.goes_with in self.bereft:
                found[index] = DROPPED
        return found

    @property
    def at_foot(self) -> bool:
        """Whether it can go no further without being dropped."""
        return self.place >= self.sequence.end

    @property
    def nothing(self) -> bool:
        """Whether nothing of the block is left but, perhaps, a line."""
        return self.at_foot and (self.dropped or bool(self.sequence.line))

    def gave(self, share: float) -> bool:
        """Whether so much of the block is cut, or all of it."""
        return self.nothing or self.sequence.saving(self.place) > share * self.sequence.tokens

    @property
    def silent(self) -> bool:
        """Whether no line is left either."""
        return self.at_foot and self.dropped

    @property
    def cuts_anything(self) -> bool:
        """Whether it leaves any of the block out."""
        return self.nothing or bool(self.levels)

    def tools_gone(self) -> list[str]:
        """The tools that it no longer names."""
        tools = self.sequence.costs.tools
        levels = self.levels if tools else {}
        return [name for index, name in tools.items() if self.nothing or levels.get(index) == DROPPED]

    def result(self, prompt: Prompt) -> Block | Omission:
        """What is left of the block. The same cut gives the same object, so that its counts are kept."""
        if self.bereft and self.levels == self.sequence.levels(self.place):
            return self._replace(bereft=frozenset()).result(prompt)
        if not self.cuts_anything:
            return self.sequence.block
        cached = self.sequence.cached
        key = (self.place, self.bereft, self.dropped)
        if key not in cached:
            if len(cached) >= MAX_CACHED_CUTS:
                cached.clear()
            cached[key] = self._render_cut_block(prompt)
        return cached[key]

    def size(self, prompt: Prompt) -> int:
        """The tokens of what is left."""
        return _count_result_tokens(self.result(prompt), self)

    def further(self) -> "BlockCut":
        """One step further; at the very end there is none."""
        if self.at_foot:
            return self._replace(dropped=True)
        return self._replace(place=self.sequence.next(self.place))

    def _render_cut_block(self, prompt: Prompt) -> Block | Omission:
        block, layer = self.sequence.block, self._make_renderer(prompt)
        if self.silent:
            return Omission(block.section, layer.reason, block.notes)
        if self.nothing:
            layer.lay(self.sequence.notice)
            return Block(block.section, tuple(layer.texts), (layer.own,), block.notes, block.omits, block.body)
        pieces = self.sequence.pieces
        shortened = (pieces and pieces.cut(self.levels, layer)) or self.render_again(prompt)
        if self.bereft and _count_result_tokens(shortened, self) > self._replace(bereft=frozenset()).size(prompt):
            # What went with its tool is shorter than the line about it: a cut makes nothing longer.
            return self.render_again(prompt, line=False)
        return shortened

    def _make_renderer(self, prompt: Prompt) -> BodyRenderer:
        layer = BodyRenderer(prompt.recipe, self.sequence.block.section, prompt.state.origins, prompt_guard(prompt))
        layer.reason = f"dropped to fit the budget: {self.sequence.counter.describe(self.sequence.tokens)}"
        return layer

    def render_again(self, prompt: Prompt, *, line: bool = True) -> Block | Omission:
        """What is left of the block, by the way that built it, with or without the line about what went."""
        layer = self._make_renderer(prompt)
        layer.lay_framed(apply_cuts(self.sequence.costs.body, self._choose_forms(), line=line))
        return layer.result()

    def _choose_forms(self) -> dict[int, Node | None]:
        costs = self.sequence.costs
        return {
            id(costs.units[index].node): None if level == DROPPED else costs.variants(index)[level - 1]
            for index, level in self.levels.items()
        }

    def cuts(self) -> Iterator[Cut]:
        """Each part that is cut, or the whole block."""
        sequence, name = self.sequence, self.sequence.block.name
        if self.silent:
            yield Cut(name, "", sequence.tokens, 0, "dropped")
        elif self.nothing:
            yield Cut(name, "", sequence.tokens, sequence.line, "replaced")
        else:
            for index, level in sorted(self.levels.items()):
                yield self._cut(index, level)

    def _cut(self, index: int, level: int) -> Cut:
        costs, unit = self.sequence.costs, self.sequence.costs.units[index]
        after, how = costs.at(index, level), self._find_cut_kind(index, level)
        return Cut(self.sequence.block.name, unit.name, costs.whole[index], after, how, unit.source)

    def shortened(self, result: Block) -> Iterator[tuple[Cut, Node, Node]]:
        """Each cut after which something is still said: what it was, and what is said of it in what is left."""
        if self.nothing:
            yield next(self.cuts()), self.sequence.block.body, result.body
            return
        levels, units = self.levels, self.sequence.costs.units
        remaining = [index for index in range(len(units)) if levels.get(index) != DROPPED]
        now = [result.body] if units[0].group is None else [unit.node for unit in find_units(result.body)]
        if len(remaining) == len(now):
            for index, node in zip(remaining, now, strict=True):
                if index in levels:
                    yield self._cut(index, levels[index]), units[index].node, node

    def _find_cut_kind(self, index: int, level: int) -> CutKind:
        if level == DROPPED:
            return "dropped"
        costs = self.sequence.costs
        group = costs.units[index].group
        # The shortest form of a file is the line about it.
        only_line = group is not None and group.loose == "outermost" and level == len(costs.variants(index))
        return "replaced" if only_line else "shortened"


def _count_result_tokens(result: Block | Omission, cutting: BlockCut) -> int:
    return result.tokens(cutting.sequence.counter, JOIN) if isinstance(result, Block) else 0


def repeat_cut(cut: BlockCut, block: Block, full: Prompt, before: Prompt) -> BlockCut:
    """The same cut of the same block; of one that has changed, so much that it is no longer than it was."""
    sequence = cut_sequence_of(block, full)
    if sequence.steps is cut.sequence.steps:
        return BlockCut(sequence, cut.place, dropped=cut.dropped)
    had = cut.size(before)
    if cut.at_foot:
        cutting = BlockCut(sequence, sequence.end, dropped=cut.dropped)
    elif block.has_same_text(cut.sequence.block) and sequence.steps == cut.sequence.steps:
        cutting = BlockCut(sequence, cut.place)
    else:
        cutting = BlockCut(sequence, sequence.place_for(sequence.tokens - had))
    steps = 0
    while cutting.size(full) > had and not cutting.silent:
        # A sequence's sums are exact but for seams; and at its end its line may be longer than what there was.
        steps += 1
        for _ in range(next_stride(steps)):
            cutting = cutting.further()
    return cutting


def next_stride(steps: int) -> int:
    """How many steps to take at once, after so many.

    The sequences' sums are exact but for seams, so one or two is all; a counter of which they are not gets longer ones.
    """
    return 1 if steps < 16 else steps * steps
