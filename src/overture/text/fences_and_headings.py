"""Fences and headings of Markdown: what a reader takes for one, and what is still open at a text's end."""

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache

from msgspec import Struct
from msgspec.structs import replace

from .block_reader import BlockLines, BlockReader, Fence
from .lookalikes import fold_beginning, fold_char
from .normalize import is_printable, split_lines

MARKS = r"[ \t]*(?:>[ \t]*|[-*+][ \t]+|\d+[.)][ \t]+)*(`{3,}|~{3,})"
FENCE = re.compile(f"^{MARKS}", re.MULTILINE)
"""Anything that looks like a fence at the beginning of a line, even if it is none."""
NEXT_FENCE = re.compile(rf"\n{MARKS[:-1]}|<!--)")
"""The same behind a line feed, to which `re` goes at once; or a comment."""
FENCE_LINE = re.compile(rf"{FENCE.pattern}[ \t]*", re.MULTILINE)
CLOSED = re.compile(r"</([A-Za-z][\w.-]*)>")
TAG = re.compile(r"<(/?)([A-Za-z][\w.-]*)(?:\s[^<>]*)?(?<!/)>")


def may_hold_fence(text: str) -> bool:
    """Whether a text may open or close a code block: a quick look."""
    # One character is found in a fifteenth of the time that three take.
    return ("`" in text and "```" in text) or ("~" in text and "~~~" in text)


def closing_fence(text: str) -> str:
    """The line that closes the code block which is still open at the end of `text`, or nothing."""
    fence = find_open_fence(text)
    return fence.closing() if fence else ""


def find_open_fence(text: str, indent: str = "") -> Fence | None:
    """The code block that is still open at the end of `text`, by the line that opened it.

    Where all of a text is indented, `indent` is by how much: that is how it is set, and makes no code of it.
    A fence inside a comment that is still open counts, too: a reader that ignores the comment takes it for a fence,
    and for one that does not, the closing line does no harm.
    """
    if not may_hold_fence(text) or (not indent and _are_all_closed(text)):
        return None
    if indent or "\r" in text:
        text = "\n".join([text[start:end].removeprefix(indent) for start, end in split_lines(text)])
    reader, fence, comment = BlockReader(), 0, 0
    for lines in reader.read(text):
        if lines.begins and lines.kind == "fence":
            fence = lines.start
        elif lines.begins and lines.kind == "comment":
            comment = lines.start
    if reader.fence is None and reader.leaf == "comment":
        reader, fence = BlockReader(comments=False), 0
        for lines in reader.read(text[comment:]):
            fence = comment + lines.start if lines.begins and lines.kind == "fence" else fence
    return replace(reader.fence, line=text.count("\n", 0, fence) + 1) if reader.fence else None


def _are_all_closed(text: str) -> bool:
    """Whether each fence begins its line, and each that opens is closed: no other line needs a check."""
    if "\r" in text:
        return False
    open_mark, text = "", f"\n{text}"
    for match in NEXT_FENCE.finditer(text):
        end = text.find("\n", match.end())
        mark, rest = match[1], text[match.end() : end if end >= 0 else None]
        if mark[0] == "<" and open_mark:
            continue
        if text[match.start() + 1] not in "`~":
            return False
        if not open_mark:
            open_mark = "" if mark[0] == "`" and "`" in rest else mark
        elif mark.startswith(open_mark) and not rest.strip(" \t"):
            open_mark = ""
    return not open_mark


def common_indent(text: str) -> str:
    """The blanks by which all of a text is set in."""
    indent = text[: len(text) - len(text.lstrip(" \t"))]
    return indent if all(line.startswith(indent) for line in text.split("\n") if line.strip()) else ""


def read_fence(text: str, line: BlockLines) -> tuple[str, str]:
    """The mark of a line that is a fence, and the text behind it."""
    words = text[line.content : line.end].strip(" \t")
    info = words.lstrip(words[0])
    return words[: len(words) - len(info)], info.strip(" \t")


def ends_in_fence(text: str) -> bool:
    """Whether its last line is nothing but a fence: text behind it would undo it."""
    return FENCE_LINE.fullmatch(text, text.rfind("\n") + 1) is not None


def escape_fences(text: str) -> str:
    r"""The same text, with a backslash before every fence: it neither opens nor closes a code block."""
    return FENCE.sub(lambda m: f"{m[0][: -len(m[1])]}\\{m[1]}", text)


def closing_tags(text: str, rest: str) -> str:
    """A line for each tag that is open at the end of `text` and is closed in the rest, the innermost first."""
    tags: list[str] = []
    opened: Counter[str] = Counter()
    for closes, name in TAG.findall(text):
        if not closes:
            tags.append(name)
            opened[name] += 1
        while closes and opened[name]:
            last = tags.pop()
            opened[last] -= 1
            if last == name:
                break
    closed = frozenset(CLOSED.findall(rest)) if tags else frozenset()
    return "".join([f"\n</{name}>" for name in reversed(tags) if name in closed])


# Headings of Markdown as a reader takes them: blanks, other line ends, underlines and look-alikes make no others.
#
# Escaped line ends were line ends: a sanitized text is read as it was before.

MAX_HEADING_CHARS = 400
"""How many letters of a heading are compared. Invisible characters and blanks do not count."""
MAX_HEADING_INDENT = 3
"""How many blanks may precede a heading."""
BREAK = "\n\r\x0b\x0c\x1c-\x1e"
BREAK_CODE = r"u\{(?:000[BC]|0085|001[CDE])\}"
"""A line end that was made visible, behind its backslash."""
BLANK = " "
SIGNS = "#"
WIDE_BREAK = f"{BREAK}\x85\u2028\u2029"
WIDE_BLANK = f"{BLANK}\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"
WIDE_SIGNS = f"{SIGNS}\uff03\ufe5f"
"""The same in a text beyond ASCII."""


FILE_HEADING = "#/"
"""The name that marks a heading which is the path of a file."""
FILE_PATH = re.compile(r"(?:~?/|[a-z]:[/\\]).*\.\w+\Z")


class HeadingPatterns(Struct, frozen=True):
    """The patterns that find headings, in texts of ASCII alone or in others."""

    heading: re.Pattern[str]
    underline: re.Pattern[str]
    line_end: re.Pattern[str]


@cache
def _compile_heading_patterns(plain: bool, shown: bool, printable: bool = False) -> HeadingPatterns:
    """Sets beyond ASCII take `re` a while to compile: texts that need none do without.

    They begin with one set of characters, by which `re` skips all others, or with LF alone, which is found at once.
    `shown`: with line ends that were made visible.
    """
    cut, blank, signs = (BREAK, BLANK, SIGNS) if plain else (WIDE_BREAK, WIDE_BLANK, WIDE_SIGNS)
    cut = "\n" if plain and printable else cut
    end = rf"[{cut}\\](?:(?<!\\)|{BREAK_CODE})" if shown else f"[{cut}]" if len(cut) > 1 else cut
    words = rf"[^\\{cut}]*(?:\\(?!{BREAK_CODE})[^\\{cut}]*)*" if shown else f"[^{cut}]*"
    # Beyond ASCII, any invisible character may precede it.
    margin = rf"[{blank}]{{0,{MAX_HEADING_INDENT}}}" if plain else rf"[^!-~\t{cut}{signs}]*+"
    below = rf"{end}[{blank}]{{0,{MAX_HEADING_INDENT}}}(=+|-+)[{blank}\t]*(?={end}|\Z)"
    heading = f"{end}({margin})([{signs}]{{1,6}}{words})"
    return HeadingPatterns(re.compile(heading), re.compile(below), re.compile(end))


def choose_heading_patterns(text: str, *, printable: bool | None = None) -> HeadingPatterns:
    """The patterns that this text needs. `printable`: whether it has no control characters, if the caller knows."""
    plain, shown = text.isascii(), "\\" in text and "\\u{" in text
    return _compile_heading_patterns(plain, shown, plain and (is_printable(text) if printable is None else printable))


def first_line(text: str) -> tuple[str, bool]:
    """The text before the first line end, and whether there is one."""
    first, *more = choose_heading_patterns(text).line_end.split(text, maxsplit=1)
    return first, bool(more)


def find_headings(text: str, patterns: HeadingPatterns) -> Iterator[tuple[int, str]]:
    """The position of each heading's first `#`, or of the line below its words, and the heading by `plain_heading`."""
    plain = text.isascii()
    if "#" in text or "\uff03" in text or "\ufe5f" in text:
        for m in patterns.heading.finditer(f"\n{text}"):
            if plain or not m[1] or _is_margin(m[1]):
                yield m.start(2) - 1, plain_heading(m[2])
    if "=" in text or "-" in text:
        yield from _find_underlined(text, patterns)


def _is_margin(text: str) -> bool:
    """Whether a reader sees at most three blanks: marks without a letter, and invisible characters, are no words."""
    folded = "".join(map(fold_char, text))
    return len(folded) <= MAX_HEADING_INDENT and not folded.strip()


def _find_underlined(text: str, patterns: HeadingPatterns) -> Iterator[tuple[int, str]]:
    """Words with a line of `=` or `-` below them are a heading, too."""
    start = 0
    for m in patterns.underline.finditer(text):
        start = max(start, text.rfind("\n", start, m.start()) + 1)
        for end in patterns.line_end.finditer(text, start, m.start()):
            start = end.end()
        if words := text[start : m.start()].strip():
            yield m.start(1), plain_heading(("# " if m[1][0] == "=" else "## ") + words)


def may_continue_heading(text: str, heading: tuple[int, str], patterns: HeadingPatterns) -> bool:
    """Whether following text of a prompt may finish a heading: the text is one line, or ends with nothing but `#`."""
    line_end = patterns.line_end
    last = line_end.search(text, heading[0]) is None
    return last and (line_end.search(text) is None or not heading[1].strip("# "))


def is_file_path(words: str) -> bool:
    """Whether the words of a heading, in the compared form, are the path of a file and nothing else."""
    return FILE_PATH.match(words) is not None


def first_sign(line: str) -> str:
    """The level and first word of a heading: by it, one that begins with certain words is looked for."""
    return " ".join(line.split(" ", 2)[:2]) + "…"


def last_sign(line: str) -> str:
    """The last word of a heading."""
    return "…" + line.rpartition(" ")[2]


def signs_of(line: str) -> Iterator[str]:
    """The names under which a heading is looked for: itself, and its ends."""
    yield from (line, first_sign(line), last_sign(line))
    if is_file_path(line.lstrip("#")[1:]):
        yield FILE_HEADING


def plain_heading(line: str) -> str:
    """A heading line as two are compared: letter case, look-alikes, blanks and closing `#` do not count."""
    line = fold_beginning(line, MAX_HEADING_CHARS)
    words = line.lstrip("#")
    level = line[: len(line) - len(words)]
    parts = words.split()
    if len(parts) > 1 and not parts[-1].strip("#"):
        parts.pop()
    return " ".join([level, *parts])


def ends_in_heading(text: str) -> bool:
    """Whether words end within a heading, which the following text continues."""
    return text[text.rfind("\n") + 1 :].lstrip(" ").startswith("#")
