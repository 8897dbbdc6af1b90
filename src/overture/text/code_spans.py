"""Text of a repository in Markdown: code that it can't close, on one line, with nothing hidden in it."""

import re
from collections.abc import Iterable, Sequence

from .invisible import on_line

LONG = 120
"""Characters of a name that are shown in a table."""


def in_diff(line: str) -> str:
    """A line of a diff: tabs stay, and all else that would move the text or hide in it is shown."""
    return "\t".join(map(on_line, line.split("\t")))


def table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; its cells are code spans, or words of ours."""
    lines = [" | ".join(head), " | ".join("---" for _ in head), *(" | ".join(row) for row in rows)]
    return "\n".join(f"| {line} |" for line in lines)


def code(text: str, most: int = LONG) -> str:
    """A code span on one line that its text can't close, nor the cell of a table that it stands in."""
    text = short(on_line(text), most)
    ticks = "`" * max([1, *(len(run) + 1 for run in re.findall("`+", text))])
    pad = " " if text.startswith(("`", " ")) or text.endswith(("`", " ")) or not text else ""
    # In a table a stroke ends the cell, also in code; GitHub takes the backslash away again.
    return f"{ticks}{pad}{text}{pad}{ticks}".replace("|", "\\|")


def short(text: str, most: int = LONG) -> str:
    """A name without its middle, where it is long."""
    return text if len(text) <= most else f"{text[: most // 2]}…{text[-(most // 2) :]}"
