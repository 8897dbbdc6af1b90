"""Block -> what the gate did to it, place by place: it is laid once more, by the way that built it, and looked at.

A build writes none of this down. Where the block does not come out as it stands in the prompt, nothing is claimed.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection
from itertools import accumulate
from typing import NamedTuple

from ..model.admitted import Admitted
from ..model.prompt.block import Block
from ..model.prompt.prompt import Prompt
from ..model.recipe.body import Group, Node, Part
from .gate.admit import Passed, admit_with_edits
from .gate.foreign_text import Edit, edits_for, edits_of_author
from .gate.frames_of_prompt import guard_of_prompt
from .gate.guard import Guard
from .gate.report_foreign_text import Contained
from .stretches import Stretch, Stretches, stretches, unfenced, within_words
from .text_with_sources import Layer


class Laid(NamedTuple):
    """A block in stretches, and where in it nodes of its body stand."""

    stretches: tuple[Stretch, ...]
    starts: list[int]
    """Where in the block's text each stretch begins, and the end of all; blanks around it that went count too."""
    nodes: dict[int, tuple[int, int]]
    """By the identity of a node that was asked for: its first stretch, and the one after its last."""
    top: int
    """Where the block's text begins, behind its frame."""
    end: int

    def within(self, at: int) -> int:
        """The nearest place that is in the block's text."""
        return min(max(at, self.top), self.end)


def lay_again(block: Block, prompt: Prompt, nodes: Collection[Node] = ()) -> Laid | None:
    """The block in stretches; None where it can't be told how it was laid, so of a saved prompt."""
    if not block.body:
        return None
    traced = Traced(prompt, block, guard_of_prompt(prompt), nodes)
    traced.lay_framed(block.body)
    return traced.laid() if tuple(traced.texts) == block.texts else None


class Traced(Layer):
    """Lays a block, and remembers what each piece said before."""

    __slots__ = ("before", "closing", "edits", "marked", "nodes", "size", "start", "wanted", "within")

    def __init__(self, prompt: Prompt, block: Block, guard: Guard, nodes: Collection[Node]) -> None:
        super().__init__(prompt.recipe, block.section, prompt.state.origins, guard)
        self.marked: dict[int, Stretches] = {}
        """By their index, the pieces that are not as they were."""
        self.wanted = frozenset(map(id, nodes))
        self.nodes: dict[int, tuple[int, int]] = {}
        """The pieces of the nodes that are wanted."""
        self.edits: list[Edit] = []
        """Those of the last part's text."""
        self.within: Admitted | None = None
        """The text of a part as words above it make it."""
        self.closing = ""
        """The line that closes what the last part leaves open."""
        self.before: list[Admitted] = []
        """All pieces, before the blanks around them went."""
        self.start = 0
        """How many characters of those blanks stood above."""
        self.size = 0
        """How many characters are left."""

    def lay(self, body: str | Part | Group) -> bool:
        """Lay one node; of one that says nothing after all, nothing is remembered."""
        start = len(self.texts)
        said = super().lay(body)
        if not said and isinstance(body, Group):
            self.marked = {at: row for at, row in self.marked.items() if at < start}
        self._placed_at(body, start)
        return said

    def _placed_at(self, node: Node, start: int) -> None:
        if id(node) in self.wanted:
            self.nodes[id(node)] = start, len(self.texts)

    def _put(self, text: str) -> None:
        super()._put(text)
        if self.texts[-1] != text:
            self.marked[len(self.texts) - 1] = self._worded(text)

    def _worded(self, text: str) -> Stretches:
        return stretches(text, edits_for(text, None, self.words.guard))

    def _lay_group(self, group: Group) -> bool:
        start = len(self.texts)
        said = super()._lay_group(group)
        if said and self.known.get(group.sep) != group.sep:
            row = self._worded(group.sep)
            apart = "".join(each.text for each in row)
            for at in range(start, len(self.texts)):
                if self.texts[at] == apart != group.sep and self.sources[at] is self.own:
                    self.marked.setdefault(at, row)
        return said

    def _lay_part(self, part: Part) -> bool:
        start = len(self.texts)
        at = start + bool(part.before)
        self.within, self.closing = None, ""
        said = super()._lay_part(part)
        if said and self.texts[at] != part.text:
            self.marked[at] = self._stretches(part, self.texts[at])
        if self.closing:
            self.marked[at + 1] = [Stretch(self.closing, "", "open-fence")]
        self._placed_at(part, start)
        return said

    def _stretches(self, part: Part, now: Admitted) -> Stretches:
        """What became of a part's text: on its own, below words that it goes on with, and inside a code block."""
        row = stretches(part.text, edits_of_author(part.text, self.guard.shows)[0] if part.trusted else self.edits)
        if self.within is not None:
            row = within_words(row, self.within)
        return row if sum(len(each.text) for each in row) == len(now) else unfenced(row)

    def _admit(self, part: Part, guard: Guard) -> Passed:
        text, self.edits = admit_with_edits(part.text, guard, part.marks, single=part.single)
        return text, ()

    def _contained(self, part: Part) -> tuple[Admitted, str]:
        text, self.closing = super()._contained(part)
        return text, self.closing

    def _within(self, text: Admitted, found: tuple[Contained, ...], guard: Guard, after: str) -> Passed:
        passed = super()._within(text, found, guard, after)
        self.within = passed[0] if passed[0] != text else None
        return passed

    def _see_to_fences(self) -> None:
        ends = self.fences.unended(self.texts)
        super()._see_to_fences()
        moved = {at + bisect_right(ends, at): row for at, row in self.marked.items()}
        added = {at + number: [Stretch("\n", "", "line-end")] for number, at in enumerate(ends)}
        self.marked = moved | added
        self.nodes = {
            node: (start + bisect_right(ends, start), end + bisect_left(ends, end))
            for node, (start, end) in self.nodes.items()
        }

    def _trim(self, *, keep_indent: bool) -> None:
        self.before = [*self.texts]
        super()._trim(keep_indent=keep_indent)
        self.size = sum(map(len, self.texts))
        self.start = len("".join(self.before).rstrip()) - self.size

    def laid(self) -> Laid:
        """What was laid, in stretches."""
        rows = [self.marked.get(at) or [Stretch(text, text)] for at, text in enumerate(self.before)]
        firsts = [0, *accumulate(map(len, rows))]
        found = tuple(each for row in rows for each in row)
        top = len(self.section.frame.before) if self.section.frame is not None else 0
        starts = list(accumulate((len(each.text) for each in found), initial=top - self.start))
        nodes = {node: (firsts[start], firsts[end]) for node, (start, end) in self.nodes.items()}
        return Laid(found, starts, nodes, top, self.size + top)
