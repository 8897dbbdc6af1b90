"""Reads agent.json and memories.json; a value that does not fit is reported."""

import posixpath
from typing import Any, get_args

from ..errors import suggest
from ..model.source import Origin
from ..model.state.agent_and_runtime import Agent, Capability, Responsibility
from ..model.state.discovery import People
from ..model.wants import AgentJsonFile, MemoriesFile
from .disk.file_reader import FileReader
from .disk.paths import contains_path, expand_path, path_exists
from .disk.search_scope import LinkRoots, SearchScope
from .sift_json_values import JsonSpot, ValueSieve, find_value_fault, load_sifted_json, make_sifter

LIST_FIELDS = ("responsibilities", "capabilities")
TEXT_FIELDS = tuple(name for name in Agent.__struct_fields__ if name not in LIST_FIELDS)
CAPABILITIES: tuple[str, ...] = get_args(Capability)


def find_agent_file(reader: FileReader, wants: AgentJsonFile, scope: SearchScope, roots: LinkRoots) -> People:
    """The agent of the working directory, with its directories made absolute."""
    cwd = scope.cwd
    sighting = reader.sight(cwd, wants.name, roots.project, "agent")
    parsed = load_sifted_json(reader, sighting, "agent", read_agent) if sighting else None
    if sighting is None or parsed is None:
        return People()
    agent, directories = parsed.values
    origins = parsed.origins(sighting.path)
    lines = [origins.pop(f"runtime.directories[{index}]") for index in range(len(directories))]
    folders: dict[str, Origin] = {}
    for path, origin in zip(directories, lines, strict=True):
        folder = posixpath.normpath(expand_path(path, cwd, scope.home))
        if folder != cwd:  # the prompt names that one already
            folders.setdefault(folder, origin)
    for index, origin in enumerate(folders.values()):
        origins[f"runtime.directories[{index}]"] = origin
    return People(agent, directories=tuple(folders), origins=origins)


def _sift_agent(root: JsonSpot, sieve: ValueSieve) -> tuple[Agent | None, tuple[str, ...]]:
    """The agent and its directories. Unknown keys belong to other programs and are ignored."""
    by_key: dict[str | int, JsonSpot] = {}
    for key, spot in root.inner:
        if key in by_key and (key in Agent.__struct_fields__ or key == "directories"):
            sieve.report(str(key), f"it is given again on line {spot.line}; the last value is used", by_key[key].line)
        by_key[key] = spot
    fields_set = {key: spot for key, spot in by_key.items() if spot.value is not None}
    fields: dict[str, Any] = {
        key: value
        for key in TEXT_FIELDS
        if key in fields_set and (value := sieve.take(fields_set[key], str, key, f"agent.{key}")) is not None
    }
    for key, read_list in (("responsibilities", _read_responsibilities), ("capabilities", _read_capabilities)):
        if key in fields_set and _is_list(fields_set[key], sieve, key):
            fields[key] = read_list(fields_set[key], sieve)
    folders: tuple[str, ...] = ()
    if "directories" in fields_set and _is_list(fields_set["directories"], sieve, "directories"):
        folders = sieve.texts(fields_set["directories"], "directories", "runtime.directories")
    return (Agent(**fields) if fields else None), folders


def _is_list(spot: JsonSpot, sieve: ValueSieve, name: str) -> bool:
    fault = find_value_fault(spot.value, list)
    if fault is not None:
        sieve.report(name, fault, spot.line)
    return fault is None


def _read_responsibilities(spot: JsonSpot, sieve: ValueSieve) -> tuple[Responsibility, ...]:
    """The responsibilities of an agent.json; one that does not fit is reported."""
    duties: list[Responsibility] = []
    for index, item in spot.inner:
        fault = _find_responsibility_fault(item.value)
        if fault is not None:
            sieve.report(f"responsibilities[{index}]", fault, item.line)
            continue
        by_name = dict(item.inner)
        for key in ("title", "content"):
            sieve.lines[f"agent.responsibilities[{len(duties)}].{key}"] = by_name[key].line
        duties.append(Responsibility(by_name["title"].value, by_name["content"].value))
    return tuple(duties)


def _find_responsibility_fault(value: Any) -> str | None:
    if not isinstance(value, dict):
        return find_value_fault(value, dict)
    for key in ("title", "content"):
        if not (text := value.get(key)) or (isinstance(text, str) and text.isspace()):
            return f"it has no {key}"
        if fault := find_value_fault(text, str):
            return f"{key}: {fault}"
    return None


def _read_capabilities(spot: JsonSpot, sieve: ValueSieve) -> tuple[str, ...]:
    """The capabilities of an agent.json; an unknown one is reported."""
    names = []
    sieve.lines["agent.capabilities"] = spot.line
    for index, item in spot.inner:
        if item.value in CAPABILITIES:
            names.append(item.value)
            continue
        fault = find_value_fault(item.value, str) or ""
        if not fault and not sieve.full:
            name = item.value[:40]
            fault = f"expected one of {', '.join(CAPABILITIES)}, got {name!r}.{suggest(name, CAPABILITIES)}"
        sieve.report(f"capabilities[{index}]", fault, item.line)
    return tuple(dict.fromkeys(names))


read_agent = make_sifter("agent", dict, 3, _sift_agent)
"""An agent.json -> the agent, its directories as written, and the line of each."""


def find_memories(reader: FileReader, wants: MemoriesFile, scope: SearchScope, roots: LinkRoots) -> People:
    """The memories of the nearest memories.json up to the root of the walk; it counts even if it can't be used."""
    top = wants.within
    nearest_first = [f for f in reversed(scope.walk) if top is None or contains_path(top, reader.real_or(f))]
    for index, folder in enumerate(nearest_first):
        sighting = reader.sight(folder, wants.name, roots.of(folder), "memories")
        if sighting is None and reader.looked[-1].outcome == "absent":
            continue
        _note_hidden(reader, wants, nearest_first[index + 1 :], folder)
        parsed = load_sifted_json(reader, sighting, "memories", read_memories) if sighting else None
        if sighting is None or parsed is None:
            break
        return People(memories=parsed.values, origins=parsed.origins(sighting.path))
    return People()


def _note_hidden(reader: FileReader, wants: MemoriesFile, above: list[str], winner: str) -> None:
    """Record the memories.json files above that the nearest one hides."""
    for folder in above:
        path = f"{folder.rstrip('/')}/{wants.name}"
        there = path_exists(reader.world, path)
        detail = f"by {winner.rstrip('/')}/{wants.name}" if there else ""
        reader.note(path, "memories", "hidden" if there else "absent", detail)


read_memories = make_sifter("memories", list, 1, lambda root, sieve: sieve.texts(root, "", "memories"))
"""A memories.json -> the texts that it lists, and the line of each."""
