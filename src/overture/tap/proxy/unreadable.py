"""Why a message can't be read, in words that may be kept: h11 quotes the line, and a key may stand in it."""

import re

QUOTED = re.compile(r": bytearray\(b['\"](.*)", re.DOTALL)
NAME = re.compile(r"[\w-]{1,60}(?=[^\w-]*:)")


def unreadable(problem: Exception) -> str:
    """What is wrong, and with which header; never its value."""
    said = str(problem)
    quoted = QUOTED.search(said)
    if quoted is None:
        return said
    name = NAME.match(quoted[1]) if "header line" in said else None
    return f"{said[: quoted.start()]}{f', of {name[0]}' if name else ''}"
