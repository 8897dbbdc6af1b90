"""A block is cut to a position in its sequence: the same renderer renders it again, and each cut is recorded."""

from collections.abc import Iterator
from typing import NamedTuple

from ..assemble.render_body import BodyRenderer
from ..assemble.sanitize.forbidden_frames import prompt_guard
from ..model.prompt.block import JOIN, Block, Cut, CutKind, Omission
from ..model.prompt.prompt import Prompt
from ..model.recipe.body import Node
from .cut_steps_and_sequence import CutPosition, CutSequence, make_cut_sequence
from .cut_units import DROPPED, apply_cuts, find_units

MAX_CACHED_CUTS = 8
"""How many cut forms of a block are cached with it."""


class BlockCut(NamedTuple):
    """How far a block is cut."""

    sequence: CutSequence
    place: CutPosition
    missing_tools: frozenset[str] = frozenset()
    """Tools that were cut in other blocks: the parts that go with them are dropped too."""
    dropped: bool = False
    """Whether even the notice is dropped."""

    @property
    def levels(self) -> dict[int, int]:
        """The level of each unit that is cut."""
        levels = self.sequence.levels(self.place)
        if not self.missing_tools:
            return levels
        levels = dict(levels)
        for index, unit in enumerate(self.sequence.costs.units):
            if unit.group is not None and unit.main_part is not None and unit.main_part.goes_with in self.missing_tools:
                levels[index] = DROPPED
        return levels

    @property
    def at_end(self) -> bool:
        """Whether the only further step is to drop the block."""
        return self.place >= self.sequence.end

    @property
    def is_fully_cut(self) -> bool:
        """Whether nothing is left of the block, except perhaps its notice."""
        return self.at_end and (self.dropped or bool(self.sequence.line))

    def exceeds(self, share: float) -> bool:
        """Whether more than this share of the block is cut, or all of it."""
        return self.is_fully_cut or self.sequence.saving(self.place) > share * self.sequence.tokens

    @property
    def is_omitted(self) -> bool:
        """Whether the notice is dropped too, so that the block is omitted."""
        return self.at_end and self.dropped

    @property
    def cuts_anything(self) -> bool:
        """Whether it shortens or drops any part of the block."""
        return self.is_fully_cut or bool(self.levels)

    def dropped_tools(self) -> list[str]:
        """The tools that the block no longer describes."""
        tools = self.sequence.costs.tools
        levels = self.levels if tools else {}
        return [name for index, name in tools.items() if self.is_fully_cut or levels.get(index) == DROPPED]

    def result(self, prompt: Prompt) -> Block | Omission:
        """The cut block. The same cut gives the same object, so that its token counts stay cached."""
        if self.missing_tools and self.levels == self.sequence.levels(self.place):
            return self._replace(missing_tools=frozenset()).result(prompt)
        if not self.cuts_anything:
            return self.sequence.block
        cached = self.sequence.cached
        key = (self.place, self.missing_tools, self.dropped)
        if key not in cached:
            if len(cached) >= MAX_CACHED_CUTS:
                cached.clear()
            cached[key] = self._render_cut_block(prompt)
        return cached[key]

    def size(self, prompt: Prompt) -> int:
        """The tokens of the cut block."""
        return self.result(prompt).tokens(self.sequence.counter, JOIN)

    def further(self) -> "BlockCut":
        """The cut one step further; at the end, the block is dropped."""
        if self.at_end:
            return self._replace(dropped=True)
        return self._replace(place=self.sequence.next(self.place))

    def _render_cut_block(self, prompt: Prompt) -> Block | Omission:
        block, renderer = self.sequence.block, self._make_renderer(prompt)
        if self.is_omitted:
            return Omission(block.section, renderer.reason, block.notes)
        if self.is_fully_cut:
            renderer.render_node(self.sequence.notice)
            return Block(block.section, tuple(renderer.texts), (renderer.own,), block.notes, block.omits, block.body)
        shortened = self.render_again(prompt)
        with_tools = self._replace(missing_tools=frozenset())
        if self.missing_tools and shortened.tokens(self.sequence.counter, JOIN) > with_tools.size(prompt):
            # The parts dropped with their tool are shorter than the line about them: a cut never adds tokens.
            return self.render_again(prompt, line=False)
        return shortened

    def _make_renderer(self, prompt: Prompt) -> BodyRenderer:
        """The renderer for this block as it is cut."""
        renderer = BodyRenderer(prompt.recipe, self.sequence.block.section, prompt.state.origins, prompt_guard(prompt))
        renderer.reason = f"dropped to fit the budget: {self.sequence.counter.describe(self.sequence.tokens)}"
        return renderer

    def render_again(self, prompt: Prompt, *, line: bool = True) -> Block | Omission:
        """Render the cut block with the renderer that built it, with or without the line about dropped parts."""
        renderer = self._make_renderer(prompt)
        renderer.render_framed(apply_cuts(self.sequence.costs.body, self._choose_forms(), line=line))
        return renderer.result()

    def _choose_forms(self) -> dict[int, Node | None]:
        """The form of each node that is cut in this block; None if it is dropped."""
        costs = self.sequence.costs
        return {
            id(costs.units[index].node): None if level == DROPPED else costs.variants(index)[level - 1]
            for index, level in self.levels.items()
        }

    def cuts(self) -> Iterator[Cut]:
        """A record for each part that is cut, or for the whole block."""
        sequence, name = self.sequence, self.sequence.block.name
        if self.is_omitted:
            yield Cut(name, "", sequence.tokens, 0, "dropped")
        elif self.is_fully_cut:
            yield Cut(name, "", sequence.tokens, sequence.line, "replaced")
        else:
            for index, level in sorted(self.levels.items()):
                yield self._cut(index, level)

    def _cut(self, index: int, level: int) -> Cut:
        """The record of one cut in this block."""
        costs, unit = self.sequence.costs, self.sequence.costs.units[index]
        after, how = costs.at(index, level), self._find_cut_kind(index, level)
        return Cut(self.sequence.block.name, unit.name, costs.whole[index], after, how, unit.source)

    def shortened(self, result: Block) -> Iterator[tuple[Cut, Node, Node]]:
        """Each cut of this block that leaves some text: its record, the original node, and the one in `result`."""
        if self.is_fully_cut:
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


def repeat_cut(cut: BlockCut, block: Block, full: Prompt, before: Prompt) -> BlockCut:
    """The same cut of the same block; a block that has changed is cut until it is no longer than before."""
    if cut.sequence.block is block and cut.sequence.origins == full.state.origins:
        return cut._replace(missing_tools=frozenset())
    sequence = make_cut_sequence(block, full)
    old_size = cut.size(before)
    if cut.at_end:
        cutting = BlockCut(sequence, sequence.end, dropped=cut.dropped)
    elif block.has_same_text(cut.sequence.block) and sequence.steps == cut.sequence.steps:
        cutting = BlockCut(sequence, cut.place)
    else:
        cutting = BlockCut(sequence, sequence.place_for(sequence.tokens - old_size))
    steps = 0
    while cutting.size(full) > old_size and not cutting.is_omitted:
        # The sums of a sequence are exact except at seams; at its end, the notice may be longer than the old text.
        steps += 1
        for _ in range(next_stride(steps)):
            cutting = cutting.further()
    return cutting


def next_stride(steps: int) -> int:
    """How many steps to take at once after `steps` single ones.

    The sums of sequences are exact except at seams, so one or two steps are enough; for other counters strides grow.
    """
    return 1 if steps < 16 else steps * steps
