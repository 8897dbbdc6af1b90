"""Finds the repositories that are meant: checkouts and bare ones below folders, archives, lists of paths."""

import os
from codecs import BOM_UTF8
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Literal

from msgspec.structs import replace

from ..discover.scan_folders import SKIPPED_FOLDERS
from ..errors import ConfigError
from ..model.struct import Frozen
from ..terminal.output import open_standard_input
from ..text.path_printer import readable_path
from .open_snapshot import SnapshotKind
from .read_archive_and_folder import ARCHIVE_ENDINGS

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
        lines = _read_list(word[1:]) if word.startswith("@") else [word]
        for place in (place for line in lines for place in _find_named(line)):
            # Of a missing one the path may be any text, also one that no system takes.
            real = place.path if place.kind == "missing" else os.path.realpath(place.path)
            places.setdefault((real, place.revision), place)
    names = Counter(place.name for place in places.values())
    for key, place in places.items():
        name = place.name if names[place.name] == 1 else _name_revision(*place.key)
        places[key] = replace(place, name=readable_path(name))
    return sorted(places.values(), key=lambda place: place.name)


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
    """The meaning of a word: a path, or `PATH@REVISION` if no file has that name."""
    path, revision = _split_revision(os.path.abspath(word))
    name = os.path.basename(path) or "/"
    if not os.path.lexists(path):
        yield RepositoryPlace(path, name, "missing", problem=f"{path}: no such file or folder")
    elif os.path.isdir(path):
        places = list(_find_below(path, path, MAX_DEPTH))
        if all(place.kind == "missing" and place.path != path for place in places):
            places = [_make_plain(path, name)]  # its own audit reports the folders that can't be read
        yield from (_choose_revision(each, revision) for each in places)
    elif path.endswith(ARCHIVE_ENDINGS):
        yield _choose_revision(RepositoryPlace(path, _strip_ending(name), "archive"), revision)
    else:
        yield RepositoryPlace(path, name, "missing", problem="neither a folder nor an archive; a list is @FILE")


def _choose_revision(place: RepositoryPlace, revision: str) -> RepositoryPlace:
    """The place at a revision; only a repository of git has any."""
    named = replace(place, revision=revision, name=_name_revision(place.name, revision))
    if revision != "HEAD" and place.kind in ("folder", "archive"):
        return replace(named, kind="missing", problem=f"without git there is no revision {revision!r:.80}")
    return named


def _split_revision(path: str) -> tuple[str, str]:
    """The longest path before an `@` that exists, and what follows: both may have an `@` in them."""
    at = len(path)
    while at > 0 and not os.path.lexists(path[:at]):
        at = path.rfind("@", 0, at)
    return (path[:at], path[at + 1 :] or "HEAD") if at > 0 else (path, "HEAD")


def _make_plain(path: str, name: str) -> RepositoryPlace:
    """A folder without git, which is audited as a plain folder; one without files is no project."""
    try:
        with os.scandir(path) as entries:
            problem = "" if any(entries) else "the folder is empty"
    except OSError as problem_found:
        problem = (problem_found.strerror or str(problem_found)).lower()
    return RepositoryPlace(path, name, "missing" if problem else "folder", problem=problem)


def _find_below(folder: str, top: str, depth: int) -> Iterator[RepositoryPlace]:
    """The repositories below a folder: checkouts, bare ones and archives."""
    is_checkout = os.path.lexists(f"{folder}/.git")
    if is_checkout or is_bare(folder):
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


def is_bare(folder: str) -> bool:
    """Whether a folder is a repository without a checkout, such as a mirror."""
    return os.path.isfile(f"{folder}/HEAD") and all(os.path.isdir(f"{folder}/{name}") for name in ("objects", "refs"))


def _name_below(path: str, top: str) -> str:
    name = os.path.relpath(path, top) if path != top else os.path.basename(path) or "/"
    return _strip_ending(name.removeprefix(EXPORT_FOLDER))


def _strip_ending(name: str) -> str:
    ending = next((each for each in sorted(ARCHIVE_ENDINGS, key=len)[::-1] if name.endswith(each)), "")
    return name.removesuffix(ending).removesuffix(".git") or name


def _name_revision(name: str, revision: str) -> str:
    return name if revision == "HEAD" else f"{name}@{revision}"
