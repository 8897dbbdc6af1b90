"""Whether Python can say a sentence: its f-strings, its texts and the first lines of its docstrings, put together."""

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

SOURCE = Path(__file__).parents[3] / "src" / "overture"
ROOMS = (
    "assemble",
    "check",
    "discover",
    "fit",
    "model",
    "project",
    "recipes",
    "report",
    "sections",
    "serve",
    "session",
    "tap",
)
SLOT = re.compile(r"\{\w*(?:![rs])?(?::[^{}]*)?\}")
HOLE = "\0"
JOINTS = (" and ", "; ", ": ", ", ")
"""What stands between parts that Python joins."""
DEEPEST = 4
SLOTS = ("(.*?)", "(.*)")
FIXED = 3
"""Characters beside its slots that a text has to have: else it would fit everything."""


class Texts(NamedTuple):
    """What stands in the source."""

    plain: frozenset[str]
    holed: tuple[tuple[str, re.Pattern[str]], ...]
    """With slots: the longest part without one, and the whole."""


@cache
def texts() -> Texts:
    """All texts of the rooms whose sentences reach the page."""
    paths = [SOURCE / "errors.py", *(path for room in ROOMS for path in (SOURCE / room).rglob("*.py"))]
    whole = {text for path in paths for text in _in(path)}
    found = whole | {part for text in whole for part in re.split("; |: ", text)}
    holed = sorted(text for text in found if HOLE in text and len(text.replace(HOLE, "")) >= FIXED)
    fixed = [(max(each.split(HOLE), key=len), each) for each in holed]
    return Texts(frozenset(found), tuple((part, _pattern(each, slot)) for part, each in fixed for slot in SLOTS))


def _pattern(text: str, slot: str) -> re.Pattern[str]:
    return re.compile(slot.join(map(re.escape, text.split(HOLE))), re.DOTALL)


def _in(path: Path) -> list[str]:
    found: list[str] = []
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.JoinedStr):
            parts = (str(each.value) if isinstance(each, ast.Constant) else HOLE for each in node.values)
            found.append(SLOT.sub(HOLE, "".join(parts)))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            first = node.value.strip().partition("\n")[0]
            found += [node.value, first, SLOT.sub(HOLE, node.value)]
    return found


def can_be_said(form: str) -> bool:
    """Whether Python says a form such as `it came more than {n} minutes after the call before it`."""
    return _said(SLOT.sub(HOLE, form), 0)


@cache
def _said(text: str, depth: int) -> bool:
    plain = texts().plain
    if not re.search("[A-Za-z]", text) or {text, text.strip(), f" {text}", f"{text}: {HOLE}", text.rstrip(".")} & plain:
        return True
    return depth < DEEPEST and any(_all(parts, depth) for parts in _parts(text))


def _parts(text: str) -> Iterator[tuple[str, ...]]:
    """How a text may be put together."""
    yield from (found.groups() for found in _matches(text))
    if (bare := text.strip(f"{HOLE} ")) != text:
        yield (bare,)
    for joint in JOINTS:
        yield from ((text[: at.start()], text[at.end() :]) for at in re.finditer(re.escape(joint), text))
    yield from ((text[:at],) for at in range(1, len(text)) if text[at] == " " and text[at:] in texts().plain)


def _matches(text: str) -> list[re.Match[str]]:
    fitting = (pattern.fullmatch(text) for part, pattern in texts().holed if part in text)
    return [found for found in fitting if found]


def _all(parts: tuple[str, ...], depth: int) -> bool:
    return all(_said(part, depth + 1) for part in parts)
