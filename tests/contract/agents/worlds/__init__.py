"""Marked trees, one for each question about what an agent reads: `make_world("files", folder)` writes one."""

from pathlib import Path

from . import (
    copilot,
    files,
    helpers,
    imported,
    imports,
    large,
    mixes,
    nested,
    odd,
    repositories,
    rules,
    settings,
    skills,
    spelled,
)
from .git import Repository, make_repository
from .places import ALL_PLACES, PLACES, ROOT
from .tree import MARK, Tree
from .world import World

__all__ = ["ALL_PLACES", "MARK", "PLACES", "WORLDS", "World", "make_world", "write_world"]

_ROOMS = (
    files,
    mixes,
    nested,
    large,
    imports,
    imported,
    rules,
    skills,
    helpers,
    settings,
    odd,
    spelled,
    repositories,
    copilot,
)
WORLDS: dict[str, World] = {world.name: world for room in _ROOMS for world in room.WORLDS}


def make_world(name: str, folder: Path) -> World:
    """Write a world's `w` and `home` into a folder; the same name gives the same files."""
    return write_world(WORLDS[name], folder)


def write_world(world: World, folder: Path) -> World:
    """Write any world."""
    for repository in (*([Repository("plain", ROOT)] if world.git else []), *world.repositories):
        make_repository(folder, repository)
    world.build(Tree(folder))
    return world
