"""Markdown: cells of tables, and code in a line."""

import re

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
