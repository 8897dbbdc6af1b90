"""Patterns of names in recipes: a few sets of characters, so that whoever writes one can't make it run for hours."""

import re

PIECE = re.compile(r"(\[\^?(?:[^\[\]\\]|\\[wd-])+\])([*+]|\{\d\d?,\d\d?\})?")
MOST = 3
"""Sets of characters in one pattern."""


def what_is_wrong(pattern: str) -> str | None:
    """What is wrong with a pattern: it is `[a-z0-9-]+`, or up to three such sets, one of them with `*` or `+`."""
    pieces = PIECE.findall(pattern)
    if "".join(chars + often for chars, often in pieces) != pattern or len(pieces) > MOST:
        return f"it is not up to {MOST} sets of characters, such as [a-z][a-z0-9-]*"
    if sum(often in ("*", "+") for _, often in pieces) > 1:
        return "only one of its sets may have `*` or `+`"
    try:
        re.compile(pattern)
    except re.error as problem:
        return str(problem)
    return None
