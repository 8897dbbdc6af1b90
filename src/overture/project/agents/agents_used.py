"""Which agents are used here: by files and folders of the project, under home, and by programs on the PATH."""

import os
import posixpath

from ...discover.disk.world import World
from ...model.recipe.recipe import Recipe


def signs_of(world: World, recipe: Recipe, folders: list[str], home: str) -> tuple[str, ...]:
    """By what one sees that an agent is used here; nothing where one does not."""
    if recipe.agent is None:
        return ()
    signs = recipe.agent.signs
    here = [posixpath.join(folder, sign) for folder in folders for sign in signs.project]
    found = [path for path in here if _lies(world, path)]
    found += [f"~/{sign}" for sign in signs.home if _lies(world, posixpath.join(home, sign))]
    return (*found, *(f"the program {name}" for name in signs.programs if _on_path(world, name)))


def _lies(world: World, path: str) -> bool:
    try:
        return world.look(path) is not None
    except OSError:
        return False


def _on_path(world: World, name: str) -> bool:
    folders = [each for each in world.environment().get("PATH", "").split(os.pathsep) if each.startswith("/")]
    return any(_lies(world, posixpath.join(folder, name)) for folder in folders)
