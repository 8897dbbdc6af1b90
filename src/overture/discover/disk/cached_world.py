"""The machine at one moment: nothing is read twice, and very deep folders are listed once."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any, cast

from .moment import Moment, OneMoment
from .paths import list_walk_folders
from .real_world import RealWorld
from .world import EntryKind, FileEntry, World, make_missing_error

MIN_DEPTH = 64
"""Folders above, from which on each is listed: a question about a name costs the more, the deeper its folder is."""


MAX_KEPT_BYTES = 262_144
"""Bytes of a file that is cached at a moment: nearly all instruction files are smaller."""


class RealMoment(OneMoment, RealWorld):
    """The machine at one moment: no path is looked at twice, no folder listed twice, and no small file read twice."""

    def __init__(self) -> None:
        """The machine from now on: nothing is cached yet."""
        self.moment = Moment()
        self.looks: dict[str, FileEntry | None] = {}
        self.listings: dict[str, list[tuple[str, EntryKind]] | OSError] = {}
        self.contents: dict[tuple[str, bool], bytes] = {}
        """Files by their paths, and whether no link was on the way."""
        self.refused: set[str] = set()
        """Paths that may not be inspected."""

    def look(self, path: str) -> FileEntry | None:
        """The entry at a path, looked at once; or None."""
        if path not in self.looks:
            try:
                self.looks[path] = super().look(path)
            except OSError:
                self.refused.add(path)
                raise
        return self.looks[path]

    def names(self, path: str) -> list[tuple[str, EntryKind]]:
        """The cached entries of a directory, or the cached error."""
        if path not in self.listings:
            try:
                self.listings[path] = super().names(path)
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
            reals[path] = super().real(path)
        return reals[path]

    def read_most(self, path: str, max_bytes: int) -> bytes:
        """The content of a file, cached if it is small."""
        known = self.contents.get((path, True)) or self.contents.get((path, False))
        return self._keep((path, False), known, super().read_most, max_bytes)

    def read_real(self, path: str, max_bytes: int) -> bytes:
        """The same for a real path, cached as well."""
        return self._keep((path, True), self.contents.get((path, True)), super().read_real, max_bytes)

    def _keep(
        self, key: tuple[str, bool], known: bytes | None, read: Callable[[str, int], bytes], max_bytes: int
    ) -> bytes:
        """The cached content, or what `read` returns, which is cached if it is small."""
        if known is not None and len(known) <= max_bytes:
            return known
        data = read(key[0], max_bytes)
        if len(data) <= MAX_KEPT_BYTES:
            self.contents[key] = data
        return data


class FoldersAbove(OneMoment):
    """Replaces a World during one discovery, or during several at one moment.

    Agents look for a hundred names in each folder above. Most are missing, which the listing shows.
    """

    def __init__(self, world: World, walk: list[str]) -> None:
        """`walk` are the folders above the working directory, and itself."""
        self.world = world
        self.walk = frozenset(walk)
        self.looks: dict[str, FileEntry | None] = {}
        self.listings: dict[str, list[tuple[str, EntryKind]]] = {}
        self.moment = Moment()
        self.spelled: dict[str, frozenset[str] | None] = {}
        """The names in each folder in any letter case; None if it can't be listed."""

    def __getattr__(self, name: str) -> Any:
        """Everything except files comes from the world."""
        return getattr(self.world, name)

    def look(self, path: str) -> FileEntry | None:
        """The entry at a path, or None; of folders above it is cached, and an absent one is known by their listing."""
        if path in self.walk:
            if path not in self.looks:
                self.looks[path] = self.world.look(path)
            return self.looks[path]
        return None if self._is_absent(path) else self.world.look(path)

    def real(self, path: str) -> str:
        """The path with all links followed, unless the cached listing shows that it is absent."""
        if self._is_absent(path):
            raise make_missing_error(path)
        return self.world.real(path)

    def names(self, path: str) -> list[tuple[str, EntryKind]]:
        """The entries of a directory, which are cached for folders above."""
        if path not in self.walk:
            if self._is_absent(path):
                raise make_missing_error(path)
            return self.world.names(path)
        if path not in self.listings:
            self.listings[path] = self.world.names(path)
        return self.listings[path]

    def _is_absent(self, path: str) -> bool:
        """Whether the nearest folder above lacks the name. For a name beyond ASCII the disk is queried instead."""
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
    if isinstance(world, FoldersAbove | RealMoment):
        return world
    if cwd.count("/") < MIN_DEPTH:
        return RealMoment() if type(world) is RealWorld else world
    return cast(World, FoldersAbove(world, list_walk_folders(cwd, None)))


def is_machine(world: World) -> bool:
    """Whether a world is the machine itself, and no wrapper around it."""
    return type(world) in (RealWorld, RealMoment)
