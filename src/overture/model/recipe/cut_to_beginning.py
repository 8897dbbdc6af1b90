"""A text or body is cut to its beginning: a first sentence, or more, with a line about how much is missing."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from ...text.fences_and_headings import closing_fence, closing_tags, common_indent, find_open_fence
from ...text.scan_for_marks import scan
from ...text.truncate import (
    find_ends,
    find_last_sentence_end,
    find_last_word,
    find_sentence_ends,
    is_long_enough,
    leads_on,
    next_shorter,
)
from .body import Group, Node, Part, node_text, nonempty_parts


class Beginnings(Sequence[Group]):
    """The beginnings of a node's text, longest first; the last may be only the line about the cut."""

    def __init__(self, node: Part | Group, name: str, positions: list[int], *, alone: bool) -> None:
        """The beginnings that end at these positions; `alone`: also the line about the cut by itself."""
        self.node, self.name = node, name
        self.text = _get_node_text(node)
        self.ends = [*positions, 0] if alone else positions

    def __len__(self) -> int:
        return len(self.ends)

    def __getitem__(self, index: int) -> Group:  # type: ignore[override]
        """The node cut to one of its beginnings, and the line that reports the cut."""
        node, end = self.node, self.ends[index]
        length = len(self.text[:end].rstrip())
        guard = node.guard if isinstance(node, Part) else ()
        line = Part(
            format_truncation_marker(self.name, len(self.text), length), name=self.name, guard=guard, single=True
        )
        if end:
            return _cut(node, end, replace(line, after=closing_tags(*_split_own_words(node, end))), "")
        indent = _get_indent(node.text) if isinstance(node, Part) else ""
        return Group((replace(line, text=indent + line.text, before=node.before, after=node.after),))


def beginnings_of_part(part: Part) -> Sequence[Group]:
    """For `Part.leaner`: a text that may be cut at its end, at a heading, a paragraph, a line or a sentence."""
    source = part.source
    name = part.name or (source.path or source.name if source else None) or "The text"
    return (
        Beginnings(part, name, find_ends(part.text), alone=True)
        if is_long_enough(part.text, len(part.text) - 1)
        else ()
    )


def beginnings_of_node(node: Node, name: str, *, alone: bool) -> Sequence[Group]:
    """The same for a node without shorter forms of its own: a text, or parts that belong together."""
    node = Part(node, trusted=True) if isinstance(node, str) else node
    text, positions = _get_node_text(node), list[int]()
    for position in sorted(_find_end_positions(node), reverse=True):
        if is_long_enough(text, position) and (not positions or position <= next_shorter(positions[-1])):
            positions.append(position)
    return Beginnings(node, name, positions, alone=alone) if positions else ()


def _get_node_text(node: Part | Group) -> str:
    """What its places count in."""
    return node.text if isinstance(node, Part) else node_text(node)


def _find_end_positions(node: Node) -> Iterator[int]:
    """Where a node may end: within its long texts, and between its lines, but not below a heading."""
    if isinstance(node, str):
        yield from find_ends(node)
    elif node.after and not node.after.startswith("\n"):
        return  # The text after it on its line ends it too.
    elif isinstance(node, Part):
        yield from () if node.single else find_ends(node.text)
    else:
        at, last = len(node.before), ""
        for part, text in nonempty_parts(node):
            if last and "\n" in node.sep and not leads_on(last):
                yield at - len(node.sep)
            yield from (at + _find_text_start(part) + position for position in _find_end_positions(part))
            at += len(text) + len(node.sep)
            last = text


def _find_text_start(node: Node) -> int:
    """Where the text that is cut begins in a node: for a part, behind the words before it."""
    return len(node.before) if isinstance(node, Part) else 0


def _cut(node: Node, end: int, line: Part, above: str) -> Group:
    """The beginning of a node, up to a position, with the line below it; the text around both stays."""
    if isinstance(node, Group):
        return replace(node, parts=tuple(_cut_parts(node, end, line, above)), leaner=())
    part = Part(node, trusted=True) if isinstance(node, str) else node
    head, indent = part.text[:end].rstrip(), _get_indent(part.text)
    head_part = replace(part, text=head, after=_close_open_fence(part, above + part.before, head), leaner=())
    line = replace(line, text=indent + line.text, after=line.after + part.after)
    return Group((head_part, line), sep="\n\n")


def _close_open_fence(part: Part, above: str, head: str) -> str:
    """The end of a code block that is open at the cut: it would swallow the line, and all that follows it.

    A code block that the whole text leaves open is closed and reported when the text is rendered.
    """
    indent = common_indent(head)
    fence = find_open_fence(above + head, indent)
    own_fence = scan(part.text).fence if fence is not None and not part.trusted else None
    if fence is None or (own_fence is not None and own_fence.line == fence.line - above.count("\n")):
        return ""
    return fence.closing(indent)


def _cut_parts(group: Group, end: int, line: Part, above: str) -> Iterator[Node]:
    """The parts of a group up to a position, with the line below them."""
    above += group.before
    at = len(group.before)
    for part, text in nonempty_parts(group):
        stop = at + len(text)
        if end < stop:
            yield _cut(part, end - at - _find_text_start(part), line, above)
            return
        above += _frame_words(part)
        if end == stop:
            yield Group((Group((part,), after=closing_fence(above)), line), sep="\n\n")
            return
        yield part
        above += group.sep
        at = stop + len(group.sep)


def _frame_words(node: Node) -> str:
    """The words of a node that may leave a code block open: the recipe's own. Others are closed when rendered."""
    if isinstance(node, Group):
        return node.before + node.sep.join([_frame_words(part) for part, _ in nonempty_parts(node)]) + node.after
    if isinstance(node, str):
        return node
    return node.before + (node.text if node.trusted else "") + node.after


def _get_indent(text: str) -> str:
    return text[: len(text) - len(text.lstrip(" \t"))]


def _split_own_words(node: Node, end: int) -> tuple[str, str]:
    """The recipe's own words before a place, and those after it."""
    before, after = [], []
    for text, at in _list_own_texts(node, -_find_text_start(node)):
        before.append(text[: max(end - at, 0)])
        after.append(text[max(end - at, 0) :])
    return "".join(before), "".join(after)


def _list_own_texts(node: Node, at: int) -> Iterator[tuple[str, int]]:
    """The recipe's own words in a node, with their positions."""
    if isinstance(node, str):
        yield node, at
    elif isinstance(node, Part):
        if node.trusted:
            yield node.text, at + _find_text_start(node)
    else:
        at += len(node.before)
        for part, text in nonempty_parts(node):
            yield from _list_own_texts(part, at)
            at += len(text) + len(node.sep)


MAX_SENTENCE_CHARS = 120
"""Characters of a first sentence."""
MIN_HALF_CHARS = 60
"""Characters: a shorter half carries too little."""
MAX_HALVINGS = 3
"""How often a text on one line is halved before only its first sentence is left."""


def shorter_lines(text: str) -> tuple[str, ...]:
    """For a text on one line: half of it, a quarter, …, and at last its first sentence."""
    first = first_sentence(text)
    return *_list_halved_texts(text, max(MIN_HALF_CHARS, len(first))), first


def _list_halved_texts(text: str, least: int) -> Iterator[str]:
    size = len(text)
    for _ in range(MAX_HALVINGS):
        size //= 2
        if size < least:
            return
        if end := find_last_sentence_end(text, size // 2, size) or max(text.rfind(" ", size // 2, size), 0):
            yield text[:end].rstrip() + " …"


def first_sentence(text: str) -> str:
    """The first sentence; of a long one as many words as there is room for, and `…`."""
    sentence = text[: next(find_sentence_ends(text), len(text))]
    if len(sentence) <= MAX_SENTENCE_CHARS:
        return sentence
    return text[: find_last_word(text, MAX_SENTENCE_CHARS // 2, MAX_SENTENCE_CHARS)].rstrip() + "…"


def format_truncation_marker(name: str, total: int, shown: int) -> str:
    """`[/p/AGENTS.md: 1,234 of 5,678 characters are left out from here on.]`."""
    if not shown:
        return f"[{name}: {total:,} characters are left out.]"
    return f"[{name}: {total - shown:,} of {total:,} characters are left out from here on.]"
