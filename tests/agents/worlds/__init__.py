"""Marked trees, one for each question about what an agent reads: `make_world("files", folder)` writes one."""

from pathlib import Path

from . import files, helpers, imports, large, mixes, odd, rules, settings, skills, spelled
from .places import PLACES
from .tree import MARK, Tree
from .world import World

__all__ = ["MARK", "PLACES", "WORLDS", "World", "make_world", "write_world"]

_ROOMS = (files, mixes, large, imports, rules, skills, helpers, settings, odd, spelled)
WORLDS: dict[str, World] = {world.name: world for room in _ROOMS for world in room.WORLDS}


def make_world(name: str, folder: Path) -> World:
    """Write a world's `w` and `home` into a folder; the same name gives the same files."""
    return write_world(WORLDS[name], folder)


def write_world(world: World, folder: Path) -> World:
    """Write any world."""
    tree = Tree(folder)
    world.build(tree)
    if world.git:
        tree.init_git()
    return world
