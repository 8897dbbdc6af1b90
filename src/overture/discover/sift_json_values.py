"""Reads JSON values with their lines, keeps those that fit, and reports the others."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from typing import Any, NamedTuple

import msgspec

from ..model.diagnostic import Diagnostic, error
from ..model.source import Origin
from ..model.state.agent_and_runtime import Agent
from ..model.struct import explain_error
from ..text.normalize import find_surrogate, tidy
from .disk.file_reader import FileReader
from .disk.look_at_paths import Sighting

DECODER = json.JSONDecoder()
BLANKS = re.compile(r"[ \t\n\r]*")


class JsonSpot(NamedTuple):
    """A value and its line; and, down to the requested depth, the values in it by key or index.

    Those are parsed when they are asked for, once: to keep them all would take much memory.
    """

    value: Any
    line: int
    inner: "Iterable[tuple[str | int, JsonSpot]]" = ()


def locate_json_values(text: str, depth: int) -> JsonSpot:
    """The values of a JSON text to sift, with their lines, nested down to `depth`; a text that is no JSON raises."""
    json.loads(text)
    start = _skip_blanks(text, 0)
    return _read_json_spot(text, start, 1 + text.count("\n", 0, start), depth)[0]


def _read_json_spot(text: str, start: int, line: int, depth: int) -> tuple[JsonSpot, int]:
    """The value that begins at `start` as a JsonSpot, with its line, and its end."""
    value, end = DECODER.raw_decode(text, start)
    inner = _list_json_members(text, start, line, depth - 1) if depth and isinstance(value, dict | list) else ()
    return JsonSpot(value, line, inner), end


def _list_json_members(text: str, start: int, line: int, depth: int) -> Iterator[tuple[str | int, JsonSpot]]:
    """The members of the object, or the items of the list, that begins at `start`; it is well formed."""
    counted, at = start, _skip_blanks(text, start + 1)
    index = 0
    while text[at] not in "]}":
        key: str | int = index
        if text[start] == "{":
            key, at = DECODER.raw_decode(text, at)
            at = _skip_blanks(text, _skip_blanks(text, at) + 1)  # the colon
        line += text.count("\n", counted, at)
        counted = at
        child, end = _read_json_spot(text, at, line, depth)
        yield key, child
        at = _skip_blanks(text, end)
        if text[at] == ",":
            at = _skip_blanks(text, at + 1)
        index += 1


def _skip_blanks(text: str, at: int) -> int:
    found = BLANKS.match(text, at)
    return found.end() if found else at


MAX_REPORTED_VALUES = 20
"""Maximum number of values in one file that are reported each by itself."""
MAX_VALUES_BYTES = 16 * 1024 * 1024
"""Bytes of such a file: the Python objects of a JSON text may take many times its size."""
JsonResult = tuple[Any, tuple[Diagnostic, ...]]


class SiftedValues(NamedTuple):
    """The values that fit, and the line of each field of State that they set."""

    values: Any
    lines: dict[str, int]

    def origins(self, path: str) -> dict[str, Origin]:
        """The same lines, as State records them."""
        return {field: Origin(path, line) for field, line in self.lines.items()}


class ValueSieve:
    """Takes the values that fit. Lives while one file is read."""

    def __init__(self, what: str, path: str) -> None:
        """Sift the values of the file at `path`; `what` names them in reports."""
        self.what, self.path = what, path
        self.lines: dict[str, int] = {}
        self.faults: list[tuple[str, int]] = []
        self.more = 0
        """Values beyond the limit that do not fit."""

    def take(self, spot: JsonSpot, kind: Any, name: str, field: str) -> Any:
        """The value as that kind, recorded as the field; None and a report if it does not fit."""
        fault = find_value_fault(spot.value, kind)
        if fault is not None:
            self.report(name, fault, spot.line)
            return None
        self.lines[field] = spot.line
        return spot.value

    def texts(self, spot: JsonSpot, name: str, field: str) -> tuple[str, ...]:
        """The texts of a JSON list that fit; a blank one does not."""
        texts: list[str] = []
        for index, item in spot.inner:
            if item.value == "" or (isinstance(item.value, str) and item.value.isspace()):
                self.report(f"{name}[{index}]", "it is blank", item.line)
            elif self.take(item, str, f"{name}[{index}]", f"{field}[{len(texts)}]") is not None:
                texts.append(item.value)
        return tuple(texts)

    @property
    def full(self) -> bool:
        """Whether the next fault is only counted: its description is not needed."""
        return len(self.faults) >= MAX_REPORTED_VALUES

    def report(self, name: str, fault: str, line: int) -> None:
        """Record a JSON value that is skipped, and why."""
        if self.full:
            self.more += 1
        else:
            self.faults.append((f"{name} is skipped: {fault}", line))

    def notes(self) -> Iterator[Diagnostic]:
        """One diagnostic for each skipped value; beyond MAX_REPORTED_VALUES, one for the rest."""
        code = f"{self.what}-invalid"
        for message, line in self.faults:
            yield error(code, message, self.path, line)
        if self.more:
            more = "value is" if self.more == 1 else "values are"
            yield error(code, f"{self.more:,} more {more} invalid and skipped", self.path)


def find_value_fault(value: Any, kind: type) -> str | None:
    """What is wrong with a value, or None."""
    if not isinstance(value, kind):
        return _explain_wrong_type(type(value), kind)  # type: ignore[arg-type]
    if isinstance(value, str) and find_surrogate(value) is not None:
        return "it contains half of a surrogate pair, written \\ud800 to \\udfff"
    return None


@cache
def _explain_wrong_type(actual: type, kind: type) -> str:
    """What is wrong with a JSON value of another kind: the same message for every value."""
    try:
        msgspec.convert(actual(), kind)
    except msgspec.ValidationError as problem:
        return explain_error(problem, Agent).rstrip(".")
    raise AssertionError(f"{actual} is a {kind}")


def make_sifter(
    what: str, kind: Any, depth: int, parse: Callable[[JsonSpot, ValueSieve], Any]
) -> Callable[[str, str], JsonResult]:
    """What makes SiftedValues of a JSON file whose outermost value is of that kind, for a reader."""

    def make(text: str, path: str) -> JsonResult:
        """The values of a JSON text that fit, and reports of the others."""
        text, skipped = tidy(text)
        if not text:
            return SiftedValues(None, {}), ()
        sieve, values, line = ValueSieve(what, path), None, 1
        try:
            root = locate_json_values("\n" * skipped + text, depth)
            fault, line = find_value_fault(root.value, kind), root.line
            values = parse(root, sieve) if fault is None else None
        except json.JSONDecodeError as problem:
            line = problem.lineno
            fault = f"invalid JSON: {problem.msg[:1].lower()}{problem.msg[1:]}, column {problem.colno}"
        except RecursionError:
            fault, line = "it is nested too deeply", 1
        except ValueError:
            fault = "it contains a number that is too long"
        if fault is not None:
            return None, (error(f"{what}-skipped", f"skipped: {fault}", path, line),)
        return SiftedValues(values, sieve.lines), tuple(sieve.notes())

    return make


def load_sifted_json(
    reader: FileReader, sighting: Sighting, what: str, make: Callable[[str, str], JsonResult]
) -> SiftedValues | None:
    """The values of the file, with a record of the outcome; None if it has none."""
    parsed: SiftedValues | None = reader.load(sighting, what, make, MAX_VALUES_BYTES)
    cached = reader.cached_files.get((what, sighting.path))
    if cached is None:
        return None  # it can't be read, which is recorded
    if parsed is not None and parsed.lines:
        reader.note(sighting.path, what, "loaded")
        return parsed
    if cached.notes:
        reader.note(sighting.path, what, "skipped", cached.notes[-1].message)
    else:
        reader.note(sighting.path, what, "cleared", "it sets nothing")
    return None
