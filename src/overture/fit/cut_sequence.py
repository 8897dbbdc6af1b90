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
"""What begins a line that a tokenizer may take together with the end of the one before."""


class ListPieces(Struct, frozen=True):
    """Which pieces of a block are whose."""

    block: Block
    costs: UnitCosts
    group: Group
    """The list; its parts are the units of the block."""
    texts: tuple[SafeText, ...]
    """The pieces of the list, with what separates two items after each of them, the last too."""
    sources: tuple[Source, ...]
    bounds: list[int]
    """Where among them the pieces of each unit begin, and the end of all."""
    first: int
    """Where in the block the list begins."""
    above: int
    """The tokens of what stands above the list."""

    def cut(self, levels: dict[int, int], layer: BodyRenderer) -> Block | None:
        """The block with units at other levels, counted; None where it has to be laid and counted anew."""
        block, by_lines = self.block, self.costs.counter.by_lines
        layer.texts += block.texts[: self.first]
        layer.sources += block.sources[: self.first]
        parts, tokens = self._put(levels, layer)
        if tokens is None:
            return None
        if len(parts) < len(self.costs.units):
            parts.append(rest_line(self.group, len(parts), len(self.costs.units)))
            layer.lay(parts[-1])
        else:
            # The last is counted with what stands below the list.
            tokens -= self.costs.at(len(parts) - 1, levels.get(len(parts) - 1, 0))
            del layer.texts[-1], layer.sources[-1]
        last, end = node_text(parts[-1]), self.first + len(self.texts) - 1
        if not last or UNSAFE_LINE_START.match(last) or last[-1].isspace():
            return None
        layer.texts += block.texts[end:]
        layer.sources += block.sources[end:]
        layer.notes += block.notes
        layer.omits += block.omits
        layer.body = apply_cuts(self.costs.body, {id(self.group): replace(self.group, parts=tuple(parts))})
        result, below = layer.result(), last + "".join(block.texts[end:])
        if isinstance(result, Block):
            result.know(self.costs.counter, JOIN, tokens + by_lines(below + JOIN))
            result.know(self.costs.counter, "", tokens + by_lines(below))
            return result
        return None

    def _put(self, levels: dict[int, int], layer: BodyRenderer) -> tuple[list[Node], int | None]:
        """Put down the units that stay; which they are, and how many tokens they have, if that is known."""
        costs, bounds, tokens = self.costs, self.bounds, self.above
        parts: list[Node] = []
        for index, part in enumerate(self.group.parts):
            level = levels.get(index)
            if level is None:
                layer.texts += self.texts[bounds[index] : bounds[index + 1]]
                layer.sources += self.sources[bounds[index] : bounds[index + 1]]
                tokens += costs.whole[index]
                parts.append(part)
            elif level != DROPPED:
                form, start = costs.variants(index)[level - 1], len(layer.texts)
                layer.lay(form)
                if (
                    "".join(layer.texts[start:]) != (text := node_text(form))
                    or not text
                    or UNSAFE_LINE_START.match(text)
                ):
                    return parts, None
                layer.lay(self.group.sep)
                tokens += costs.at(index, level)
                parts.append(form)
        return parts, tokens


def find_list_pieces(block: Block, costs: UnitCosts) -> ListPieces | None:
    """The pieces of a block that is one list of parts, and whose counts add up; None of any other."""
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


# Block -> sequence: how it gives up its text, step by step, down to the one line that stands for it.
# The last step, after which nothing is said at all, is not in it: that is only taken when every sequence is at its end.


NOTICE = "[{name}: dropped to fit the budget, {tokens}.]"


class CutPosition(NamedTuple):
    """Where in a sequence: after so many whole steps, and so many levels into the next one."""

    steps: int = 0
    level: int = 0


def cut_sequence_of(block: Block, prompt: Prompt) -> "CutSequence":
    """The block's sequence by the prompt's counter, made once and kept with the block.

    A block that was built anew and says the same as the last one of its section takes over the sequence of that.
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
    """How one block gives up its text, by one counter: the steps in their order."""

    def __init__(
        self, block: Block, counter: Counter, recipe: Recipe, origins: Mapping[str, Origin], guard: Guard
    ) -> None:
        self.block, self.counter, self.origins = block, counter, origins
        self.tokens = block.tokens(counter, JOIN)
        self.notice = NOTICE.format(name=block.name, tokens=counter.describe(self.tokens))
        self.costs = UnitCosts(block, counter, partial(BodyRenderer, recipe, block.section, origins, guard))
        self.steps = make_cut_steps(self.costs)
        self.saved = list(accumulate([step.saves for step in self.steps], initial=0))
        """About how many tokens are saved after so many steps."""
        self.cached: dict[object, Block | Omission] = {}
        """What was laid of it before, by how far it was cut."""
        self._last: tuple[CutPosition, dict[int, int]] = (CutPosition(), {})

    def of(self, block: Block) -> "CutSequence":
        """The same sequence for another block that says the same."""
        sequence = copy(self)
        sequence.block = block
        return sequence

    @property
    def end(self) -> CutPosition:
        """The end of the sequence: one line for the block, or its shortest form where a line would not be worth it."""
        return CutPosition(len(self.steps) + 1)

    @lazy
    def line(self) -> int:
        """The tokens of the line that stands for the block at the foot; none where it saves less than it costs."""
        cost = self.counter.by_lines(self.notice + JOIN)
        return cost if 2 * cost <= self.tokens and cost < self.tokens - self.saved[-1] else 0

    @property
    def remains(self) -> int:
        """How many tokens are left at the foot."""
        return self.line or self.tokens - self.saved[-1]

    @lazy
    def pieces(self) -> ListPieces | None:
        """The block's pieces, where it can be cut without being laid anew."""
        return find_list_pieces(self.block, self.costs)

    def levels(self, position: CutPosition) -> dict[int, int]:
        """The level of each unit that is cut at a place. The last answer is kept: it is asked for several times."""
        if self._last[0] == position:
            return self._last[1]
        found = dict([move for step in self.steps[: position.steps] for move in step.moves])
        if position.level:
            found[self.steps[position.steps].moves[0][0]] = position.level
        self._last = position, found
        return found

    def saving(self, position: CutPosition) -> int:
        """About how many tokens are saved at a place."""
        if position >= self.end:
            return self.tokens - self.remains
        saved = self.saved[position.steps]
        if position.level:
            index, _ = self.steps[position.steps].moves[0]
            saved += self.costs.whole[index] - self.costs.at(index, position.level)
        return saved

    def place_for(self, need: int) -> CutPosition:
        """The first place at which about so many tokens are saved."""
        steps = bisect_left(self.saved, need)
        if steps == 0 or steps > len(self.steps) or not self.steps[steps - 1].slides:
            return CutPosition(steps)
        index, last = self.steps[steps - 1].moves[0]
        room = self.costs.whole[index] - (need - self.saved[steps - 1])
        level = 1 + bisect_left(range(1, last), True, key=lambda each: self.costs.at(index, each) <= room)
        level = self._find_worthwhile_level(self.steps[steps - 1], level)
        return CutPosition(steps - 1, level) if level < last else CutPosition(steps)

    def _find_worthwhile_level(self, step: CutStep, level: int) -> int:
        """That level, or the first further on at which as much is saved as the line about it costs."""
        index, last = step.moves[0]
        while level < last and self.costs.whole[index] - self.costs.at(index, level) < step.line:
            level += 1
        return level

    def next(self, position: CutPosition) -> CutPosition:
        """One step further down."""
        if position.steps < len(self.steps) and (step := self.steps[position.steps]).slides:
            level = self._find_worthwhile_level(step, position.level + 1)
            return CutPosition(position.steps, level) if level < step.moves[0][1] else CutPosition(position.steps + 1)
        return CutPosition(position.steps + 1)
