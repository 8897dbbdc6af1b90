"""One path -> what lies there; where nothing does, the nearest that is there. Nothing is read but names."""

import posixpath
from collections.abc import Iterable
from difflib import SequenceMatcher
from fnmatch import fnmatchcase

from ...model.other_tools import INSTRUCTIONS, SKILLS
from ...model.state.asked_path import Kind
from ..disk.world import World

NEAR = 0.6
"""How alike a name has to be to one that is there: 1 is the same."""


def find_kind(world: World, path: str) -> Kind:
    """What lies at a path, links followed."""
    try:
        entry = world.look(path)
        if entry is None:
            return "missing"
        if entry.kind == "link":
            entry = world.look(world.real(path))
    except FileNotFoundError:
        return "nothing"
    except OSError:
        return "other"
    if entry is None:
        return "nothing"
    return {"file": "file", "dir": "folder"}.get(entry.kind, "other")  # type: ignore[return-value]


def find_names(world: World, folder: str) -> list[str]:
    """What a folder holds; nothing where it can't be listed."""
    try:
        return [name for name, _ in world.names(folder)]
    except OSError:
        return []


def find_nearest(world: World, path: str) -> tuple[str, str]:
    """Which step of a path is not there, if that is not the last, and the nearest path that is there."""
    folder, name = posixpath.split(path)
    last = True
    while folder != "/" and find_kind(world, folder) != "folder":
        (folder, name), last = posixpath.split(folder), False
    near = close(name, find_names(world, folder))
    missing = "" if last else f"{folder} has no {name!r}"
    return missing, posixpath.join(folder, near) if near else ""


def close(name: str, known: Iterable[str]) -> str:
    """The known name that is nearest to a wrong one, whatever its case; nothing where none is near."""
    near = [(_likeness(name, each), each) for each in sorted(known)]
    return max(((how, each) for how, each in near if how[0] >= NEAR), default=((0.0, 0.0), ""), key=lambda n: n[0])[1]


def _likeness(name: str, other: str) -> tuple[float, float]:
    """How alike two names are without their endings, and with them: that both end in `.md` says nothing."""
    names = name.lower(), other.lower()
    first, second = (posixpath.splitext(each)[0] for each in names)
    return SequenceMatcher(None, first, second).ratio(), SequenceMatcher(None, *names).ratio()


def find_skills_in(world: World, folder: str) -> list[str]:
    """The folders of a folder that hold a SKILL.md."""
    return [name for name in find_names(world, folder) if find_kind(world, f"{folder}/{name}/SKILL.md") == "file"]


def find_skills_named(world: World, folders: Iterable[str], name: str) -> list[str]:
    """The skills of that name in all places where any tool looks for skills, whether they are searched or not."""
    if not name or "/" in name or name.startswith("."):
        return []
    paths = (f"{folder.rstrip('/')}/{place}/{name}/SKILL.md" for folder in folders for place in SKILLS)
    return [path for path in paths if find_kind(world, path) == "file"]


def find_known(world: World, folder: str) -> list[str]:
    """The instruction files of any tool that lie in a folder, by their paths below it."""
    top, found = folder.rstrip("/"), []
    for name in INSTRUCTIONS:
        below, _, pattern = name.rpartition("/")
        if "*" in pattern:
            files = [each for each in find_names(world, f"{top}/{below}") if fnmatchcase(each, pattern)]
            found += [f"{below}/{each}" for each in files]
        elif find_kind(world, f"{top}/{name}") == "file":
            found.append(name)
    return list(dict.fromkeys(found))


def find_skill_places(world: World, folder: str) -> dict[str, int]:
    """The folders with skills in a folder, and how many there are in each."""
    counts = {place: len(find_skills_in(world, f"{folder.rstrip('/')}/{place}")) for place in SKILLS}
    return {place: count for place, count in counts.items() if count}
