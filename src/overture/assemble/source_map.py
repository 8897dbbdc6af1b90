"""A SourceMap gives for each character of a block the source text in its place, and why it was changed.

A build stores no map: the block is rendered again and compared. If the result is not the block in the prompt,
there is no map.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Sequence
from itertools import accumulate, groupby
from operator import attrgetter
from typing import NamedTuple

from ..model.prompt.block import Block
from ..model.prompt.prompt import Prompt
from ..model.recipe.body import Group, Node, Part
from ..model.safe_text import SafeText
from ..text.fences_and_headings import FENCE
from .render_body import BodyRenderer
from .sanitize.forbidden_frames import Guard, prompt_guard
from .sanitize.sanitize import Containment, Replacement, SafeResult, find_author_edits, find_edits, sanitize_with_edits

HIDDEN_CODES = ("hidden-character", "control-character")


class MappedText(NamedTuple):
    """A span of a prompt's text, and the source text in its place."""

    text: str
    was: str
    code: str = ""
    """Why they differ, as in a diagnostic; empty if they are equal or differ in a line end only."""


MappedTexts = list[MappedText]


def map_edits(text: str, edits: Sequence[Replacement]) -> MappedTexts:
    """Map a text with its edits; hidden characters in a row are one span."""
    mapped: MappedTexts = []
    for code, row in groupby(_map_each(text, edits), key=attrgetter("code")):
        if code in HIDDEN_CODES:
            shown, was, _ = zip(*row, strict=True)
            mapped.append(MappedText("".join(shown), "".join(was), code))
        else:
            mapped += row
    return mapped


def _map_each(text: str, edits: Sequence[Replacement]) -> Iterator[MappedText]:
    """Each span of a text with the source text in its place."""
    at = 0
    for edit in edits:
        if at < edit.at:
            yield MappedText(text[at : edit.at], text[at : edit.at])
        yield MappedText(edit.text, text[edit.at : edit.end], edit.code)
        at = edit.end
    if at < len(text):
        yield MappedText(text[at:], text[at:])


def map_within_words(row: MappedTexts, now: str) -> MappedTexts:
    """Map a text to its source if it continues a tag or heading begun above it: its first character is escaped."""
    first = next(index for index, each in enumerate(row) if each.text)
    head, this, rest = row[:first], row[first], row[first + 1 :]
    lead = now[: len(now) - sum(len(each.text) for each in row) + 1]  # the replacement of that character
    tag = lead[0] == "&"
    code = "contained-tag" if tag else "contained-heading"
    if this.code:
        # The character is a replacement already: only the new escape is mapped.
        return [
            *head,
            MappedText(lead if tag else lead[:1], "", code),
            *([this._replace(text=this.text[1:])] if tag else [this]),
            *rest,
        ]
    tail = MappedText(this.text[1:], this.was[1:])
    return [*head, MappedText(lead, this.was[:1], code), *([tail] if tail.text else []), *rest]


def map_fences(row: MappedTexts) -> MappedTexts:
    """Map a text inside a code block of the recipe to its source: each of its fences has a backslash before it."""
    fences = FENCE.finditer("".join(each.text for each in row))
    spans = [match.span(1) for match in fences][::-1]
    mapped: MappedTexts = []
    at = 0
    for each in row:
        mapped += _map_fences_of(each, at, spans)
        at += len(each.text)
    return mapped


def _map_fences_of(each: MappedText, start: int, spans: list[tuple[int, int]]) -> Iterator[MappedText]:
    """Map one span with the fences that begin in it; no fence is longer than its span."""
    done = 0
    while spans and spans[-1][0] < start + len(each.text):
        at, end = (offset - start for offset in spans.pop())
        if done < at:
            yield MappedText(each.text[done:at], each.text[done:at])
        yield MappedText(f"\\{each.text[at:end]}", each.text[at:end], "contained-fence")
        done = end
    if not done:
        yield each
    elif done < len(each.text):
        yield MappedText(each.text[done:], each.text[done:])


class SourceMap(NamedTuple):
    """A block as spans, and which of them belong to nodes of its body."""

    spans: tuple[MappedText, ...]
    starts: list[int]
    """The offset of each span in the block's text, then the end; whitespace that was trimmed counts too."""
    nodes: dict[int, tuple[int, int]]
    """The first span of each wanted node, and the one after its last, by the identity of the node."""
    top: int
    """The offset of the block's text, after the frame above it."""
    end: int

    def within(self, at: int) -> int:
        """The nearest offset inside the block's text."""
        return min(max(at, self.top), self.end)


def map_block(block: Block, prompt: Prompt, nodes: Collection[Node]) -> SourceMap | None:
    """Map a block; None if it can't be rendered again, as in a saved prompt."""
    mapper = SourceMapper(prompt, block, prompt_guard(prompt), nodes)
    mapper.render_framed(block.body)
    return mapper.make_source_map() if tuple(mapper.texts) == block.texts else None


class SourceMapper(BodyRenderer):
    """Renders a block, and records the source text of each piece."""

    __slots__ = ("before", "closing", "edits", "marked", "nodes", "size", "start", "wanted", "within")

    def __init__(self, prompt: Prompt, block: Block, guard: Guard, nodes: Collection[Node]) -> None:
        """Map a block of a prompt to its sources; `nodes` are those whose place in it is wanted."""
        super().__init__(prompt.recipe, block.section, prompt.state.origins, guard)
        self.marked: dict[int, MappedTexts] = {}
        """The mapped texts of each changed piece, by its index."""
        self.wanted = frozenset(map(id, nodes))
        self.nodes: dict[int, tuple[int, int]] = {}
        """The first piece of each wanted node, and the one after its last."""
        self.edits: list[Replacement] = []
        """The edits of the last part's text."""
        self.within: SafeText | None = None
        """The text of a part, if open words above it change it."""
        self.closing = ""
        """The line that closes a code block which the last part leaves open."""
        self.before: list[SafeText] = []
        """All pieces, before whitespace is trimmed."""
        self.start = 0
        """How many characters are trimmed at the start."""
        self.size = 0
        """How many characters are left after trimming."""

    def render_node(self, body: str | Part | Group) -> bool:
        """Render one node; for a group without text, nothing is recorded."""
        start = len(self.texts)
        rendered = super().render_node(body)
        if not rendered and isinstance(body, Group):
            self.marked = {at: row for at, row in self.marked.items() if at < start}
        self._record_node_range(body, start)
        return rendered

    def _record_node_range(self, node: Node, start: int) -> None:
        if id(node) in self.wanted:
            self.nodes[id(node)] = start, len(self.texts)

    def _put(self, text: str) -> None:
        """Render words of the recipe; if they were changed, map them to their source."""
        super()._put(text)
        if self.texts[-1] != text:
            self.marked[len(self.texts) - 1] = self._map_words(text)

    def _map_words(self, text: str) -> MappedTexts:
        return map_edits(text, find_edits(text, self.words))

    def _render_group(self, group: Group) -> bool:
        start = len(self.texts)
        rendered = super()._render_group(group)
        if rendered and self.known.get(group.sep) != group.sep:
            row = self._map_words(group.sep)
            apart = "".join(each.text for each in row)
            for at in range(start, len(self.texts)):
                if self.texts[at] == apart != group.sep and self.sources[at] is self.own:
                    self.marked.setdefault(at, row)
        return rendered

    def _render_part(self, part: Part) -> bool:
        start = len(self.texts)
        at = start + bool(part.before)
        self.within, self.closing = None, ""
        rendered = super()._render_part(part)
        if rendered and self.texts[at] != part.text:
            self.marked[at] = self._map_part(part, self.texts[at])
        if self.closing:
            self.marked[at + 1] = [MappedText(self.closing, "", "open-fence")]
        self._record_node_range(part, start)
        return rendered

    def _map_part(self, part: Part, now: SafeText) -> MappedTexts:
        """Map a part's text: its own edits, its escape after open words, and its fences in a code block."""
        row = map_edits(part.text, find_author_edits(part.text, self.guard.shows)[0] if part.trusted else self.edits)
        if self.within is not None:
            row = map_within_words(row, self.within)
        return row if sum(len(each.text) for each in row) == len(now) else map_fences(row)

    def _sanitize_part(self, part: Part, guard: Guard) -> SafeResult:
        text, self.edits = sanitize_with_edits(part.text, guard, single=part.single)
        return text, ()

    def _contain_part(self, part: Part) -> tuple[SafeText, str]:
        text, self.closing = super()._contain_part(part)
        return text, self.closing

    def _sanitize_below_words(
        self, text: SafeText, containments: tuple[Containment, ...], guard: Guard, after: str
    ) -> SafeResult:
        result = super()._sanitize_below_words(text, containments, guard, after)
        self.within = result[0] if result[0] != text else None
        return result

    def _finish_fences(self) -> None:
        ends = self.fences.find_missing_line_ends(self.texts)
        super()._finish_fences()
        moved = {at + bisect_right(ends, at): row for at, row in self.marked.items()}
        added = {at + number: [MappedText("\n", "", "line-end")] for number, at in enumerate(ends)}
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

    def make_source_map(self) -> SourceMap:
        """The rendered block as spans."""
        rows = [self.marked.get(at) or [MappedText(text, text)] for at, text in enumerate(self.before)]
        firsts = [0, *accumulate(map(len, rows))]
        spans = tuple(each for row in rows for each in row)
        top = len(self.section.frame.before) if self.section.frame is not None else 0
        starts = list(accumulate((len(each.text) for each in spans), initial=top - self.start))
        nodes = {node: (firsts[start], firsts[end]) for node, (start, end) in self.nodes.items()}
        return SourceMap(spans, starts, nodes, top, self.size + top)
