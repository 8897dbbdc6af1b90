"""Converts a JSON file to a type, with the line of each value; what does not fit is a diagnostic."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import msgspec

from ..model.diagnostic import Diagnostic, error
from ..model.source import Origin
from ..model.struct import convert_data, explain_error, split_error
from ..text.normalize import find_surrogates, tidy
from .disk.file_reader import FileReader
from .disk.look_at_paths import Sighting

DECODER = json.JSONDecoder()
BLANKS = re.compile(r"[ \t\n\r]*")


@dataclass(frozen=True)
class JsonSpot:
    """A value and its line in a JSON text, and where it begins there; its members are located down to some depth."""

    value: Any
    line: int
    text: str
    start: int
    depth: int
    good_items: "tuple[JsonSpot, ...] | None" = None
    """The items that fit of a list in which others do not."""

    @property
    def inner(self) -> "Iterator[tuple[str | int, JsonSpot]]":
        """The values in it by key or index, parsed when they are asked for: to keep them all takes much memory."""
        if self.good_items is not None:
            yield from enumerate(self.good_items)
        elif self.depth and isinstance(self.value, dict | list):
            yield from _list_json_members(self.text, self.start, self.line, self.depth - 1)


def locate_json_values(text: str, depth: int) -> JsonSpot:
    """The values of a JSON text, with their lines, nested down to `depth`; a text that is no JSON raises."""
    json.loads(text)
    start = _skip_blanks(text, 0)
    return _read_json_spot(text, start, 1 + text.count("\n", 0, start), depth)[0]


def _read_json_spot(text: str, start: int, line: int, depth: int) -> tuple[JsonSpot, int]:
    """The value that begins at `start` as a JsonSpot, with its line, and its end."""
    value, end = DECODER.raw_decode(text, start)
    return JsonSpot(value, line, text, start, depth), end


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
"""Values of one file that are reported each by itself."""
MAX_VALUES_BYTES = 16 * 1024 * 1024
"""Bytes of such a file: the Python objects of a JSON text may take many times its size."""
JsonResult = tuple[Any, tuple[Diagnostic, ...]]
JsonMembers = Iterable[tuple[str | int, JsonSpot]]
Fault = tuple[str, int]
"""What is wrong, and on which line."""
FURTHER: Fault = ("it does not fit", 0)
"""One of very many, which are only counted."""


class JsonValues(NamedTuple):
    """The values of a file, and the line of each field of State that they set."""

    values: Any
    lines: dict[str, int]

    def origins(self, path: str) -> dict[str, Origin]:
        """The same lines, as State records them."""
        return {field: Origin(path, line) for field, line in self.lines.items()}


def make_json_converter(
    what: str, kind: Any, depth: int, list_lines: Callable[[JsonMembers], Iterable[tuple[str, int]]]
) -> Callable[[str, str], JsonResult]:
    """What makes JsonValues of a JSON file, for a reader; `list_lines` gives the lines of the fields that it sets.

    Each key of an object and each item of a list is converted by itself: one that does not fit takes no other with it.
    """

    def make(text: str, path: str) -> JsonResult:
        """The values of a JSON text, and a report of each that does not fit, or of the text as a whole."""
        text, skipped = tidy(text)
        if not text:
            return JsonValues(None, {}), ()
        line = 1
        try:
            root = locate_json_values("\n" * skipped + text, depth)
            has_keys = isinstance(root.value, dict) and hasattr(kind, "__struct_fields__")
            values, members, faults = _convert_keys(root, kind) if has_keys else _convert_items(root, kind)
            if values is not None:
                return JsonValues(values, dict(list_lines(members))), tuple(_report_faults(faults, what, path))
            [(fault, line)] = faults
        except json.JSONDecodeError as problem:
            line = problem.lineno
            fault = f"invalid JSON: {problem.msg[:1].lower()}{problem.msg[1:]}, column {problem.colno}"
        except RecursionError:
            fault = "it is nested too deeply"
        except ValueError:
            fault = "it contains a number that is too long"
        return None, (error(f"{what}-skipped", f"skipped: {fault}", path, line),)

    return make


def _report_faults(faults: list[Fault], what: str, path: str) -> Iterator[Diagnostic]:
    """A diagnostic of each skipped value; of very many, one for the rest."""
    for message, line in faults[:MAX_REPORTED_VALUES]:
        yield error(f"{what}-invalid", message, path, line)
    if (more := len(faults) - MAX_REPORTED_VALUES) > 0:
        words = "value is" if more == 1 else "values are"
        yield error(f"{what}-invalid", f"{more:,} more {words} invalid and skipped", path)


def _convert_keys(root: JsonSpot, kind: Any) -> tuple[Any, JsonMembers, list[Fault]]:
    """The known keys of an object that fit, with their spots, and what is wrong with the others, on which line.

    Null is as good as absent, and unknown keys belong to other programs. JSON readers keep the last of equal keys.
    """
    spots, repeated, faults = dict[str, JsonSpot](), dict[str, int](), list[Fault]()
    for key, spot in root.inner:
        if key in kind.__struct_fields__:
            if key in spots:
                repeated.setdefault(str(key), spots[str(key)].line)
            spots[str(key)] = spot
    for key, line in repeated.items():
        again = f"it is given again on line {spots[key].line}; the last value is used"
        faults.append((f"{key} is skipped: {again}", line))
    fields, members = {}, []
    for key in kind.__struct_fields__:
        if key in spots and spots[key].value is not None:
            values, good, wrong = _convert_items(spots[key], kind, key)
            faults += wrong
            if values is not None:
                fields[key] = getattr(values, key)
                members.append(
                    (key, replace(spots[key], good_items=tuple(item for _, item in good) if wrong else None))
                )
    return kind(**fields), members, faults


def _convert_items(spot: JsonSpot, kind: Any, key: str = "") -> tuple[Any, JsonMembers, list[Fault]]:
    """A value, or an object with it under a key, as that kind; of a list, the items that fit, with their spots.

    The value is None if nothing of it can be used.
    """
    values, fault, line = _convert_value(spot, kind, key)
    if not fault:
        return values, spot.inner, []
    if not isinstance(spot.value, list) or _convert_value(replace(spot, value=[]), kind, key)[1]:
        return None, (), [(f"{key} is skipped: {fault.removeprefix(f'{key}: ')}" if key else fault, line)]
    good, faults = list[JsonSpot](), list[Fault]()
    for index, item in spot.inner:
        one = JsonSpot([item.value], item.line, item.text, item.start, item.depth, (item,))
        _, fault, line = _convert_value(one, kind, key, explain=len(faults) < MAX_REPORTED_VALUES)
        if len(faults) >= MAX_REPORTED_VALUES and fault:
            faults.append(FURTHER)
        elif fault:
            faults.append((f"{key}[{index}] is skipped: {fault.removeprefix(f'{key}[0]').lstrip('.: ')}", line))
        else:
            good.append(item)
    return _convert_value(replace(spot, value=[item.value for item in good]), kind, key)[0], [*enumerate(good)], faults


def _convert_value(spot: JsonSpot, kind: Any, key: str = "", *, explain: bool = True) -> tuple[Any, str, int]:
    """A value, or an object with it under a key, as that kind; or what is wrong with it and on which line."""
    data = {key: spot.value} if key else spot.value
    try:
        values = convert_data(data, kind)
    except msgspec.ValidationError as problem:
        if not explain:
            return None, *FURTHER
        path = split_error(problem)[1]
        return None, explain_error(problem, kind, data).rstrip("."), _find_line(spot, path.removeprefix(key))
    for surrogate in find_surrogates(msgspec.to_builtins(values)):
        fault = f"{surrogate.path}: it contains half of a surrogate pair, written \\ud800 to \\udfff"
        return None, fault, _find_line(spot, surrogate.path.removeprefix(key))
    return values, "", spot.line


def _find_line(root: JsonSpot, path: str) -> int:
    """The line of the value at `responsibilities[2].title`, or of the last value on the way to it that exists."""
    for step in re.findall(r"[^.\[\]]+", path):
        inner = {str(key): spot for key, spot in root.inner}
        if step not in inner:
            break
        root = inner[step]
    return root.line


def load_json_values(
    reader: FileReader, sighting: Sighting, what: str, make: Callable[[str, str], JsonResult]
) -> JsonValues | None:
    """The values of the file, with a record of the outcome; None if it has none."""
    parsed: JsonValues | None = reader.load(sighting, what, make, MAX_VALUES_BYTES)
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
