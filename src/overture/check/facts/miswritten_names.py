"""Finds instruction files and skills whose names have the wrong letter case, so that most agents skip them."""

from collections.abc import Iterable, Iterator, Sequence

from ...agents.instruction_files import InstructionFile, is_documentation
from ...discover.disk.world import World, list_folder
from ...known_agents.other_tools import SKILLS, by_first_step, find_right_name

SKILL_NAME = "SKILL.md"
HIDDEN_SKILL_FOLDERS = by_first_step(folder for folder in SKILLS if folder.startswith("."))
"""A folder without a dot may hold anything."""


def find_miswritten_names(world: World, files: Iterable[InstructionFile], walk: Sequence[str]) -> dict[str, str]:
    """The path of each such file, and the name that agents look for. A page for people has a name of its own."""
    paths = [file for file in files if not file.skill]
    known = {file.path for file in paths}
    found = {
        file.path: right
        for file in paths
        if (right := find_right_name(file.name))
        and f"{file.folder.rstrip('/')}/{right}" not in known
        and not is_documentation(world, file, walk)
    }
    return found | dict.fromkeys(_find_miswritten_skills(world, walk), SKILL_NAME)


def _find_miswritten_skills(world: World, walk: Sequence[str]) -> Iterator[str]:
    for folder in walk:
        names = {name for name, kind in list_folder(world, folder) if kind != "file"}
        for place in (
            place for step in sorted(names & HIDDEN_SKILL_FOLDERS.keys()) for place in HIDDEN_SKILL_FOLDERS[step]
        ):
            for name, kind in list_folder(world, f"{folder.rstrip('/')}/{place}"):
                if kind == "dir":
                    yield from _find_in_skill(world, f"{folder.rstrip('/')}/{place}/{name}")


def _find_in_skill(world: World, folder: str) -> Iterator[str]:
    names = [name for name, kind in list_folder(world, folder) if name.casefold() == SKILL_NAME.casefold()]
    yield from (f"{folder}/{name}" for name in names if SKILL_NAME not in names)
