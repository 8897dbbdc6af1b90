r"""Control characters: what a terminal obeys and no reader sees. Of them only tab and newline are text.

They are C0 (NUL, BEL, backspace, ESC and their like), DEL and C1; a carriage return, alone or before a newline, is a
line end.
"""

import re

CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
RETURN = re.compile("\r\n?")


def controls(text: str) -> tuple[int, ...]:
    """Where control characters stand in a text, carriage returns among them."""
    # Most texts on one line are printable, which costs less to see.
    return () if text.isprintable() else tuple(m.start() for m in CONTROL.finditer(text))


def with_newlines(text: str) -> str:
    """The text with LF line ends; where it has no others, the same object."""
    return RETURN.sub("\n", text) if "\r" in text else text


def line_at(text: str, at: int) -> int:
    """The number of the line on which a character stands."""
    lines = text.count("\n", 0, at)
    if "\r" in text:
        lines += text.count("\r", 0, at) - text.count("\r\n", 0, at)
    return 1 + lines
