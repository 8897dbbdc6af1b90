"""A block that is one list is cut without rendering it again: units are left out, and their counts add up."""

import re

from msgspec import Struct
from msgspec.structs import replace

from ..assemble.render_body import BodyRenderer
from ..assemble.sanitize.forbidden_frames import EMPTY_GUARD
from ..assemble.sanitize.sanitize import sanitize_words
from ..model.prompt.block import JOIN, Block
from ..model.recipe.body import Group, Node, Part, node_text
from ..model.safe_text import SafeText
from ..model.source import Source
from .cut_units import DROPPED, UnitCosts, apply_cuts, rest_line

UNSAFE_LINE_START = re.compile(r"[\s/]")
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
