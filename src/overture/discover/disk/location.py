"""Location is where a command looks: made once, from the folders and settings that a caller names."""

from collections.abc import Mapping
from os import fspath
from typing import Any, NamedTuple

from .paths import check_working_directory, find_walk_ends, list_walk_folders, make_absolute
from .real_world import RealWorld
from .world import Path, World
from .world_at_moment import list_folders_above


class Location(NamedTuple):
    """The folders are absolute paths, with links as they are."""

    world: World
    cwd: str
    home: str
    root: str | None = None
    """The outermost folder to look in, as the caller writes it; None: the disk's root."""
    config: Mapping[str, Any] = {}
    """Settings that win over those of files and variables."""

    def list_walk(self) -> list[str]:
        """Every folder from the outermost down to the working directory."""
        return list_walk_folders(*find_walk_ends(self.world, self.cwd, self.root))

    def at_one_moment(self) -> "Location":
        """The same for what looks around once: each of many folders above is listed once."""
        return self._replace(world=list_folders_above(self.world, self.cwd))


def locate(
    cwd: Path | None = None,
    home: Path | None = None,
    root: Path | None = None,
    config: Mapping[str, Any] | None = None,
    world: World | None = None,
) -> Location:
    """The location that a caller names, else the process's; a working directory that is not there is an error."""
    world = world or RealWorld()
    return Location(
        world,
        check_working_directory(world, None if cwd is None else fspath(cwd)),
        locate_home(world, home),
        None if root is None else fspath(root),
        config or {},
    )


def locate_home(world: World, home: Path | None = None) -> str:
    """The home that a caller names, else the user's: an absolute path."""
    return make_absolute(world, world.home() if home is None else fspath(home))
