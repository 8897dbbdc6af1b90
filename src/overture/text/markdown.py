"""The blocks of a Markdown text and their content, with positions: code, headings, comments, links."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator
from functools import lru_cache, partial
from typing import Literal, NamedTuple, get_args

from .block_reader import COMMENT_END, COMMENT_START, BlockLines, BlockReader, LineKind
from .fences_and_headings import read_fence
from .normalize import replace_spans, split_lines

GOES_ON: dict[str, tuple[str, ...]] = dict.fromkeys(get_args(LineKind), ())
GOES_ON |= {"fence": ("code", "fence"), "text": ("text", "underline"), "comment": ("comment",)}
"""The lines that belong to the block that a line of another kind begins."""
Block = list[BlockLines]
"""The lines of a block; one of indented code is a block of its own, and so are blank ones."""


def read_blocks(text: str) -> Iterator[BlockLines]:
    """The blocks of a Markdown text as lines, each with its kind and position."""
    reader = BlockReader()
    if "\r" not in text:
        yield from reader.read(text)
        return
    for start, end in split_lines(text):
        for line in reader.read(text[start:end]):
            yield line._replace(start=start, content=start + line.content, end=end)


def group_blocks(text: str) -> Iterator[Block]:
    """The lines of a text, those of one block together."""
    block: Block = []
    further: tuple[str, ...] = ()
    for lines in read_blocks(text):
        kind = lines[0]
        if kind in further and not lines[4]:
            block.append(lines)
            continue
        if block:
            yield block
        block, further = [lines], GOES_ON[kind]
    yield block


class CodeBlock(NamedTuple):
    """A code block between fences."""

    mark: str
    """The fence that opens it."""
    info: str
    """The text behind that."""
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
    """The code blocks between fences, in order; one that is not closed ends with the block around it."""
    if "```" in text or "~~~" in text:
        for block in group_blocks(text):
            if block[0].kind == "fence":
                yield make_code_block(text, block)


def make_code_block(text: str, block: Block) -> CodeBlock:
    """The code block of lines between fences."""
    first, closed = block[0], len(block) > 1 and block[-1].kind == "fence"
    mark, info = read_fence(text, first)
    indent = text[first.content : first.end].index(mark)
    inside = [text[line.content : line.end] for line in (block[1:-1] if closed else block[1:])]
    # Without the blanks that also precede the fence.
    code = [line[min(indent, len(line) - len(line.lstrip(" "))) :] for line in inside]
    return CodeBlock(mark, info, "\n".join(code), first.start, block[-1].end, closed)


class Heading(NamedTuple):
    """A heading, by `#` or by a line below its words."""

    level: int
    words: str
    start: int
    """Where its first line begins."""


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


INLINE_START = re.compile(r"\\[\\`<]|`+|<!--")
BACKTICKS = re.compile("`+")
PLAIN_SPAN = re.compile("`[^`]*+`")
UNUSUAL_INLINE = re.compile(r"``|\\|<!--")
"""Without any of these, code spans are plain ones."""
LINK = re.compile(
    r"!?\[(?P<words>(?:[^\[\]\\]|\\.|\[[^\[\]]*\]){0,300})\]"
    r"\(\s{0,3}(?:<(?P<angled>[^<>\n]{0,1000})>|(?P<plain>[^()\s<]++(?:\([^()\s]*+\)[^()\s<]*+)*))?"
    r"(?:\s{1,3}(?:\"[^\"\n]{0,300}\"|'[^'\n]{0,300}'|\([^()\n]{0,300}\)))?\s{0,3}\)"
)
"""A link or an image: its words, and its target, which is in angle brackets or holds no blank."""
RegionKind = Literal["backticks", "tildes", "indented", "span", "comment"]


class Region(NamedTuple):
    """A span of a text: its first character and the one behind its last."""

    start: int
    end: int
    kind: RegionKind


make_region = partial(tuple.__new__, Region)


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
    if not UNUSUAL_INLINE.search(text, start, end):
        for span in PLAIN_SPAN.finditer(text, start, end):
            yield make_region((*span.span(), "span"))
        return
    runs: dict[int, list[int]] = {}
    for run in BACKTICKS.finditer(text, start, end):
        runs.setdefault(len(run[0]), []).append(run.start())
    at, last_comment = start, text.rfind(COMMENT_END, start, end)
    while match := INLINE_START.search(text, at, end):
        first, at = match.span()
        if match[0] == COMMENT_START and first < last_comment:
            at = text.find(COMMENT_END, first + 2, end) + len(COMMENT_END)
            yield Region(first, at, "comment")
        elif match[0][0] == "`":
            same = runs.get(at - first, [])
            index = bisect_left(same, at)
            if index < len(same):
                at = same[index] + at - first
                yield Region(first, at, "span")


def strip_links(text: str) -> str:
    """The text with the words of each link in its place."""
    return LINK.sub(r"\g<words>", text) if "](" in text else text


def blank_code(text: str) -> str:
    """The same text with blanks for code spans and code between fences: places stay."""
    regions = find_regions(text) if "`" in text or "~~~" in text else ()
    code = (each for each in regions if each.kind in ("backticks", "tildes", "span"))
    return replace_spans(text, ((at, end, re.sub(r"[^\r\n]", " ", text[at:end])) for at, end, _ in code))


def remove_comments(text: str) -> str:
    """The text without its HTML comments; comments inside code stay."""
    regions = find_regions(text) if COMMENT_START in text else ()
    return replace_spans(text, ((each.start, each.end, "") for each in regions if each.kind == "comment"))


class RegionFilter:
    """Checks whether positions are outside all of some regions."""

    def __init__(self, regions: Iterable[Region]) -> None:
        self.starts: list[int] = []
        self.ends: list[int] = []
        for region in regions:
            self.starts.append(region.start)
            self.ends.append(region.end)

    def holds(self, at: int) -> bool:
        """Whether a position is outside all of these regions of a Markdown text."""
        index = bisect_right(self.starts, at) - 1
        return index < 0 or at >= self.ends[index]


@lru_cache(maxsize=64)
def strip_block_comments(text: str) -> tuple[tuple[int, str], ...]:
    """The text without HTML comments on lines of their own, as spans with their start positions.

    Cached: agents and planned changes read the same files dozens of times in one command.
    """
    pieces, at = list[tuple[int, str]](), 0
    for block in group_blocks(text) if COMMENT_END in text else ():
        start, end = block[0].start, block[-1].end
        inside = text[block[0].content : end].strip()
        alone = not text[start : block[0].content].strip() and inside.find(COMMENT_END) == len(inside) - 3
        if block[0].kind == "comment" and alone:
            pieces.append((at, text[at:start]))
            at = min(end + 1, len(text))
    return tuple((start, piece) for start, piece in [*pieces, (at, text[at:])] if piece)
