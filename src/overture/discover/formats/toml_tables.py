"""TOML text -> its table. Whatever it holds, it costs no more than its size, and what is wrong with it is one line."""

import re
import tomllib
from typing import Any

LARGEST = 1024 * 1024
"""Bytes of a file in TOML: configuration, recipes, prices. Nobody writes a tenth of it."""
DEEPEST = 100
"""Steps of a dotted key, and levels of a table."""
FEW = 1_000
"""Characters of a number, and of a text in which nothing can be so long that it matters."""
KEYS = re.compile(
    r'"""(?:[^"\\]++|\\.|"(?!""))*(?:"{3,5}|\Z)|'
    r"'''(?:[^']++|'(?!''))*(?:'{3,5}|\Z)"
    r'|(?P<part>[A-Za-z0-9_-]++|"(?:[^"\\\n]++|\\.)*"|'
    r"'[^'\n]*+')"
    r"|(?P<dot>[ \t]*+\.[ \t]*+)"
    r"|#[^\n]*+|\s++|.",
    re.DOTALL,
)
"""Strings of several lines, parts of keys and the dots between them, comments, and the rest."""


def toml_table(data: bytes) -> dict[str, Any]:
    """The table of a file. A ValueError says in a few words why there is none."""
    try:
        text = data.decode("utf-8-sig")
        if len(text) > FEW and (fault := excess(text)):
            raise ValueError(fault)
        return tomllib.loads(text)
    except UnicodeDecodeError:
        raise ValueError("it is not TOML in UTF-8") from None
    except RecursionError:
        raise ValueError("it is nested too deeply to be read; flatten it") from None
    except tomllib.TOMLDecodeError as problem:
        raise ValueError(f"it is not TOML: {problem}") from None


def excess(text: str) -> str:
    """What is too long to be read: a dotted key takes the square of its steps, and so does a number of its digits."""
    steps = 0
    for found in KEYS.finditer(text):
        if found.lastgroup == "part":
            if found.end() - found.start() > FEW and found[0].lstrip("+-_")[:1].isdigit():
                return f"it holds a number that is too long to be read: {found[0][:20]}…"
            continue
        steps = steps + 1 if found.lastgroup == "dot" else 0
        if steps >= DEEPEST:
            return f"a key of it has more than {DEEPEST} steps"
    return ""
