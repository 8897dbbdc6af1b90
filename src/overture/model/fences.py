"""What is still open where a text ends: a code block of Markdown, a tag."""

import re

FENCE = re.compile(r"^[ \t]*(?:[-*+>][ \t]+|\d+[.)][ \t]+)*(`{3,}|~{3,})", re.MULTILINE)
TAG = re.compile(r"<(/?)([A-Za-z][\w.-]*)(?:\s[^<>]*)?(?<!/)>")


def open_mark(text: str) -> str:
    """The fence of the code block that is still open at the end of `text`, or nothing."""
    mark = ""
    for found in FENCE.finditer(text):
        if not mark:
            mark = found[1]
        elif found[1][0] == mark[0] and len(found[1]) >= len(mark) and _bare(text, found.end()):
            mark = ""
    return mark


def _bare(text: str, at: int) -> bool:
    """Whether nothing but blanks stands on the line from `at` on. A fence with a word behind it closes nothing."""
    end = text.find("\n", at)
    return not text[at : end if end >= 0 else len(text)].strip()


def closing_tags(text: str, rest: str) -> str:
    """A line for each tag that is open at the end of `text` and is closed in the rest, the innermost first."""
    tags: list[str] = []
    for closes, name in TAG.findall(text):
        if not closes:
            tags.append(name)
        elif name in tags:
            del tags[len(tags) - 1 - tags[::-1].index(name) :]
    return "".join([f"\n</{name}>" for name in reversed(tags) if f"</{name}>" in rest])
