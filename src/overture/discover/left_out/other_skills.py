"""Skills that lie where the recipe does not look: one line for each place, with their number and what adds them."""

from collections.abc import Callable, Container, Iterator, Mapping
from typing import NamedTuple

from ...model.other_tools import COLLECTION, PLUGINS, SKILLS, by_first_step
from ..disk.reader import Reader
from ..disk.world import lies
from .other_instructions import Listing, read_listing

STEPS = by_first_step(SKILLS)
MOST = 200
"""Folders that are looked into on the search for plugins, and below one place, at the most."""


class Place(NamedTuple):
    """A place with skills: how the configuration would call it, whose it is, and the folders that it stands for."""

    path: str
    owner: str
    folders: tuple[str, ...]
    grouped: bool = True
    """Whether skills may lie in groups there, one level deeper."""


class Known(NamedTuple):
    """What was searched for skills, and what was found there."""

    folders: Container[str]
    """The real paths of the folders."""
    root: str
    """The folder that links may not leave."""
    names: Container[str]
    depth: int
    """How deep below a folder a skill may lie."""


def note_other_skills(
    reader: Reader, listings: Mapping[str, Listing], known: Known, adding: Callable[[list[str]], str]
) -> None:
    """Name the places in the project's folders, nearest first; `adding` gives the line that adds folders."""
    done: set[str] = set()
    for place in _places(reader, listings):
        flat: list[str] = []
        deep: list[str] = []
        for folder in place.folders:
            real = _real(reader, folder, known.root)
            if real is not None and real not in known.folders and real not in done:
                done.add(real)
                flat += _skills(reader, folder)
                deep += (
                    [s for group in _groups(reader, folder) for s in _skills(reader, group)] if place.grouped else []
                )
        if flat or deep:
            below = [f"{place.path}/*"] if deep and known.depth < 2 else []
            _note(reader, place, [*flat, *deep], known, adding([place.path] * bool(flat or not below) + below))


def _real(reader: Reader, folder: str, root: str) -> str | None:
    """Where a folder really lies; None where that is nowhere, or outside."""
    try:
        return reader.real_folder(folder, root) if reader.world.look(folder) is not None else None
    except OSError:
        return None


def _note(reader: Reader, place: Place, skills: list[str], known: Known, line: str) -> None:
    loaded = sum(name in known.names for name in skills)
    count = f"{len(skills)} skill{'s' * (len(skills) > 1)} ({place.owner})"
    if loaded == len(skills):
        reader.note(place.path, "skill", "duplicate", f"{count}, of names that are loaded already")
        return
    some = f", {loaded} of them of names that are loaded already" if loaded else ""
    reader.note(place.path, "skill", "unread", f"{count}{some}; {line} adds {'it' if len(skills) == 1 else 'them'}")


def _places(reader: Reader, listings: Mapping[str, Listing]) -> Iterator[Place]:
    tops = list(listings)
    for folder, listing in reversed([*listings.items()]):
        base = folder.rstrip("/")
        for place in [place for step in listing if step in STEPS for place in STEPS[step]]:
            yield Place(f"{base}/{place}", SKILLS[place], (f"{base}/{place}",))
        if folder in (tops[0], tops[-1]):
            yield from _collections(reader, base, listing)


def _collections(reader: Reader, base: str, listing: Listing) -> Iterator[Place]:
    """Plugins, folders of the project that have skills of their own, and skills that lie right in the project."""
    names = _folders(listing)
    for name in names:
        if name == "plugins" or ".claude-plugin" in listing:
            plugins = [f"{base}/{name}/{each}/skills" for each in _folders(read_listing(reader, f"{base}/{name}"))]
            yield Place(f"{base}/{name}/*/skills", PLUGINS, tuple(plugins))
        yield Place(f"{base}/{name}/skills", COLLECTION, (f"{base}/{name}/skills",))
    yield Place(base or "/", COLLECTION, (base,), grouped=False)


def _skills(reader: Reader, folder: str) -> list[str]:
    """The names of the skills right below a folder, but for those that are read by another name."""
    return [name for name in _folders(read_listing(reader, folder)) if _is_new(reader, f"{folder}/{name}/SKILL.md")]


def _groups(reader: Reader, folder: str) -> list[str]:
    """The folders below one that are no skills themselves."""
    below = [f"{folder}/{name}" for name in _folders(read_listing(reader, folder))]
    return [group for group in below if not lies(reader.world, f"{group}/SKILL.md")]


def _folders(listing: Listing) -> list[str]:
    may = (
        n for n, kind in listing.items() if kind in ("dir", "link") and not n.startswith(".") and n != "node_modules"
    )
    return [name for name, _ in zip(may, range(MOST), strict=False)]


def _is_new(reader: Reader, path: str) -> bool:
    try:
        entry = reader.world.look(path)
        if entry is not None and entry.kind == "link":
            entry = reader.world.look(reader.world.real(path))
    except OSError:
        return False
    return entry is not None and entry.kind == "file" and ("skill", entry.id) not in reader.seen
