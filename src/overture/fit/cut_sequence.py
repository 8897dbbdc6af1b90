"""A block gives up its text step by step; one that is a list is cut without rendering it again."""

from bisect import bisect_left
from collections.abc import Mapping
from copy import copy
from functools import partial
from itertools import accumulate
from typing import NamedTuple
from weakref import WeakValueDictionary

from msgspec import Struct
from msgspec.structs import replace

from ..assemble.render_body import BodyRenderer
from ..assemble.sanitize.guard import EMPTY_GUARD, Guard, prompt_guard
from ..assemble.sanitize.sanitize import sanitize_words
from ..lazy import lazy
from ..model.prompt.block import JOIN, Block, Omission
from ..model.prompt.prompt import Prompt
from ..model.recipe.body import Group, Node, Part, node_text
from ..model.recipe.recipe import Recipe
from ..model.safe_text import SafeText
from ..model.source import Origin, Source
from ..text.lazy_pattern import compile_on_use
from ..tokens.counter import Counter
from .cut_steps import CutStep, make_cut_steps
from .cut_units import DROPPED, UnitCosts, apply_cuts, rest_line

UNSAFE_LINE_START = compile_on_use(r"[\s/]")
"""The start of a line that a tokenizer may join with the end of the line before."""


class ListPieces(Struct, frozen=True):
    """The pieces of a block that is one list, by unit."""

    block: Block
    costs: UnitCosts
    group: Group
    """The list; its parts are the units of the block."""
    texts: tuple[SafeText, ...]
    """The pieces of the list, with the separator after each item, even the last."""
    sources: tuple[Source, ...]
    bounds: list[int]
    """The index of the first piece of each unit, then the end."""
    first: int
    """The piece of the block at which the list begins."""
    above: int
    """The tokens of the text above the list."""

    def cut(self, levels: dict[int, int], renderer: BodyRenderer) -> Block | None:
        """The block with units at other levels, counted; None if it has to be rendered and counted again."""
        block, by_lines = self.block, self.costs.counter.by_lines
        renderer.texts += block.texts[: self.first]
        renderer.sources += block.sources[: self.first]
        parts, tokens = self._put(levels, renderer)
        if tokens is None:
            return None
        if len(parts) < len(self.costs.units):
            parts.append(rest_line(self.group, len(parts), len(self.costs.units)))
            renderer.render_node(parts[-1])
        else:
            # The last unit is counted together with the text below the list.
            tokens -= self.costs.at(len(parts) - 1, levels.get(len(parts) - 1, 0))
            del renderer.texts[-1], renderer.sources[-1]
        last, end = node_text(parts[-1]), self.first + len(self.texts) - 1
        if not last or UNSAFE_LINE_START.match(last) or last[-1].isspace():
            return None
        renderer.texts += block.texts[end:]
        renderer.sources += block.sources[end:]
        renderer.notes += block.notes
        renderer.omits += block.omits
        renderer.body = apply_cuts(self.costs.body, {id(self.group): replace(self.group, parts=tuple(parts))})
        result, below = renderer.result(), last + "".join(block.texts[end:])
        if isinstance(result, Block):
            result.know(self.costs.counter, JOIN, tokens + by_lines(below + JOIN))
            result.know(self.costs.counter, "", tokens + by_lines(below))
            return result
        return None

    def _put(self, levels: dict[int, int], renderer: BodyRenderer) -> tuple[list[Node], int | None]:
        """Append the units that stay; return them with their tokens, or with None if those are unknown."""
        costs, bounds, tokens = self.costs, self.bounds, self.above
        parts: list[Node] = []
        for index, part in enumerate(self.group.parts):
            level = levels.get(index)
            if level is None:
                renderer.texts += self.texts[bounds[index] : bounds[index + 1]]
                renderer.sources += self.sources[bounds[index] : bounds[index + 1]]
                tokens += costs.whole[index]
                parts.append(part)
            elif level != DROPPED:
                form, start = costs.variants(index)[level - 1], len(renderer.texts)
                renderer.render_node(form)
                if (
                    "".join(renderer.texts[start:]) != (text := node_text(form))
                    or not text
                    or UNSAFE_LINE_START.match(text)
                ):
                    return parts, None
                renderer.render_node(self.group.sep)
                tokens += costs.at(index, level)
                parts.append(form)
        return parts, tokens


def find_list_pieces(block: Block, costs: UnitCosts) -> ListPieces | None:
    """The pieces of a block that is one list of parts whose counts add up; None for any other block."""
    group = costs.units[0].group
    if group is None or not costs.counter.additive or not group.sep.endswith("\n"):
        return None
    nodes = [unit.node for unit in costs.units]
    if len(nodes) < 2 or tuple(map(id, nodes)) != tuple(map(id, group.parts)):
        return None
    texts, bounds, heads, sep = list[str](), [0], "", group.sep
    for part in nodes:
        if type(part) is not Part:
            return None
        if part.before:
            texts.append(part.before)
        texts.append(part.text)
        if part.after:
            texts.append(part.after)
        heads += texts[bounds[-1]][0]
        texts.append(sep)
        bounds.append(len(texts))
    first = block.texts.index(texts[0]) if texts[0] in block.texts else 0
    end = first + len(texts) - 1
    above = "".join(block.texts[:first])
    if (
        block.texts[first:end] != tuple(texts[:-1])
        or UNSAFE_LINE_START.search(heads)
        or (above and not above.endswith("\n"))
    ):
        return None
    sources = (*block.sources[first:end], block.sources[first + bounds[1] - 1])
    item_texts = (*block.texts[first:end], sanitize_words(sep, EMPTY_GUARD)[0])
    return ListPieces(block, costs, group, item_texts, sources, bounds, first, costs.counter.by_lines(above))


# Block -> sequence: the steps that cut its text, down to the one-line notice in its place.
# Dropping the notice is not part of the sequence: that happens only when every sequence is at its end.


NOTICE = "[{name}: dropped to fit the budget, {tokens}.]"


class CutPosition(NamedTuple):
    """A position in a sequence: a number of whole steps, and a level within the next step."""

    steps: int = 0
    level: int = 0


def cut_sequence_of(block: Block, prompt: Prompt) -> "CutSequence":
    """The block's sequence by the prompt's counter, made once and kept with the block.

    A new block with the same text as the last one of its section reuses the sequence of that block.
    """
    counter, origins = prompt.counter, prompt.state.origins
    sequences: dict[Counter, CutSequence] = block.__dict__.setdefault("sequences", {})
    if counter not in sequences:
        last: WeakValueDictionary[tuple[str, Counter], CutSequence]
        last = prompt.recipe.__dict__.setdefault("sequences", WeakValueDictionary())
        before = last.get((block.name, counter))
        sequences.clear()
        if before is not None and before.origins == origins and before.block.has_same_body(block):
            sequences[counter] = before.of(block)
        else:
            sequences[counter] = CutSequence(block, counter, prompt.recipe, origins, prompt_guard(prompt))
        last[block.name, counter] = sequences[counter]
    return sequences[counter]


class CutSequence:
    """The steps that cut one block, in order, by one counter."""

    def __init__(
        self, block: Block, counter: Counter, recipe: Recipe, origins: Mapping[str, Origin], guard: Guard
    ) -> None:
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

    def of(self, block: Block) -> "CutSequence":
        """The same sequence for another block with the same text."""
        sequence = copy(self)
        sequence.block = block
        return sequence

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

    @lazy
    def pieces(self) -> ListPieces | None:
        """The block's pieces, if it can be cut without rendering it again."""
        return find_list_pieces(self.block, self.costs)

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
        """About how many tokens are saved at a position."""
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
        """The next position."""
        if position.steps < len(self.steps) and (step := self.steps[position.steps]).slides:
            level = self._find_worthwhile_level(step, position.level + 1)
            return CutPosition(position.steps, level) if level < step.moves[0][1] else CutPosition(position.steps + 1)
        return CutPosition(position.steps + 1)
