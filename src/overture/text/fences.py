"""Fences of Markdown code: their marks, and what is still open where a text ends: a code block, a tag."""

import re
from collections import Counter

from msgspec.structs import replace

from .block_reader import BlockLines, BlockReader, Fence
from .lazy_pattern import compile_on_use
from .normalize import split_lines

MARKS = r"[ \t]*(?:>[ \t]*|[-*+][ \t]+|\d+[.)][ \t]+)*(`{3,}|~{3,})"
FENCE = compile_on_use(f"^{MARKS}", re.MULTILINE)
"""Whatever looks like a fence at the beginning of a line, also where it is none."""
NEXT_FENCE = compile_on_use(rf"\n{MARKS[:-1]}|<!--)")
"""The same behind a line feed, to which `re` goes at once; or a comment."""
FENCE_LINE = compile_on_use(rf"{FENCE.pattern}[ \t]*", re.MULTILINE)
CLOSED = compile_on_use(r"</([A-Za-z][\w.-]*)>")
TAG = compile_on_use(r"<(/?)([A-Za-z][\w.-]*)(?:\s[^<>]*)?(?<!/)>")


def may_hold_fence(text: str) -> bool:
    """Whether a text may open or close a code block: a quick look."""
    # One character is found in a fifteenth of the time that three take.
    return ("`" in text and "```" in text) or ("~" in text and "~~~" in text)


def closing_fence(text: str, indent: str = "") -> str:
    """The line that closes the code block which is still open at the end of `text`, or nothing.

    Where all of a text is indented, `indent` is by how much: that is how it is set, and makes no code of it.
    """
    fence = find_open_fence(text, indent)
    return fence.closing(indent) if fence else ""


def find_open_fence(text: str, indent: str = "") -> Fence | None:
    """The code block that is still open at the end of `text`, by the line that opened it.

    A fence in a comment that is open there, too, counts: whoever does not know the comment takes it for one, and
    whoever does sees no harm in the line that closes it.
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
    """Whether each fence begins its line, and each that opens is closed: no other line need be looked at."""
    if "\r" in text:
        return False
    open_mark, text = "", f"\n{text}"
    for found in NEXT_FENCE.finditer(text):
        end = text.find("\n", found.end())
        mark, rest = found[1], text[found.end() : end if end >= 0 else None]
        if mark[0] == "<" and open_mark:
            continue
        if text[found.start() + 1] not in "`~":
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
    """The mark of a line that is a fence, and what stands behind it."""
    words = text[line.content : line.end].strip(" \t")
    info = words.lstrip(words[0])
    return words[: len(words) - len(info)], info.strip(" \t")


def ends_in_fence(text: str) -> bool:
    """Whether its last line is nothing but a fence: what is written behind it would undo it."""
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
