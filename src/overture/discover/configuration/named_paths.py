"""Folders that the configuration names -> a report of each that is not there."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ...model.diagnostic import Diagnostic, warning
from ..disk.walk import absolute, find_folders
from ..disk.why_not import leads_nowhere, said
from ..disk.world import World
from .keys import KEYS
from .values import Config


class Named(NamedTuple):
    """A path of the configuration: the key, where that is given, and whether it has to be a folder."""

    key: str
    path: str
    origin: str
    folder: bool


def named_paths(world: World, config: Config, recipe: str) -> tuple[Named, ...]:
    """The folders and places that count for a recipe. A file, as that of the tools, is an error where it is read."""
    found = []
    for key, kind in KEYS.items():
        value, origin, *_ = config.get(key, recipe)
        if kind.paths == "list":
            found += [Named(key, absolute(world, path), origin, folder=True) for path in value]
        elif kind.paths == "place" and value and "://" not in value:
            found.append(Named(key, value, origin, folder=False))
    return tuple(found)


def find_missing(world: World, named: Iterable[Named]) -> Iterator[tuple[Named, Diagnostic]]:
    """Each path that is not there, or is no folder where it has to be one."""
    for each in named:
        fault = _fault(world, each)
        if fault:
            yield each, warning("config-missing", f"{each.key} names {each.path!r}, which {fault}", each.origin)


def _fault(world: World, named: Named) -> str | None:
    try:
        if "*" in named.path and named.key == "features.skills.extra_dirs":
            return None if find_folders(world, named.path) else "stands for no folder: make one, or name another"
        if world.look(named.path) is None:
            return "is not there: make it, or name another"
        entry = world.look(world.real(named.path))
    except FileNotFoundError:
        led = leads_nowhere(world, named.path) or "it is a link to nothing"
        return f"{led.removeprefix('it ')}: mend it, or name another"
    except OSError as problem:
        return f"can't be used: {said(problem)}"
    if named.folder and (entry is None or entry.kind != "dir"):
        return "is not a folder: name one"
    return None
