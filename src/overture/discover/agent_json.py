"""Reads agent.json and memories.json; a value that does not fit is reported."""

import posixpath
from typing import Any, NamedTuple, get_args

from ..errors import suggest
from ..model.state.agent_and_task import Agent, Capability, Responsibility
from ..model.state.files import Origin
from ..model.wants.wants import AgentJsonFile, MemoriesFile
from .disk.paths import contains_path, expand_path
from .disk.project_root import LinkRoots
from .disk.reader import FileReader
from .disk.world import path_exists
from .formats.json_values import JsonSpot, ValueSieve, find_value_fault, load_sifted_json, make_sifter

LIST_FIELDS = ("responsibilities", "capabilities")
TEXT_FIELDS = tuple(name for name in Agent.__struct_fields__ if name not in LIST_FIELDS)
CAPABILITIES: tuple[str, ...] = get_args(Capability)


class AgentDescription(NamedTuple):
    """What an agent.json gives."""

    agent: Agent | None = None
    directories: tuple[str, ...] = ()
    origins: dict[str, Origin] = {}


def find_agent_file(reader: FileReader, wants: AgentJsonFile, cwd: str, link_root: str, home: str) -> AgentDescription:
    """The agent of the working directory, with its directories made absolute."""
    sighting = reader.sight(cwd, wants.name, link_root, "agent")
    sifted = load_sifted_json(reader, sighting, "agent", read_agent) if sighting else None
    if sighting is None or sifted is None:
        return AgentDescription()
    agent, given = sifted.values
    origins = sifted.origins(sighting.path)
    lines = [origins.pop(f"runtime.directories[{index}]") for index in range(len(given))]
    folders: dict[str, Origin] = {}
    for path, origin in zip(given, lines, strict=True):
        folder = posixpath.normpath(expand_path(path, cwd, home))
        if folder != cwd:  # the prompt names that one already
            folders.setdefault(folder, origin)
    for index, origin in enumerate(folders.values()):
        origins[f"runtime.directories[{index}]"] = origin
    return AgentDescription(agent, tuple(folders), origins)


def _sift_agent(root: JsonSpot, sieve: ValueSieve) -> tuple[Agent | None, tuple[str, ...]]:
    """The agent and its directories. Keys that are not ours are somebody else's business."""
    spots: dict[str | int, JsonSpot] = {}
    for key, spot in root.inner:
        if key in spots and (key in Agent.__struct_fields__ or key == "directories"):
            sieve.report(str(key), f"it is given again on line {spot.line}, and the last one counts", spots[key].line)
        spots[key] = spot
    given = {key: spot for key, spot in spots.items() if spot.value is not None}
    fields: dict[str, Any] = {
        key: value
        for key in TEXT_FIELDS
        if key in given and (value := sieve.take(given[key], str, key, f"agent.{key}")) is not None
    }
    for key, sift in (("responsibilities", _duties), ("capabilities", _capabilities)):
        if key in given and _is_list(given[key], sieve, key):
            fields[key] = sift(given[key], sieve)
    folders: tuple[str, ...] = ()
    if "directories" in given and _is_list(given["directories"], sieve, "directories"):
        folders = sieve.texts(given["directories"], "directories", "runtime.directories")
    return (Agent(**fields) if fields else None), folders


def _is_list(spot: JsonSpot, sieve: ValueSieve, name: str) -> bool:
    fault = find_value_fault(spot.value, list)
    if fault is not None:
        sieve.report(name, fault, spot.line)
    return fault is None


def _duties(spot: JsonSpot, sieve: ValueSieve) -> tuple[Responsibility, ...]:
    kept: list[Responsibility] = []
    for index, item in spot.inner:
        fault = _duty_fault(item.value)
        if fault is not None:
            sieve.report(f"responsibilities[{index}]", fault, item.line)
            continue
        spots = dict(item.inner)
        for key in ("title", "content"):
            sieve.lines[f"agent.responsibilities[{len(kept)}].{key}"] = spots[key].line
        kept.append(Responsibility(spots["title"].value, spots["content"].value))
    return tuple(kept)


def _duty_fault(value: Any) -> str | None:
    if not isinstance(value, dict):
        return find_value_fault(value, dict)
    for key in ("title", "content"):
        if not (given := value.get(key)) or (isinstance(given, str) and given.isspace()):
            return f"it has no {key}"
        if fault := find_value_fault(given, str):
            return f"{key}: {fault}"
    return None


def _capabilities(spot: JsonSpot, sieve: ValueSieve) -> tuple[str, ...]:
    kept = []
    sieve.lines["agent.capabilities"] = spot.line
    for index, item in spot.inner:
        if item.value in CAPABILITIES:
            kept.append(item.value)
            continue
        fault = find_value_fault(item.value, str) or ("" if sieve.full else _unknown(item.value[:40]))
        sieve.report(f"capabilities[{index}]", fault, item.line)
    return tuple(dict.fromkeys(kept))


def _unknown(name: str) -> str:
    return f"expected one of {', '.join(CAPABILITIES)}, got {name!r}.{suggest(name, CAPABILITIES)}"


read_agent = make_sifter("agent", dict, 3, _sift_agent)
"""An agent.json -> the agent, its directories as they are written, and the line of each."""


# The nearest memories.json, from the working directory up to the root of the walk.


def find_memories(
    reader: FileReader, wants: MemoriesFile, walk: list[str], roots: LinkRoots
) -> tuple[tuple[str, ...], dict[str, Origin]]:
    """The memories, and where each came from. The nearest file counts even if it can't be used."""
    within = wants.within
    nearest_first = [each for each in reversed(walk) if within is None or contains_path(within, reader.real_or(each))]
    for index, folder in enumerate(nearest_first):
        sighting = reader.sight(folder, wants.name, roots.of(folder), "memories")
        if sighting is None and reader.looked[-1].outcome == "absent":
            continue
        _note_hidden(reader, wants, nearest_first[index + 1 :], folder)
        sifted = load_sifted_json(reader, sighting, "memories", read_memories) if sighting else None
        return (sifted.values, sifted.origins(sighting.path)) if sighting and sifted else ((), {})
    return (), {}


def _note_hidden(reader: FileReader, wants: MemoriesFile, above: list[str], taken: str) -> None:
    for folder in above:
        path = f"{folder.rstrip('/')}/{wants.name}"
        there = path_exists(reader.world, path)
        detail = f"by {taken.rstrip('/')}/{wants.name}" if there else ""
        reader.note(path, "memories", "shadowed" if there else "absent", detail)


def _sift_memories(root: JsonSpot, sieve: ValueSieve) -> tuple[str, ...]:
    return sieve.texts(root, "", "memories")


read_memories = make_sifter("memories", list, 1, _sift_memories)
"""A memories.json -> the texts that it lists, and the line of each."""
