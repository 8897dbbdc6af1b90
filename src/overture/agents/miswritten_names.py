"""Tells instruction files from pages for people, and finds names in the wrong letter case, which most agents skip."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache

from ..discover.disk.world import World, find_entry, list_folder
from ..known_agents.file_owners import INSTRUCTIONS, SKILLS, group_by_first_step, match_known_file
from .survey_project import CASE_INSENSITIVE_NAMES, InstructionFile

DOCUMENTATION = frozenset(
    ("doc", "docs", "documentation", "site", "website", "content", "pages", "blog", "wiki", "i18n")
)
"""Folders of pages for people."""


PAGE_ENDINGS = (".md", ".mdx", ".rst")


def is_documentation(world: World, file: InstructionFile, walk: Iterable[str]) -> bool:
    """Whether a file is a page for people: its name is not in capitals, and it is among other pages."""
    if file.name.casefold().endswith("/readme.md"):  # unless an agent takes it for a rule as any other
        return match_known_file(file.name) is None
    is_written_like_a_page = "/" not in file.name and not file.name.partition(".")[0].isupper()
    if file.name in INSTRUCTIONS or not is_written_like_a_page or file.folder in walk:
        return False
    if DOCUMENTATION & {step.casefold() for step in file.folder.split("/")}:
        return True
    beside = (name for name, _ in list_folder(world, file.folder) if name.casefold().endswith(PAGE_ENDINGS))
    return any(name.casefold() not in (*CASE_INSENSITIVE_NAMES, "readme.md", "changelog.md") for name in beside)


SKILL_NAME = "SKILL.md"


HIDDEN_SKILL_FOLDERS = group_by_first_step(folder for folder in SKILLS if folder.startswith("."))
"""A folder without a dot may hold anything."""


def find_miswritten_names(world: World, files: Iterable[InstructionFile], walk: Sequence[str]) -> dict[str, str]:
    """The path of each miswritten file, and the name that agents look for.

    A page for people has a name of its own, also if an agent is started in its folder.
    """
    paths = [file for file in files if not file.skill]
    known = {file.path for file in paths}
    found = {
        file.path: right
        for file in paths
        if (right := find_right_name(file.name))
        and f"{file.folder.rstrip('/')}/{right}" not in known
        and not is_documentation(world, file, walk[:1])
    }
    return found | dict.fromkeys(_find_miswritten_skills(world, walk), SKILL_NAME)


def _find_miswritten_skills(world: World, walk: Sequence[str]) -> Iterator[str]:
    """The SKILL.md files whose name is in the wrong letter case."""
    for folder in walk:
        steps = sorted({name for name, _ in list_folder(world, folder)} & HIDDEN_SKILL_FOLDERS.keys())
        for place in (f"{folder.rstrip('/')}/{place}" for step in steps for place in HIDDEN_SKILL_FOLDERS[step]):
            entry = find_entry(world, place)  # a link leads to a folder that is looked at anyway
            for name, kind in list_folder(world, place) if entry and entry.kind == "dir" else ():
                if kind == "dir":
                    yield from _find_in_skill(world, f"{place}/{name}")


def _find_in_skill(world: World, folder: str) -> Iterator[str]:
    names = [name for name, kind in list_folder(world, folder) if name.casefold() == SKILL_NAME.casefold()]
    yield from (f"{folder}/{name}" for name in names if SKILL_NAME not in names)


def find_right_name(name: str) -> str | None:
    """The correct name of an instruction file that differs only in letter case: `AGENTS.md` for `Agents.md`."""
    return None if name in INSTRUCTIONS else _map_folded_names().get(name.casefold())


@cache
def _map_folded_names() -> dict[str, str]:
    return {name.casefold(): name for name in INSTRUCTIONS}
