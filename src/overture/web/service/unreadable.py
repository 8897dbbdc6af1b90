"""A body that is not JSON in UTF-8 -> what is wrong with it, and where: the byte, and the path of the value."""

import json
from collections.abc import Iterator
from typing import Any

from ...model.struct import SURROGATE
from .problems import Problem, problem_of


def unreadable(body: bytes, broken: Exception) -> Problem:
    """The problem; `broken` is what the fast reader says, which knows neither halves of characters nor bad bytes."""
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as problem:
        said = f"The body is not UTF-8: byte {body[problem.start]:#04x} at offset {problem.start}"
    else:
        said = ""
    path, half = _half(body)
    if not said and half:
        said = f"The body is not JSON: \\u{half} is half of a character, and the other half is missing"
    if said:
        return problem_of("unreadable", f"{path}: {said}." if path else f"{said}.", path or None)
    return problem_of("unreadable", f"The body is not JSON: {broken}.")


def _half(body: bytes) -> tuple[str, str]:
    """The path of the first value that holds half of a character, and that half in hexadecimal."""
    try:
        data = json.loads(body.decode("utf-8", "surrogateescape"))
    except (ValueError, RecursionError):
        return "", ""
    return next(_halves(data), ("", ""))


def _halves(data: Any) -> Iterator[tuple[str, str]]:
    """Those of a value, in their order; nested as deep as the reader allows, so without recursion."""
    left = [("", data)]
    while left:
        path, value = left.pop()
        if isinstance(value, str) and (found := SURROGATE.search(value)):
            yield path, f"{ord(found[0]):04x}"
        elif isinstance(value, dict):
            for key in value:
                if found := SURROGATE.search(key):
                    yield path, f"{ord(found[0]):04x}"
            left += reversed([(f"{path}.{key}".lstrip("."), each) for key, each in value.items()])
        elif isinstance(value, list):
            left += reversed([(f"{path}[{index}]", each) for index, each in enumerate(value)])
