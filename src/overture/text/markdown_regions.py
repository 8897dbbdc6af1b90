"""What stands in the blocks of a Markdown text, with its place: code, headings, comments, links."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from typing import Literal, NamedTuple

from .lazy_pattern import compile_on_use
from .markdown import COMMENT_END, COMMENT_START, BlockLine, read_blocks

INLINE_START = compile_on_use(r"\\[\\`<]|`+|<!--")
BACKTICKS = compile_on_use("`+")
LINK = compile_on_use(
    r"!?\[(?P<words>(?:[^\[\]\\]|\\.|\[[^\[\]]*\]){0,300})\]"
    r"\(\s{0,3}(?:<(?P<angled>[^<>\n]{0,1000})>|(?P<plain>[^()\s<]++(?:\([^()\s]*+\)[^()\s<]*+)*))?"
    r"(?:\s{1,3}(?:\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'|\([^()\n]{0,300}\)))?\s{0,3}\)"
)
"""A link or an image: its words, and its target, which stands in angle brackets or holds no blank."""
GOES_ON = {"fence": ("code", "fence"), "text": ("text", "underline"), "comment": ("comment",)}
"""The lines that belong to the block that a line of another kind begins."""
RegionKind = Literal["backticks", "tildes", "indented", "span", "comment"]
Block = list[BlockLine]
"""The lines of a block; one that is indented code, or blank, is a block of its own."""


def group_blocks(text: str) -> Iterator[Block]:
    """The lines of a text, those of one block together."""
    block: Block = []
    further: tuple[str, ...] = ()
    for line in read_blocks(text):
        if line.kind in further and not line.begins:
            block.append(line)
            continue
        if block:
            yield block
        block, further = [line], GOES_ON.get(line.kind, ())
    yield block


class CodeBlock(NamedTuple):
    """A code block between fences."""

    mark: str
    """The fence that opens it."""
    info: str
    """What stands behind that."""
    text: str
    """Without the marks of quotes and list items, and without the blanks before the fence."""
    start: int
    end: int
    closed: bool

    @property
    def language(self) -> str:
        """The first word of its info, in small letters."""
        return (self.info.split() or [""])[0].lower()


def find_code_blocks(text: str) -> Iterator[CodeBlock]:
    """The code blocks between fences, in order; one that is not closed ends with what it stands in."""
    if "```" in text or "~~~" in text:
        for block in group_blocks(text):
            if block[0].kind == "fence":
                yield make_code_block(text, block)


def make_code_block(text: str, block: Block) -> CodeBlock:
    """The code block of lines between fences."""
    first, closed = block[0], len(block) > 1 and block[-1].kind == "fence"
    mark, info = read_fence(text, first)
    indent = text[first.content : first.end].index(mark)
    code = [_dedent(text[line.content : line.end], indent) for line in (block[1:-1] if closed else block[1:])]
    return CodeBlock(mark, info, "\n".join(code), first.start, block[-1].end, closed)


def read_fence(text: str, line: BlockLine) -> tuple[str, str]:
    """The mark of a line that is a fence, and what stands behind it."""
    words = text[line.content : line.end].strip(" \t")
    info = words.lstrip(words[0])
    return words[: len(words) - len(info)], info.strip(" \t")


def _dedent(line: str, indent: int) -> str:
    """A line of code without the blanks that stand before its fence, too."""
    return line[min(indent, len(line) - len(line.lstrip(" "))) :]


class Heading(NamedTuple):
    """A heading, by `#` or by a line below its words."""

    level: int
    words: str
    start: int
    """Where its first line begins."""


def read_headings(text: str) -> Iterator[Heading]:
    """The headings of a text, in order."""
    for block in group_blocks(text) if "#" in text or "\n" in text else ():
        if heading := make_heading(text, block):
            yield heading


def make_heading(text: str, block: Block) -> Heading | None:
    """The heading that a block is."""
    if block[-1].kind == "underline":
        words = " ".join(text[line.content : line.end].strip(" \t") for line in block[:-1])
        return Heading(1 if "=" in text[block[-1].content : block[-1].end] else 2, words, block[0].start)
    if block[0].kind != "heading":
        return None
    line_text = text[block[0].content : block[0].end].strip(" \t")
    words = line_text.lstrip("#")
    bare = words.rstrip("#")
    closing = not bare or bare[-1] in " \t"
    return Heading(len(line_text) - len(words), (bare if closing else words).strip(" \t"), block[0].start)


class Region(NamedTuple):
    """A stretch of a text: its first character and the one behind its last."""

    start: int
    end: int
    kind: RegionKind


def find_regions(text: str) -> Iterator[Region]:
    """Code blocks, code spans and HTML comments, in order."""
    for block in group_blocks(text):
        kind, start, end = block[0].kind, block[0].start, block[-1].end
        if kind == "fence":
            yield Region(start, end, "tildes" if read_fence(text, block[0])[0][0] == "~" else "backticks")
        elif kind == "indented":
            yield Region(start, end, "indented")
        elif kind in ("text", "heading"):
            yield from find_inline_regions(text, start, end)
        elif kind == "comment":
            yield from _find_comments(text, start, end)


def _find_comments(text: str, start: int, end: int) -> Iterator[Region]:
    """The comments of a block that begins with one; one that is not ended goes on to the end of the block."""
    while (begin := text.find(COMMENT_START, start, end)) >= 0:
        stop = text.find(COMMENT_END, begin + 2, end)
        start = stop + len(COMMENT_END) if stop >= 0 else end
        yield Region(begin, start, "comment")


def find_inline_regions(text: str, start: int = 0, end: int | None = None) -> Iterator[Region]:
    """The code spans and comments of one paragraph or heading, in order; of two that cross, the first counts."""
    end = len(text) if end is None else end
    if text.find(COMMENT_START, start, end) < 0:
        at = text.find("`", start, end)
        if at < 0:
            return
        if text.find("``", at, end) < 0 and text.find("\\", start, end) < 0:
            yield from _find_plain_spans(text, at, end)
            return
    runs: dict[int, list[int]] = {}
    for run in BACKTICKS.finditer(text, start, end):
        runs.setdefault(len(run[0]), []).append(run.start())
    at, last_comment = start, text.rfind(COMMENT_END, start, end)
    while found := INLINE_START.search(text, at, end):
        first, at = found.span()
        if found[0] == COMMENT_START and first < last_comment:
            at = text.find(COMMENT_END, first + 2, end) + len(COMMENT_END)
            yield Region(first, at, "comment")
        elif found[0][0] == "`":
            same = runs.get(at - first, [])
            index = bisect_left(same, at)
            if index < len(same):
                at = same[index] + at - first
                yield Region(first, at, "span")


def _find_plain_spans(text: str, at: int, end: int) -> Iterator[Region]:
    """The code spans of a paragraph, from its first backtick on, where each stands alone: every other ends one."""
    while at >= 0 and (last := text.find("`", at + 1, end)) >= 0:
        yield Region(at, last + 1, "span")
        at = text.find("`", last + 1, end)


def strip_links(text: str) -> str:
    """The text with the words of each link in its place."""
    return LINK.sub(r"\g<words>", text) if "](" in text else text


def blank_code(text: str) -> str:
    """The same text with blanks for code spans and code between fences: places stay."""
    pieces, at = list[str](), 0
    for region in find_regions(text) if "`" in text or "~~~" in text else ():
        if region.kind in ("backticks", "tildes", "span"):
            pieces += text[at : region.start], re.sub(r"[^\r\n]", " ", text[region.start : region.end])
            at = region.end
    return "".join([*pieces, text[at:]])


def remove_comments(text: str) -> str:
    """The text without its HTML comments; those that code shows stay."""
    comments = [region for region in find_regions(text) if region.kind == "comment"] if COMMENT_START in text else []
    starts, ends = (0, *(each.end for each in comments)), (*(each.start for each in comments), len(text))
    return "".join([text[start:end] for start, end in zip(starts, ends, strict=True)])


class RegionFilter:
    """Says of places whether they stand in none of some regions."""

    def __init__(self, regions: Iterable[Region]) -> None:
        self.starts: list[int] = []
        self.ends: list[int] = []
        for region in regions:
            self.starts.append(region.start)
            self.ends.append(region.end)

    def holds(self, at: int) -> bool:
        """Whether a place stands in none of them."""
        index = bisect_right(self.starts, at) - 1
        return index < 0 or at >= self.ends[index]


def strip_block_comments(text: str) -> list[tuple[int, str]]:
    """The text without HTML comments that have lines of their own, as stretches with where each began."""
    pieces, at = list[tuple[int, str]](), 0
    for block in group_blocks(text) if COMMENT_END in text else ():
        start, end = block[0].start, block[-1].end
        inside = text[block[0].content : end].strip()
        alone = not text[start : block[0].content].strip() and inside.find(COMMENT_END) == len(inside) - 3
        if block[0].kind == "comment" and alone:
            pieces.append((at, text[at:start]))
            at = min(end + 1, len(text))
    return [(start, piece) for start, piece in [*pieces, (at, text[at:])] if piece]
