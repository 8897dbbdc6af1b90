"""Location is where a command works: the working directory, which has to exist, home, and the root of the walk."""

from collections.abc import Mapping
from os import fspath
from typing import Any, NamedTuple

from ...errors import ConfigError
from .explain_file_errors import check_length
from .paths import contains_path, list_walk_folders, make_absolute
from .real_world import RealWorld, freeze_machine
from .world import Path, World


class Location(NamedTuple):
    """The folders are absolute paths, with links unresolved."""

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
        """The same for what looks around once."""
        return self._replace(world=freeze_machine(self.world))


def locate(
    cwd: Path | None = None,
    home: Path | None = None,
    root: Path | None = None,
    config: Mapping[str, Any] | None = None,
    world: World | None = None,
) -> Location:
    """The location that a caller names, else the process's; a missing working directory is an error."""
    world = world or RealWorld()
    return Location(
        world,
        check_working_directory(world, None if cwd is None else fspath(cwd)),
        locate_home(world, home),
        None if root is None else fspath(root),
        config or {},
    )


def locate_home(world: World, home: Path | None = None) -> str:
    """The home of a `Location`: the one that a caller names, else the user's; an absolute path."""
    return make_absolute(world, world.home() if home is None else fspath(home))


def check_working_directory(world: World, cwd: str | None) -> str:
    """The absolute path of the directory to work in; a missing one is an error."""
    path = make_absolute(world, cwd or ".")
    try:
        entry = world.look(world.real(path))
    except OSError as problem:
        check_length(path, problem)
        entry = None
    if entry is None or entry.kind != "dir":
        raise ConfigError(f"The working directory {path!r} is not a directory.", hint="Pass one that exists.")
    return path


def find_walk_ends(world: World, cwd: str, root: str | None) -> tuple[str, str | None]:
    """The walk's two ends, the working directory and the root, which is written as a beginning of it."""
    if root is None:
        return cwd, None
    top = make_absolute(world, root)
    if contains_path(top, cwd):
        return cwd, top
    try:
        real, real_top = world.real(cwd), world.real(top)
    except OSError:
        real, real_top = cwd, top
    if contains_path(real_top, real):
        return real, real_top
    raise ConfigError(
        f"The root {root!r} is not the working directory {cwd!r} or a folder above it.",
        hint="Pass a folder that contains the working directory.",
    )
