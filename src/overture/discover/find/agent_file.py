"""agent.json in the working directory: the agent as its author describes it, and the folders that it may use."""

import posixpath
from typing import Any, NamedTuple, get_args

from ...errors import nearest
from ...model.recipe.wants.wanted_files import AgentFile
from ...model.state.agent import Agent, Capability, Responsibility
from ...model.state.files import Origin
from ..disk.reader import Reader
from ..disk.walk import expanded
from ..formats.json_values import Sieve, fault_of, load_sifted, sifting
from ..formats.json_with_lines import Spot

LISTS = ("responsibilities", "capabilities")
TEXTS = tuple(name for name in Agent.__struct_fields__ if name not in LISTS)
CAPABILITIES: tuple[str, ...] = get_args(Capability)


class Described(NamedTuple):
    """What an agent.json gives."""

    agent: Agent | None = None
    directories: tuple[str, ...] = ()
    origins: dict[str, Origin] = {}


def find_agent(reader: Reader, wants: AgentFile, cwd: str, link_root: str, home: str) -> Described:
    """The agent of the working directory, with its directories made absolute."""
    sighting = reader.sight(cwd, wants.name, link_root, "agent")
    sifted = load_sifted(reader, sighting, "agent", read_agent) if sighting else None
    if sighting is None or sifted is None:
        return Described()
    agent, given = sifted.values
    origins = sifted.origins(sighting.path)
    lines = [origins.pop(f"runtime.directories[{index}]") for index in range(len(given))]
    folders: dict[str, Origin] = {}
    for path, origin in zip(given, lines, strict=True):
        folder = posixpath.normpath(expanded(path, cwd, home))
        if folder != cwd:  # the prompt names that one already
            folders.setdefault(folder, origin)
    for index, origin in enumerate(folders.values()):
        origins[f"runtime.directories[{index}]"] = origin
    return Described(agent, tuple(folders), origins)


def _sift(root: Spot, sieve: Sieve) -> tuple[Agent | None, tuple[str, ...]]:
    """The agent and its directories. Keys that are not ours are somebody else's business."""
    spots: dict[str | int, Spot] = {}
    for key, spot in root.inner:
        if key in spots and (key in Agent.__struct_fields__ or key == "directories"):
            sieve.report(str(key), f"it is given again on line {spot.line}, and the last one counts", spots[key].line)
        spots[key] = spot
    given = {key: spot for key, spot in spots.items() if spot.value is not None}
    fields: dict[str, Any] = {
        key: value
        for key in TEXTS
        if key in given and (value := sieve.take(given[key], str, key, f"agent.{key}")) is not None
    }
    for key, sift in (("responsibilities", _duties), ("capabilities", _capabilities)):
        if key in given and _is_list(given[key], sieve, key):
            fields[key] = sift(given[key], sieve)
    folders: tuple[str, ...] = ()
    if "directories" in given and _is_list(given["directories"], sieve, "directories"):
        folders = sieve.texts(given["directories"], "directories", "runtime.directories")
    return (Agent(**fields) if fields else None), folders


def _is_list(spot: Spot, sieve: Sieve, name: str) -> bool:
    fault = fault_of(spot.value, list)
    if fault is not None:
        sieve.report(name, fault, spot.line)
    return fault is None


def _duties(spot: Spot, sieve: Sieve) -> tuple[Responsibility, ...]:
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
        return fault_of(value, dict)
    for key in ("title", "content"):
        if not (given := value.get(key)) or (isinstance(given, str) and given.isspace()):
            return f"it has no {key}"
        if fault := fault_of(given, str):
            return f"{key}: {fault}"
    return None


def _capabilities(spot: Spot, sieve: Sieve) -> tuple[str, ...]:
    kept = []
    sieve.lines["agent.capabilities"] = spot.line
    for index, item in spot.inner:
        if item.value in CAPABILITIES:
            kept.append(item.value)
            continue
        fault = fault_of(item.value, str) or ("" if sieve.full else _unknown(item.value[:40]))
        sieve.report(f"capabilities[{index}]", fault, item.line)
    return tuple(dict.fromkeys(kept))


def _unknown(name: str) -> str:
    return f"expected one of {', '.join(CAPABILITIES)}, got {name!r}.{nearest(name, CAPABILITIES)}"


read_agent = sifting("agent", dict, 3, _sift)
"""An agent.json -> the agent, its directories as they are written, and the line of each."""
