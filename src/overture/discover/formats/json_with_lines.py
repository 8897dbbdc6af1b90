"""JSON text -> its values, each with the line on which it stands."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

DECODER = json.JSONDecoder()
BLANKS = re.compile(r"[ \t\n\r]*")


class Spot(NamedTuple):
    """A value and its line; and, as deep as was asked for, the values in it by key or index."""

    value: Any
    line: int
    inner: "Iterable[tuple[str | int, Spot]]" = ()


class Malformed(NamedTuple):
    """Why a text is not JSON, and on which line."""

    message: str
    line: int


DEEP = Malformed("it is nested too deeply to be read", 1)


def located(text: str, depth: int) -> Spot | Malformed:
    """The value of a JSON text, with the lines of what lies in it down to `depth`."""
    try:
        json.loads(text)
        start = _past_blanks(text, 0)
        return _spot(text, start, 1 + text.count("\n", 0, start), depth)[0]
    except json.JSONDecodeError as problem:
        said = problem.msg[:1].lower() + problem.msg[1:]
        return Malformed(f"it is not JSON: {said}, column {problem.colno}", problem.lineno)
    except RecursionError:
        return DEEP
    except ValueError:
        return Malformed("it holds a number that is too long to be read", 1)


def _spot(text: str, start: int, line: int, depth: int) -> tuple[Spot, int]:
    """The value that begins at `start`, and where it ends."""
    value, end = DECODER.raw_decode(text, start)
    inner = Inner(text, start, line, depth - 1) if depth and isinstance(value, dict | list) else ()
    return Spot(value, line, inner), end


class Inner:
    """What lies in an object or a list, found anew each time that it is asked for: kept, it would take much room."""

    def __init__(self, text: str, start: int, line: int, depth: int) -> None:
        self.text, self.start, self.line, self.depth = text, start, line, depth

    def __iter__(self) -> Iterator[tuple[str | int, Spot]]:
        return _inner(self.text, self.start, self.line, self.depth)


def _inner(text: str, start: int, line: int, depth: int) -> Iterator[tuple[str | int, Spot]]:
    """The members of the object, or the items of the list, that begins at `start`; it is well formed."""
    counted, at = start, _past_blanks(text, start + 1)
    index = 0
    while text[at] not in "]}":
        key: str | int = index
        if text[start] == "{":
            key, at = DECODER.raw_decode(text, at)
            at = _past_blanks(text, _past_blanks(text, at) + 1)  # the colon
        line += text.count("\n", counted, at)
        counted = at
        spot, end = _spot(text, at, line, depth)
        yield key, spot
        at = _past_blanks(text, end)
        if text[at] == ",":
            at = _past_blanks(text, at + 1)
        index += 1


def _past_blanks(text: str, at: int) -> int:
    found = BLANKS.match(text, at)
    return found.end() if found else at
