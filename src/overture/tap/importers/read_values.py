"""The bytes of a log -> its values: lines of JSON as they come, or one document."""

import json
import re
from collections.abc import Iterator
from itertools import chain
from typing import IO, Any

from ..read.plain_values import values_in
from .found import Value

MOST = 512 << 20
"""Bytes of one line or document."""
FLOW = re.compile(rb"\d{1,12}:")
"""How the files begin that mitmproxy writes: a length and a colon."""
TAB = 9
TRIED = 8
"""Lines that are tried before a text is taken for one document."""


class FlowFileError(ValueError):
    """A file in the format of mitmproxy itself, which is not read."""


def read_values(stream: IO[bytes]) -> Iterator[Value]:
    """The values, each with its place. A line that is no JSON is said, and the others are read."""
    head = stream.read(16)
    if FLOW.match(head):
        raise FlowFileError
    if any(byte < TAB for byte in head):
        yield Value("the file", problem="it is no text in UTF-8")
        return
    lines = _lines(head, stream)
    first = _some(lines)
    if not first:
        return
    if any(_is_value(line) for _, line in first):
        yield from _values(chain(first, lines))
    else:
        yield from _document(b"".join(line for _, line in chain(first, lines)))


def _lines(head: bytes, stream: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """The lines that are not empty, with their numbers."""
    rest, number = head.removeprefix(b"\xef\xbb\xbf"), 0
    *whole, rest = rest.split(b"\n")
    for line in whole:
        number += 1
        yield number, line + b"\n"
    while line := rest + stream.readline(MOST):
        number, rest = number + 1, b""
        yield number, line


def _some(lines: Iterator[tuple[int, bytes]]) -> list[tuple[int, bytes]]:
    """The first lines, up to one that is a value by itself."""
    found: list[tuple[int, bytes]] = []
    for pair in lines:
        if pair[1].strip():
            found.append(pair)
            if _is_value(pair[1]) or len(found) == TRIED:
                break
    return found


def _is_value(line: bytes) -> bool:
    """Whether a line is an object or a list of its own; a bracket alone opens a document."""
    return line.strip()[:1] in (b"{", b"[") and not _parsed(line)[1]


def _parsed(line: bytes) -> tuple[Any, str]:
    """The value of a line, and what is wrong where it has none."""
    try:
        return json.loads(line.decode("utf-8", "replace")), ""
    except RecursionError:
        return None, "it nests deeper than can be read"
    except ValueError as problem:
        return None, f"it is no JSON: {problem}"


def _values(lines: Iterator[tuple[int, bytes]]) -> Iterator[Value]:
    for number, line in lines:
        if not line.strip():
            continue
        value, problem = _parsed(line) if len(line) < MOST else (None, f"it is longer than {MOST >> 20} MB")
        # The last line of a log that is in use may be half written; it is read when it is whole.
        if not problem or line.endswith(b"\n") or len(line) >= MOST:
            yield Value(f"line {number}", value, problem)


def _document(data: bytes) -> Iterator[Value]:
    """One value, or several one after the other, over many lines."""
    if len(data) > MOST:
        yield Value("the document", problem=f"it is longer than {MOST >> 20} MB")
        return
    text = data.decode("utf-8", "replace")
    whole, wrong = _parsed(data)
    if not wrong:
        yield Value("the document", whole)
        return
    # Not those of a list that breaks off: a page of a document is none.
    values = list(values_in(text)) if text.lstrip()[:1] == "{" else []
    broken = values.pop() if values and isinstance(values[-1], str) else ""
    for number, value in enumerate(values, 1):
        yield Value(f"value {number}", value)
    if broken or not values:
        yield Value("the document", problem=wrong if not values else f"behind value {len(values)} it {broken}")
