"""Which agents are used here: by files and folders of the project, under home, and by programs on the PATH."""

import os
import posixpath
from collections.abc import Iterable, Sequence

from ..discover.disk.world import World, lies
from ..discover.folders_above import list_folders_above
from ..known_agents import agent_facts


def agents_used(world: World, folders: Sequence[str], home: str, names: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """For each agent, the signs of it that are there."""
    world = list_folders_above(world, folders[-1])
    return {name: signs_of(world, name, folders, home) for name in names}


def signs_of(world: World, name: str, folders: Sequence[str], home: str) -> tuple[str, ...]:
    """By what one sees that an agent is used here; nothing where one does not. `folders` are those of the project."""
    signs = agent_facts(name).signs
    here = [posixpath.join(folder, sign) for folder in folders for sign in signs.project]
    found = [path for path in here if lies(world, path)]
    found += [f"~/{sign}" for sign in signs.home if lies(world, posixpath.join(home, sign))]
    return (*found, *(f"the program {program}" for program in signs.programs if _is_on_path(world, program)))


def _is_on_path(world: World, program: str) -> bool:
    given = world.environment().get("PATH", "").split(os.pathsep)
    return any(lies(world, posixpath.join(each, program)) for each in given if each.startswith("/"))
