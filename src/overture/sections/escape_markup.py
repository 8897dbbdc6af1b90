"""Escaping for what stands inside the recipe's own words: attributes and XML, cells of tables, code in a line."""

import re

from ..text.control_tokens import without_tokens
from ..text.invisible import shown

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


ENTITIES = {"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&apos;"}
SPECIAL = re.compile("[&<>\"']")
BREAK = re.compile("[\t\n\r\u2028\u2029]")


def xml(text: str) -> str:
    """All five XML characters escaped. Hidden characters are left to be contained, and so reported."""
    return SPECIAL.sub(lambda m: ENTITIES[m[0]], text)


def attribute(text: str) -> str:
    """For the value of an attribute: escaped in full, and on one line."""
    return without_tokens(shown(escaped(text)))


def escaped(text: str) -> str:
    """As `attribute`, for a Part: hidden and control characters are left to be contained, and so reported."""
    return BREAK.sub(lambda m: f"&#{ord(m[0])};", xml(text))


LINE_END = re.compile("([\n\u2028\u2029])")


def indented(text: str, by: str) -> str:
    """Every line but the blank ones moved right, whatever ends a line."""
    lines = LINE_END.split(text)
    return "".join([line if LINE_END.match(line) else by + line if line.strip() else "" for line in lines])
