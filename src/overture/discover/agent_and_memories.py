"""Reads agent.json and memories.json, with the line of each value; a value that does not fit is reported."""

import json
import posixpath
import re
from bisect import bisect_left
from collections.abc import Callable, Iterator
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Meta

from ..model.diagnostic import Diagnostic, error
from ..model.source import Origin
from ..model.state.agent_and_runtime import Agent, Responsibility
from ..model.state.discovery import People
from ..model.struct import convert_data, explain_error, split_error
from ..model.wants import AgentJsonFile, MemoriesFile
from ..text.normalize import find_surrogates, tidy
from .paths import contains_path, expand_path
from .place import Place
from .reader import FileReader, Sighting

Text = Annotated[str, Meta(pattern=r"\S")]
"""A text that is not blank."""
MAX_REPORTED_VALUES = 20
"""Values of one file that are reported each by itself."""
MAX_VALUES_BYTES = 16 * 1024 * 1024
"""Bytes of such a file: the Python objects of a JSON text may take many times its size."""


class Duty(Responsibility, frozen=True, forbid_unknown_fields=False):
    """A responsibility as an agent.json has it. Unknown keys belong to other programs and are ignored."""

    title: Text
    content: Text


class AgentJson(Agent, frozen=True, forbid_unknown_fields=False):
    """The keys of an agent.json; here, too, others are ignored."""

    responsibilities: tuple[Duty, ...] = ()
    directories: tuple[Text, ...] = ()


def find_agent_file(reader: FileReader, wants: AgentJsonFile, place: Place) -> People:
    """The agent of the working directory, with its directories made absolute."""
    cwd = place.cwd
    sighting = reader.sight(cwd, wants.name, "agent")
    parsed = _load_values(reader, sighting, "agent", read_agent) if sighting else None
    if sighting is None or parsed is None:
        return People()
    file: AgentJson = parsed.values
    origins = {
        f"agent.{field}": Origin(sighting.path, line)
        for field, line in parsed.lines.items()
        if field in Agent.__struct_fields__ or field.endswith(("].title", "].content"))
    }
    folders: dict[str, Origin] = {}
    for index, path in enumerate(file.directories):
        folder = posixpath.normpath(expand_path(path, cwd, place.home))
        if folder != cwd:  # the prompt names that one already
            folders.setdefault(folder, Origin(sighting.path, parsed.lines[f"directories[{index}]"]))
    for index, origin in enumerate(folders.values()):
        origins[f"runtime.directories[{index}]"] = origin
    fields = {name: getattr(file, name) for name in Agent.__struct_fields__}
    fields["responsibilities"] = tuple(Responsibility(duty.title, duty.content) for duty in file.responsibilities)
    if file.capabilities is not None:
        fields["capabilities"] = tuple(dict.fromkeys(file.capabilities))
    agent = Agent(**fields)
    return People(agent if agent != Agent() else None, directories=tuple(folders), origins=origins)


def find_memories(reader: FileReader, wants: MemoriesFile, place: Place) -> People:
    """The memories of the nearest memories.json up to the root of the walk; it counts even if it can't be used."""
    top = wants.within
    nearest_first = [f for f in reversed(place.walk) if top is None or contains_path(top, reader.real_or(f))]
    for index, folder in enumerate(nearest_first):
        sighting = reader.sight(folder, wants.name, "memories")
        if sighting is None and reader.looked[-1].outcome == "absent":
            continue
        _note_hidden(reader, wants, nearest_first[index + 1 :], folder)
        parsed = _load_values(reader, sighting, "memories", read_memories) if sighting else None
        if sighting is None or parsed is None:
            break
        origins = {f"memories{at}": Origin(sighting.path, line) for at, line in parsed.lines.items()}
        return People(memories=parsed.values, origins=origins)
    return People()


def _note_hidden(reader: FileReader, wants: MemoriesFile, above: list[str], winner: str) -> None:
    """Record the memories.json files above that the nearest one hides."""
    for folder in above:
        path = f"{folder.rstrip('/')}/{wants.name}"
        there = reader.world.exists(path)
        detail = f"by {winner.rstrip('/')}/{wants.name}" if there else ""
        reader.note(path, "memories", "hidden" if there else "absent", detail)


# A JSON text -> the values that fit a type, the line of each, and reports of the others.


class JsonValues(NamedTuple):
    """The values of a file, and the line of each by its path, such as `responsibilities[2].title`."""

    values: Any
    lines: dict[str, int]


LISTS = ("", "responsibilities", "directories")
"""Values whose items have lines of their own; an empty one sets nothing."""
JsonResult = tuple[JsonValues | None, tuple[Diagnostic, ...]]
Fault = tuple[str, int]
"""What is wrong, and on which line."""


def _load_values(
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


def read_agent(text: str, path: str) -> JsonResult:
    """The keys of an agent.json that fit, and the line of each."""
    return _read_values(text, path, "agent", AgentJson, 3)


def read_memories(text: str, path: str) -> JsonResult:
    """The texts that a memories.json lists, and the line of each."""
    return _read_values(text, path, "memories", tuple[Text, ...], 1)


def _read_values(text: str, path: str, what: str, kind: Any, depth: int) -> JsonResult:
    """The values of a JSON text, and a report of each that does not fit, or of the text as a whole."""
    text, skipped = tidy(text)
    if not text:
        return JsonValues(None, {}), ()
    line, text = 1, "\n" * skipped + text
    try:
        data = json.loads(text)
        lines = find_lines(text, depth)
        convert = _convert_keys if isinstance(data, dict) and kind is AgentJson else _convert_items
        values, kept, faults = convert(data, kind, lines)
        if values is not None:
            kept = {at: line for at, line in kept.items() if at not in LISTS}
            return JsonValues(values, kept), tuple(_report_faults(faults, what, path))
        [(fault, line)] = faults
    except json.JSONDecodeError as problem:
        line = problem.lineno
        fault = f"invalid JSON: {problem.msg[:1].lower()}{problem.msg[1:]}, column {problem.colno}"
    except RecursionError:
        fault = "it is nested too deeply"
    except ValueError:
        fault = "it contains a number that is too long"
    return None, (error(f"{what}-skipped", f"skipped: {fault}", path, line),)


def _report_faults(faults: list[Fault], what: str, path: str) -> Iterator[Diagnostic]:
    """A diagnostic of each skipped value; of very many, one for the rest."""
    for message, line in faults[:MAX_REPORTED_VALUES]:
        yield error(f"{what}-invalid", message, path, line)
    if (more := len(faults) - MAX_REPORTED_VALUES) > 0:
        words = "value is" if more == 1 else "values are"
        yield error(f"{what}-invalid", f"{more:,} more {words} invalid and skipped", path)


DECODER = json.JSONDecoder()
BLANKS = re.compile(r"[ \t\n\r]*")


def find_lines(text: str, depth: int) -> dict[str, int]:
    """The line of each value of a JSON text, nested down to `depth`, by its path; the text is well formed."""
    breaks = [match.start() for match in re.finditer("\n", text)]
    lines: dict[str, int] = {}

    def skip(at: int) -> int:
        found = BLANKS.match(text, at)
        return found.end() if found else at

    def locate(at: int, path: str, depth: int) -> int:
        """Add the lines of the value that begins at `at`; the result is its end."""
        lines[path] = 1 + bisect_left(breaks, at)
        if not depth or text[at] not in "[{":
            return DECODER.raw_decode(text, at)[1]
        is_object, index = text[at] == "{", 0
        at = skip(at + 1)
        while text[at] not in "]}":
            step = f"[{index}]"
            if is_object:
                key, at = DECODER.raw_decode(text, at)
                step, at = f".{key}" if path else key, skip(skip(at) + 1)
            at = skip(locate(at, path + step, depth - 1))
            at = skip(at + 1) if text[at] == "," else at
            index += 1
        return at + 1

    locate(skip(0), "", depth)
    return lines


def _convert_keys(data: dict[str, Any], kind: Any, lines: dict[str, int]) -> tuple[Any, dict[str, int], list[Fault]]:
    """The known keys of an object that fit, with their lines, and what is wrong with the others.

    Null is as good as absent, and unknown keys belong to other programs. One key that does not fit takes no other with
    it.
    """
    fields: dict[str, Any] = {}
    kept: dict[str, int] = {}
    faults: list[Fault] = []
    for key in kind.__struct_fields__:
        if data.get(key) is not None:
            values, more, wrong = _convert_items(data[key], kind, lines, key)
            faults += wrong
            if values is not None:
                fields[key] = getattr(values, key)
                kept |= more
    return kind(**fields), kept, faults


def _convert_items(
    value: Any, kind: Any, lines: dict[str, int], key: str = ""
) -> tuple[Any, dict[str, int], list[Fault]]:
    """A value, or an object with it under a key, as that kind; of a list, the items that fit.

    The result is None if nothing of it can be used.
    """

    def wrap(value: Any) -> Any:
        return {key: value} if key else value

    values, fault, path = _convert(wrap(value), kind)
    if not fault:
        inner = (f"{key}[", f"{key}.")
        return values, {at: line for at, line in lines.items() if at == key or at.startswith(inner)}, []
    if not isinstance(value, list) or _convert(wrap([]), kind)[1]:
        message = f"{key} is skipped: {fault.removeprefix(f'{key}: ')}" if key else fault
        return None, {}, [(message, _find_line(lines, path))]
    good: dict[int, int] = {}
    faults: list[Fault] = []
    for index, item in enumerate(value):
        _, fault, path = _convert(wrap([item]), kind, explain=len(faults) < MAX_REPORTED_VALUES)
        at = f"{key}[{index}]"
        if not fault:
            good[index] = len(good)
        else:
            message = f"{at} is skipped: {fault.removeprefix(f'{key}[0]').lstrip('.: ')}"
            faults.append((message, _find_line(lines, at + path.removeprefix(f"{key}[0]"))))
    kept = {key: lines[key]} if key or good else {}
    for at, line in lines.items():
        match = re.match(rf"{key}\[(\d+)\]", at)
        if match and int(match[1]) in good:
            kept[f"{key}[{good[int(match[1])]}]{at[match.end() :]}"] = line
    return _convert(wrap([value[index] for index in good]), kind)[0], kept, faults


def _convert(data: Any, kind: Any, *, explain: bool = True) -> tuple[Any, str, str]:
    """Data as that kind; or what is wrong with it, and the path of that."""
    try:
        values = convert_data(data, kind)
    except msgspec.ValidationError as problem:
        if not explain:  # one of very many, which are only counted
            return None, "it does not fit", ""
        return None, explain_error(problem, kind, data).rstrip("."), split_error(problem)[1]
    surrogate = next(find_surrogates(msgspec.to_builtins(values)), None)
    if surrogate is not None:
        fault = f"{surrogate.path}: it contains half of a surrogate pair, written \\ud800 to \\udfff"
        return None, fault, surrogate.path
    return values, "", ""


def _find_line(lines: dict[str, int], path: str) -> int:
    """The line of the value at a path, or of the last value on the way to it that exists."""
    while path not in lines and path:
        path = re.sub(r"(\.|^)[^.\[\]]+$|\[\d+\]$", "", path)
    return lines[path]
