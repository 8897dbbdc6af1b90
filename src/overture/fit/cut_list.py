"""A block that is a list, cut without being laid anew: what stays keeps its pieces, and the counts add up.

They do so where every item begins a line, with neither a blank nor `/` (see LINE_END in tokens/counter.py), and where
its text stands in the block as it was given. Where any of this does not hold, the block is laid and counted anew.
"""

import re

from msgspec import Struct
from msgspec.structs import replace

from ..assemble.gate.admit import admit_words
from ..assemble.gate.guard import NOBODY
from ..assemble.text_with_sources import Layer
from ..model.admitted import Admitted
from ..model.prompt.block import Block
from ..model.prompt.block_tokens import JOIN
from ..model.recipe.body import Group, Node, Part, said
from ..model.source import Source
from .costs import Costs
from .smallest_units import GONE, rest_line, with_cuts

UNSAFE = re.compile(r"[\s/]")
"""What begins a line that a tokenizer may take together with the end of the one before."""


class Pieces(Struct, frozen=True):
    """Which pieces of a block are whose."""

    block: Block
    costs: Costs
    group: Group
    """The list; its parts are the units of the block."""
    texts: tuple[Admitted, ...]
    """The pieces of the list, with what separates two items after each of them, the last too."""
    sources: tuple[Source, ...]
    bounds: list[int]
    """Where among them the pieces of each unit begin, and the end of all."""
    first: int
    """Where in the block the list begins."""
    above: int
    """The tokens of what stands above the list."""

    def cut(self, levels: dict[int, int], layer: Layer) -> Block | None:
        """The block with units at other levels, counted; None where it has to be laid and counted anew."""
        block, by_lines = self.block, self.costs.counter.by_lines
        layer.texts += block.texts[: self.first]
        layer.sources += block.sources[: self.first]
        kept, tokens = self._put(levels, layer)
        if tokens is None:
            return None
        if len(kept) < len(self.costs.units):
            kept.append(rest_line(self.group, len(kept), len(self.costs.units)))
            layer.lay(kept[-1])
        else:
            # The last is counted with what stands below the list.
            tokens -= self.costs.at(len(kept) - 1, levels.get(len(kept) - 1, 0))
            del layer.texts[-1], layer.sources[-1]
        last, end = said(kept[-1]), self.first + len(self.texts) - 1
        if not last or UNSAFE.match(last) or last[-1].isspace():
            return None
        layer.texts += block.texts[end:]
        layer.sources += block.sources[end:]
        layer.notes += block.notes
        layer.omits += block.omits
        layer.body = with_cuts(self.costs.body, {id(self.group): replace(self.group, parts=tuple(kept))})
        left, below = layer.result(), last + "".join(block.texts[end:])
        if isinstance(left, Block):
            left.know(self.costs.counter, JOIN, tokens + by_lines(below + JOIN))
            left.know(self.costs.counter, "", tokens + by_lines(below))
            return left
        return None

    def _put(self, levels: dict[int, int], layer: Layer) -> tuple[list[Node], int | None]:
        """Put down the units that stay; which they are, and how many tokens they have, if that is known."""
        costs, bounds, tokens = self.costs, self.bounds, self.above
        kept: list[Node] = []
        for index, part in enumerate(self.group.parts):
            level = levels.get(index)
            if level is None:
                layer.texts += self.texts[bounds[index] : bounds[index + 1]]
                layer.sources += self.sources[bounds[index] : bounds[index + 1]]
                tokens += costs.whole[index]
                kept.append(part)
            elif level != GONE:
                form, start = costs.variants(index)[level - 1], len(layer.texts)
                layer.lay(form)
                if "".join(layer.texts[start:]) != (text := said(form)) or not text or UNSAFE.match(text):
                    return kept, None
                layer.lay(self.group.sep)
                tokens += costs.at(index, level)
                kept.append(form)
        return kept, tokens


def pieces_of(block: Block, costs: Costs) -> Pieces | None:
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
    if block.texts[first:end] != tuple(texts[:-1]) or UNSAFE.search(heads) or (above and not above.endswith("\n")):
        return None
    sources = (*block.sources[first:end], block.sources[first + bounds[1] - 1])
    laid = (*block.texts[first:end], admit_words(sep, NOBODY)[0])
    return Pieces(block, costs, group, laid, sources, bounds, first, costs.counter.by_lines(above))
