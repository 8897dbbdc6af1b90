"""Where skills are looked for: the folders that hold them, what wins a collision first."""

from posixpath import join
from typing import NamedTuple

from ....model.recipe.wants.wanted_skills import SkillDirs
from ...disk.project_root import Roots


class Place(NamedTuple):
    """A folder that holds skills, the one that links in it may not leave, and where it is: here, above, or at home."""

    folder: str
    root: str
    source: str
    name: str = ""
    """The folder as the recipe or a setting gives it."""


def places_of(wants: SkillDirs, walk: list[str], roots: Roots, home: str, top: str) -> list[Place]:
    """The folders that hold skills, each with the one that links may not leave; what wins a collision first."""
    near = {"cwd": walk[-1:], "walk": walk[::-1], "root": [top], "ends": [*dict.fromkeys((walk[-1], top))]}
    levels = near[wants.where or ("walk" if wants.ancestors else "cwd")]
    project = [(folder, level, roots.of(level)) for level in levels for folder in wants.project]
    here = [(folder, walk[-1], roots.of(walk[-1])) for folder in wants.here]
    own = [(folder, home, home) for folder in wants.home]
    places = [*own, *here, *project] if wants.home_first else [*here, *project, *own]
    if wants.by != "place":
        names = [*wants.here, *wants.project, *wants.home]
        apart = set(own) if wants.by == "folder" else set()
        places.sort(key=lambda place: len(names) if place in apart else names.index(place[0]))
    kinds = {level: "here" if level == walk[-1] else "above" for level in walk}
    return [
        Place(
            join(home, folder[2:]) if folder.startswith("~/") else join(level, folder),
            root,
            folder if (folder, level, root) in own else kinds[level],
            folder,
        )
        for folder, level, root in places
    ]


def each_once(places: list[Place]) -> dict[str, Place]:
    """The places by path, each where it comes first: home may lie on the walk."""
    found: dict[str, Place] = {}
    for place in places:
        found.setdefault(place.folder, place)
    return found


def level_of(folder: str, wants: SkillDirs) -> str:
    """The folder in which a folder of skills lies: of a project, or home."""
    names = (*wants.here, *wants.project, *wants.home)
    return next((folder.removesuffix(f"/{name}") for name in names if folder.endswith(f"/{name}")), folder)
