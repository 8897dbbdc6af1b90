"""Text inside the recipe's own Markdown: code spans, table cells and fences that it can't break out of."""

import re

FENCE = re.compile(r"^[ \t]*(?:[-*+>][ \t]+|\d+[.)][ \t]+)*(`{3,}|~{3,})", re.MULTILINE)
TICKS = re.compile("`+")


def code(text: str) -> str:
    """A code span around text of one line, with as many backticks as it takes."""
    ticks = "`" * (1 + max((len(run) for run in TICKS.findall(text)), default=0))
    if len(ticks) == 1:
        return f"`{text}`"
    return f"{ticks} {text} {ticks}"


def cell(text: str) -> str:
    r"""Text of one line as a table takes it: `|` is written `\|`."""
    return text.replace("|", "\\|")


def fence_around(text: str) -> str:
    """The backticks that a code block around `text` needs: three, or more where it holds three itself."""
    return "`" * max(3, 1 + max((len(run) for run in TICKS.findall(text)), default=0))


def open_fence(text: str) -> bool:
    """Whether a code block is still open at the end of `text`."""
    return bool(open_mark(text))


def open_mark(text: str) -> str:
    """The fence of the code block that is still open at the end of `text`, or nothing."""
    mark = ""
    for found in FENCE.finditer(text):
        if not mark:
            mark = found[1]
        elif found[1][0] == mark[0] and len(found[1]) >= len(mark) and _bare(text, found.end()):
            mark = ""
    return mark


def unfenced(text: str) -> str:
    r"""The same text, with a backslash before every fence: it neither opens nor closes a code block."""
    return FENCE.sub(lambda m: f"{m[0][: -len(m[1])]}\\{m[1]}", text)


def _bare(text: str, at: int) -> bool:
    """Whether nothing but blanks stands on the line from `at` on. A fence with a word behind it closes nothing."""
    end = text.find("\n", at)
    return not text[at : end if end >= 0 else len(text)].strip()
