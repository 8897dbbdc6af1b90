"""Which agents are used here: by files and folders of the project, under home, and by programs on the PATH."""

import os
import posixpath
from typing import NamedTuple

from ...discover.disk.world import World
from ...model.recipe.agent_facts import Signs
from ...recipes.agents import agent_facts, agent_names


class Ground(NamedTuple):
    """Where signs are looked for."""

    world: World
    folders: tuple[str, ...]
    """From the project's top down to the working directory."""
    home: str


def agents_used(ground: Ground) -> dict[str, tuple[str, ...]]:
    """The agents that are used here, each with the signs of it."""
    found = {name: signs_of(ground, agent_facts(name).signs) for name in agent_names()}
    return {name: signs for name, signs in found.items() if signs}


def signs_of(ground: Ground, signs: Signs) -> tuple[str, ...]:
    """By what one sees that an agent is used here; nothing where one does not."""
    here = [posixpath.join(folder, sign) for folder in ground.folders for sign in signs.project]
    found = [path for path in here if _lies(ground.world, path)]
    found += [f"~/{sign}" for sign in signs.home if _lies(ground.world, posixpath.join(ground.home, sign))]
    return (*found, *(f"the program {name}" for name in signs.programs if _is_on_path(ground, name)))


def _lies(world: World, path: str) -> bool:
    try:
        return world.look(path) is not None
    except OSError:
        return False


def _is_on_path(ground: Ground, name: str) -> bool:
    given = ground.world.environment().get("PATH", "").split(os.pathsep)
    return any(_lies(ground.world, posixpath.join(each, name)) for each in given if each.startswith("/"))
