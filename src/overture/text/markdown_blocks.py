"""The blocks of a Markdown text, with their places: code between fences, headings, paragraphs."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple, get_args

from .fences import read_fence
from .markdown import BlockLines, BlockReader, LineKind
from .normalize import split_lines

GOES_ON: dict[str, tuple[str, ...]] = dict.fromkeys(get_args(LineKind), ())
GOES_ON |= {"fence": ("code", "fence"), "text": ("text", "underline"), "comment": ("comment",)}
"""The lines that belong to the block that a line of another kind begins."""
Block = list[BlockLines]
"""The lines of a block; one of indented code is a block of its own, and so are blank ones."""


def read_blocks(text: str) -> Iterator[BlockLines]:
    """The lines of a text, each with its kind."""
    reader = BlockReader()
    if "\r" not in text:
        yield from reader.read(text)
        return
    for start, end in split_lines(text):
        for lines in reader.read(text[start:end]):
            yield lines._replace(start=start, content=start + lines.content, end=end)


def split_block_lines(text: str, lines: Iterable[BlockLines]) -> Iterator[BlockLines]:
    """The same lines, each by itself."""
    for each in lines:
        at, begins = each.start, each.begins
        while (end := text.find("\n", at, each.end)) >= 0:
            yield each._replace(start=at, content=max(at, each.content), end=end, begins=begins)
            at, begins = end + 1, ""
        yield each._replace(start=at, content=max(at, each.content), begins=begins)


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
    code = [_dedent(line, indent) for line in _split_content(text, block[1:-1] if closed else block[1:])]
    return CodeBlock(mark, info, "\n".join(code), first.start, block[-1].end, closed)


def _split_content(text: str, lines: Block) -> list[str]:
    """The text of each line, without the marks of quotes and list items."""
    return [line for each in lines for line in text[each.content : each.end].split("\n")]


def _dedent(line: str, indent: int) -> str:
    """A line of code without the blanks that stand before its fence, too."""
    return line[min(indent, len(line) - len(line.lstrip(" "))) :]


class Heading(NamedTuple):
    """A heading, by `#` or by a line below its words."""

    level: int
    words: str
    start: int
    """Where its first line begins."""


def make_heading(text: str, block: Block) -> Heading | None:
    """The heading that a block is."""
    if block[-1].kind == "underline":
        words = " ".join(line.strip(" \t") for line in _split_content(text, block[:-1]))
        return Heading(1 if "=" in text[block[-1].content : block[-1].end] else 2, words, block[0].start)
    if block[0].kind != "heading":
        return None
    line_text = text[block[0].content : block[0].end].strip(" \t")
    words = line_text.lstrip("#")
    bare = words.rstrip("#")
    closing = not bare or bare[-1] in " \t"
    return Heading(len(line_text) - len(words), (bare if closing else words).strip(" \t"), block[0].start)
