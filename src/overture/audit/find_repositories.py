"""Finds the repositories that are meant: checkouts and bare ones below folders, archives, lists of paths."""

import os
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal

from msgspec.structs import replace

from ..discovery.globs import SKIPPED_FOLDERS
from ..errors import ConfigError
from ..model.struct import Frozen
from ..terminal.output import open_standard_input
from ..text.path_printer import readable_path
from .snapshots import ARCHIVE_ENDINGS, SnapshotKind

MAX_DEPTH = 6
"""Folders below a place that are looked into; nothing is looked for inside a repository."""
EXPORT_FOLDER = "repositories/"
"""The folder of repositories in the export of a GitHub organization: `repositories/OWNER/NAME.git`."""

PlaceKind = SnapshotKind | Literal["missing"]


class RepositoryPlace(Frozen, frozen=True):
    """A repository, wherever it is."""

    path: str
    name: str
    kind: PlaceKind
    revision: str = "HEAD"
    problem: str = ""
    """Why there is nothing to read."""

    @property
    def key(self) -> tuple[str, str]:
        """Path and revision for display, even if they are not UTF-8: unique to this place."""
        return readable_path(self.path), readable_path(self.revision)


def find_repositories(words: Iterable[str]) -> list[RepositoryPlace]:
    """Every repository once, sorted by name; a word that leads to none is a place with a problem."""
    places: dict[tuple[str, str], RepositoryPlace] = {}
    for word in words:
        for line in _read_list(word[1:]) if word.startswith("@") else [word]:
            for place in _find_named(line):
                # Of a missing one the path may be any text, also one that no system takes.
                real = place.path if place.kind == "missing" else os.path.realpath(place.path)
                places.setdefault((real, place.revision), place)
    names = Counter(place.name for place in places.values())
    unique = (
        replace(each, name=readable_path(each.name if names[each.name] == 1 else _name_revision(*each.key)))
        for each in places.values()
    )
    return sorted(unique, key=lambda place: place.name)


def _read_list(path: str) -> list[str]:
    """The repositories in a list of places; paths in it begin at the current folder."""
    try:
        if path == "-":
            data = open_standard_input("Pass a file as @FILE.").read()
        else:
            with open(path, "rb") as file:  # noqa: PTH123
                data = file.read()
    except OSError as problem:
        reason = (problem.strerror or str(problem)).lower()
        raise ConfigError(f"The list {path!r} can't be read: {reason}.") from None
    return [line for line in os.fsdecode(data.removeprefix(BOM_UTF8)).splitlines() if line.strip()]


def _find_named(word: str) -> Iterator[RepositoryPlace]:
    """The meaning of a word: a path, or `PATH@REVISION` if no file has that name; only a repository of git has any."""
    word = path = os.path.abspath(word)
    while path and not os.path.lexists(path):  # the longest path that exists: it may have an `@` in it, too
        path = path.rpartition("@")[0]
    path, revision = (path, word[len(path) + 1 :] or "HEAD") if path else (word, "HEAD")
    name = os.path.basename(path) or "/"
    if not os.path.lexists(path):
        yield RepositoryPlace(path, name, "missing", problem=f"{path}: no such file or folder")
    elif not os.path.isdir(path) and not path.endswith(ARCHIVE_ENDINGS):
        yield RepositoryPlace(path, name, "missing", problem="neither a folder nor an archive; a list is @FILE")
    else:
        for place in _find_in_place(path, name):
            named = replace(place, revision=revision, name=_name_revision(place.name, revision))
            if revision != "HEAD" and place.kind in ("folder", "archive"):
                named = replace(named, kind="missing", problem=f"without git there is no revision {revision!r:.80}")
            yield named


def _find_in_place(path: str, name: str) -> list[RepositoryPlace]:
    """The repositories in a folder, or an archive. A folder without any is audited itself, unless it is empty."""
    if not os.path.isdir(path):
        return [RepositoryPlace(path, _name_below(path, path), "archive")]
    places = list(_find_below(path, path, MAX_DEPTH))
    if any(place.kind != "missing" or place.path == path for place in places):
        return places
    if not os.listdir(path):
        return [RepositoryPlace(path, name, "missing", problem="the folder is empty")]
    return [RepositoryPlace(path, name, "folder")]  # its own audit reports the folders in it that can't be read


def _find_below(folder: str, top: str, depth: int) -> Iterator[RepositoryPlace]:
    """The repositories below a folder: checkouts, bare ones such as mirrors, and archives."""
    is_checkout = os.path.lexists(f"{folder}/.git")
    is_bare = os.path.isfile(f"{folder}/HEAD") and all(os.path.isdir(f"{folder}/{n}") for n in ("objects", "refs"))
    if is_checkout or is_bare:
        yield RepositoryPlace(folder, _name_below(folder, top), "checkout" if is_checkout else "bare")
        return
    try:
        with os.scandir(folder) as entries:
            names = sorted((entry.name, entry.is_dir(follow_symlinks=False)) for entry in entries)
    except OSError as problem:
        reason = f"the folder can't be read: {(problem.strerror or str(problem)).lower()}"
        yield RepositoryPlace(folder, _name_below(folder, top), "missing", problem=reason)
        return
    for name, is_folder in names:
        path = f"{folder.rstrip('/')}/{name}"
        if is_folder and depth and name[0] != "." and name not in SKIPPED_FOLDERS:
            yield from _find_below(path, top, depth - 1)
        elif not is_folder and name.endswith(ARCHIVE_ENDINGS):
            yield RepositoryPlace(path, _name_below(path, top), "archive")


def _name_below(path: str, top: str) -> str:
    name = os.path.relpath(path, top) if path != top else os.path.basename(path) or "/"
    name = name.removeprefix(EXPORT_FOLDER)
    ending = next((each for each in ARCHIVE_ENDINGS if name.endswith(each)), "")
    return name.removesuffix(ending).removesuffix(".git") or name


def _name_revision(name: str, revision: str) -> str:
    return name if revision == "HEAD" else f"{name}@{revision}"
