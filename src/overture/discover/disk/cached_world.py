"""The machine at one moment: nothing is read twice, and very deep folders are listed once."""

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, TypeVar, cast

from .moment import Moment, OneMoment
from .open_file import read_limited, read_real_file
from .paths import list_walk_folders
from .real_world import RealWorld
from .world import MAX_FILE_BYTES, EntryKind, FileEntry, World, make_missing_error

T = TypeVar("T")
MIN_DEPTH = 64
"""Folders above, from which on each is listed: a question about a name costs the more, the deeper its folder is."""


MAX_KEPT_BYTES = 262_144
"""Bytes of a file that is cached at a moment: nearly all instruction files are smaller."""


class CachedWorld(OneMoment):
    """A World at one moment: no path is looked at twice, no folder listed twice, and no small file read twice.

    Agents look for a hundred names in each folder above. In very deep folders, a listing shows which are missing.
    """

    def __init__(self, world: World, walk: Iterable[str] = ()) -> None:
        """Nothing is cached yet; `walk` are folders that are listed before names in them are looked at."""
        self.world, self.walk = world, frozenset(walk)
        self.moment = Moment()
        self.looks: dict[str, FileEntry | None] = {}
        self.listings: dict[str, list[tuple[str, EntryKind]] | OSError] = {}
        self.contents: dict[tuple[str, bool], bytes] = {}
        """Files by their paths, and whether no link was on the way."""
        self.refused: set[str] = set()
        """Paths that may not be inspected."""
        self.spelled: dict[str, frozenset[str] | None] = {}
        """The names in each folder of the walk in any letter case; None if it can't be listed."""

    def __getattr__(self, name: str) -> Any:
        """Everything except files comes from the world."""
        return getattr(self.world, name)

    def look(self, path: str) -> FileEntry | None:
        """The entry at a path, looked at once; or None."""
        if path not in self.looks:
            if self.walk and self._is_absent(path):
                return None
            try:
                self.looks[path] = self.world.look(path)
            except OSError:
                self.refused.add(path)
                raise
        return self.looks[path]

    def names(self, path: str) -> list[tuple[str, EntryKind]]:
        """The cached entries of a directory, or the cached error."""
        if path not in self.listings:
            if self.walk and self._is_absent(path):
                raise make_missing_error(path)
            try:
                self.listings[path] = self.world.names(path)
            except OSError as problem:
                self.listings[path] = problem
        listing = self.listings[path]
        if isinstance(listing, OSError):
            raise OSError(listing.errno, listing.strerror, path)
        return listing

    def real(self, path: str) -> str:
        """The path with all links followed, which is cached."""
        reals = self.moment.reals
        if path not in reals:
            if self.walk and self._is_absent(path):
                raise make_missing_error(path)
            reals[path] = self.world.real(path)
        return reals[path]

    def read(self, path: str) -> bytes:
        """The content of a file of usual size."""
        return self.read_most(path, MAX_FILE_BYTES)

    def read_most(self, path: str, max_bytes: int) -> bytes:
        """The content of a file, cached if it is small."""
        known = self.contents.get((path, True)) or self.contents.get((path, False))
        return self._keep((path, False), known, read_limited, max_bytes)

    def read_real(self, path: str, max_bytes: int) -> bytes:
        """The same for a real path, cached as well."""
        return self._keep((path, True), self.contents.get((path, True)), read_real_file, max_bytes)

    def _keep(
        self, key: tuple[str, bool], known: bytes | None, read: Callable[[World, str, int], bytes], max_bytes: int
    ) -> bytes:
        """The cached content, or what `read` returns, which is cached if it is small."""
        if known is not None and len(known) <= max_bytes:
            return known
        data = read(self.world, key[0], max_bytes)
        if len(data) <= MAX_KEPT_BYTES:
            self.contents[key] = data
        return data

    def _is_absent(self, path: str) -> bool:
        """Whether the nearest folder of the walk lacks the name. For one beyond ASCII the disk is queried instead."""
        if path in self.walk:
            return False
        top, _, name = path.rpartition("/")
        while top and top not in self.walk:
            top, _, name = top.rpartition("/")
        if top not in self.spelled:
            self.spelled[top] = None
            with suppress(OSError):
                self.spelled[top] = frozenset(name.casefold() for name, _ in self.names(top or "/"))
        known = self.spelled[top]
        return known is not None and name.isascii() and name not in ("", ".", "..") and name.casefold() not in known


def list_folders_above(world: World, cwd: str) -> World:
    """The world for one moment; below many folders, one that lists each of them once."""
    if isinstance(world, CachedWorld):
        return world
    walk = list_walk_folders(cwd, None) if cwd.count("/") >= MIN_DEPTH else ()
    return cache_world(world, walk) if walk or type(world) is RealWorld else world


def cache_world(world: World, walk: Iterable[str] = ()) -> World:
    """The world for as long as nothing in it changes."""
    return cast(World, CachedWorld(world, walk))


def is_machine(world: World) -> bool:
    """Whether a world is the machine itself, and no wrapper around it."""
    return type(world.world if isinstance(world, CachedWorld) else world) is RealWorld
