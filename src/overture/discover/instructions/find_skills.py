"""Finds all skills of a recipe, in menu order; of two with one name, the more specific wins."""

from collections.abc import Iterator, Mapping
from itertools import groupby
from operator import attrgetter
from posixpath import dirname, join, relpath
from typing import NamedTuple

from msgspec.structs import replace

from ...model.diagnostic import Diagnostic, Level, warning
from ...model.skill_dirs import SkillDirs
from ...model.state.discovery import NOT_FOR_MODEL
from ...model.state.files import Skill
from ..disk.file_reader import FileReader
from ..disk.look_at_paths import Sighting
from ..disk.paths import contains_path, is_folder
from ..disk.search_scope import LinkRoots, SearchScope
from .agent_skill_listing import ParsedSkill, parse_skill
from .list_step_paths import is_folder_gitignored, list_touched_folders
from .scan_skill_folder import scan_skill_folder


class SkillPlace(NamedTuple):
    """A folder that holds skills, the folder that its links may not leave, and its location: here, above or home."""

    folder: str
    root: str
    source: str
    name: str = ""
    """The folder as the recipe or a setting names it."""


def list_skill_places(wants: SkillDirs, walk: list[str], roots: LinkRoots, home: str, top: str) -> list[SkillPlace]:
    """The folders that hold skills, each with the one that links may not leave; what wins a collision first."""
    by_extent = {"cwd": walk[-1:], "walk": walk[::-1], "root": [top], "ends": [*dict.fromkeys((walk[-1], top))]}
    levels = by_extent[wants.where or ("walk" if wants.ancestors else "cwd")]
    project = [(folder, level, roots.of(level)) for level in levels for folder in wants.project]
    here = [(folder, walk[-1], roots.of(walk[-1])) for folder in wants.here]
    own = [(folder, home, home) for folder in wants.home]
    places = [*own, *here, *project] if wants.home_first else [*here, *project, *own]
    if wants.by != "place":
        names = [*wants.here, *wants.project, *wants.home]
        apart = set(own) if wants.by == "folder" else set()
        places.sort(key=lambda item: len(names) if item in apart else names.index(item[0]))
    kinds = {level: "here" if level == walk[-1] else "above" for level in walk}
    return [
        SkillPlace(
            join(home, folder[2:]) if folder.startswith("~/") else join(level, folder),
            root,
            folder if (folder, level, root) in own else kinds[level],
            folder,
        )
        for folder, level, root in places
    ]


def find_skill_level(folder: str, wants: SkillDirs) -> str:
    """The parent of a skill folder: a folder of a project, or home."""
    names = (*wants.here, *wants.project, *wants.home)
    return next((folder.removesuffix(f"/{name}") for name in names if folder.endswith(f"/{name}")), folder)


def sort_by_source(found: dict[str, Skill], sources: dict[str, str]) -> tuple[Skill, ...]:
    """The skills as they were found, neighbours from one source by name."""
    groups = groupby(found.values(), key=lambda skill: sources[skill.location])
    return tuple(skill for _, group in groups for skill in sorted(group, key=attrgetter("name", "location")))


def sort_folder_skills(skills: list[Skill], wants: SkillDirs) -> list[Skill]:
    """The skills of one folder as the agent comes to them."""
    if wants.order == "path":
        return sorted(skills, key=attrgetter("location"))
    skills = skills if wants.capitals else sorted(skills, key=lambda skill: skill.location.casefold())
    return skills[::-1] if wants.order == "backwards" else skills


def make_location_key(skill: Skill) -> tuple[str, str]:
    """The path of its folder and its name, ignoring letter case."""
    return skill.location.rpartition("/")[0].lower(), skill.name.lower()


def sort_for_menu(by_name: dict[str, Skill], wants: SkillDirs, home: str) -> tuple[Skill, ...]:
    """The skills as the menu has them."""
    if wants.order == "location":
        return tuple(sorted(by_name.values(), key=make_location_key))
    if wants.order not in ("name", "owner"):
        return tuple(by_name.values())
    skills = sorted(by_name.values(), key=attrgetter("name", "location"))
    if not wants.capitals:
        skills.sort(key=lambda skill: skill.name.casefold())
    if wants.order == "owner":
        own = tuple(join(home, folder) for folder in wants.home)
        skills.sort(key=lambda skill: skill.location.startswith(own))
    return tuple(skills)


UNSURE = ", or the other way round: its choice is not fixed"
MAX_SKILLS = 1000
"""More skills than any menu has room for."""


def find_skills(
    reader: FileReader,
    wants: SkillDirs,
    walk: list[str],
    roots: LinkRoots,
    home: str,
    extra: tuple[str, ...],
    searched: dict[str, str],
    scope: SearchScope,
) -> tuple[Skill, ...]:
    """All skills of all places. `searched` takes the folders, by their real paths."""
    above = [] if wants.alone == "up" else _list_folders_outside(reader, walk, roots)
    if wants.alone == "cwd":
        walk = [folder for folder in walk if folder not in above]
    top = next((folder for folder in walk if contains_path(roots.repository, folder)), walk[-1])
    folders = list_skill_places(wants, walk, roots, home, top)
    if isinstance(wants.alone, tuple):
        unread = {join(folder, name) for folder in above for name in wants.alone}
        unread -= {join(home, name) for name in wants.home}
        folders = [skill_folder for skill_folder in folders if skill_folder.folder not in unread]
    folders += [SkillPlace(folder, folder, "above") for folder in _list_borrowed_folders(reader, wants, scope)]
    folders += [SkillPlace(folder, folder, folder) for folder in extra]
    by_name: dict[str, Skill] = {}
    claimed: dict[str, str] = {}
    sources: dict[str, str] = {}
    there: list[Skill] = []
    texts: dict[tuple[object, ...], str] = {}
    places: dict[str, SkillPlace] = {}
    for place in folders:
        places.setdefault(place.folder, place)  # home may be on the walk
    for folder, root, source, name in places.values():
        root, reach = "/" if wants.links == "follow" else root, reader.find_naming_setting(name)
        base = None if name.startswith(("~", "/")) else folder.removesuffix(name)
        if refusal := reader.refuse_hidden(folder, root, reach, base):
            reader.refuse(folder, "skill", *refusal)
            continue
        skills = scan_skill_folder(reader, folder, root, wants, searched, claimed, reach)
        sources.update({skill.location: source for skill in skills})
        level = find_skill_level(folder, wants)
        there += [each for each in sort_folder_skills(skills, wants) if not _is_copy(reader, each, level, wants, texts)]
    for skill in sorted(there, key=make_location_key) if wants.order == "location" else there:
        _take(reader, by_name, skill, wants)
    for skill in _find_touched_skills(reader, wants, roots, searched, scope) if wants.below != "never" else ():
        _take(reader, by_name, _prefix_duplicate_name(skill, by_name, wants, scope), wants)
    if len(by_name) > MAX_SKILLS:
        message = (
            f"{len(by_name):,} skills are listed: their names and descriptions alone fill a model's context window"
        )
        hint = "Remove some, set a budget (--budget skills=2000), or set features.skills.enabled = false"
        reader.diagnostics.append(warning("skills-many", f"{message}. {hint}"))
    return sort_by_source(by_name, sources) if wants.order == "source" else sort_for_menu(by_name, wants, home)


def _list_folders_outside(reader: FileReader, walk: list[str], roots: LinkRoots) -> list[str]:
    """The folders above the repository, or above the working directory if there is none."""
    inside = [folder for folder in walk if contains_path(roots.repository, reader.real_or(folder))] or walk[-1:]
    return [folder for folder in walk if folder not in inside]


def _list_borrowed_folders(reader: FileReader, wants: SkillDirs, scope: SearchScope) -> list[str]:
    """The folders of the checkout that count in its worktree."""
    top, worktree = scope.root, scope.worktree
    if wants.borrows == "never" or top is None or worktree is None or not worktree.lends:
        return []
    every = wants.borrows == "always"
    missing = [each for each in wants.project if every or not is_folder(reader.world, f"{top}/{each}")]
    return [f"{worktree.owner}/{each}" for each in missing]


def _find_touched_skills(
    reader: FileReader, wants: SkillDirs, roots: LinkRoots, searched: dict[str, str], scope: SearchScope
) -> Iterator[Skill]:
    """The skills in folders below the working directory that lead to a file in play."""
    root = "/" if wants.links == "follow" else roots.project
    for level in list_touched_folders(scope.cwd, scope.touching):
        if wants.below == "listed" or not is_folder_gitignored(reader, scope, level):
            for folder in wants.project:
                yield from scan_skill_folder(reader, f"{level}/{folder}", root, wants, searched, {})


def _prefix_duplicate_name(skill: Skill, skills: Mapping[str, Skill], wants: SkillDirs, scope: SearchScope) -> Skill:
    """The skill, called by its folder too where another has its name."""
    if skill.name not in skills or wants.below == "listed":
        return skill
    level = find_skill_level(dirname(dirname(skill.location)), wants)
    return replace(skill, name=f"{relpath(level, scope.cwd)}:{skill.name}")


def _is_copy(
    reader: FileReader, skill: Skill, level: str, wants: SkillDirs, texts: dict[tuple[object, ...], str]
) -> bool:
    """Whether another skill of the same folder has the same text. Only the first of them counts."""
    sighting = reader.look_at(skill.location, "/") if wants.same_text == "first" else None
    parsed: ParsedSkill | None = reader.peek(sighting, parse_skill) if isinstance(sighting, Sighting) else None
    if parsed is None:
        return False
    first = texts.setdefault((level, *sorted(parsed.fields.items()), parsed.body), skill.location)
    if first != skill.location:
        reader.note(skill.location, "skill", "duplicate", f"{first} has the same text and comes first")
    return first != skill.location


def _take(reader: FileReader, skills: dict[str, Skill], skill: Skill, wants: SkillDirs) -> None:
    """Take a skill that was found, unless it is disabled; of two with one name, the loser is recorded."""
    if skill.name in wants.disabled:
        reader.note(skill.location, "skill", "skipped", "excluded by a setting of the agent")
        return
    last = skills.get(skill.name) if wants.same_name == "last" else None
    if last is not None:
        reader.withdraw(last.location, "skill", "loaded")
        reader.note(last.location, "skill", "hidden", f"by {skill.location}{UNSURE * (wants.unordered == 'winners')}")
        skills[skill.name] = skill
    winner = skills.setdefault(skill.location if wants.same_name == "all" else skill.name, skill)
    if winner is skill:
        hidden = NOT_FOR_MODEL if skill.disable_model_invocation else ""
        reader.note(skill.location, "skill", "loaded", hidden)
        return
    reader.note(skill.location, "skill", "hidden", f"by {winner.location}{UNSURE * (wants.unordered == 'winners')}")
    which = "and which one is used is not fixed" if wants.unordered == "winners" else "and comes first"
    message = f"skipped: {winner.location} has the same name, {skill.name!r}, {which}"
    # Projects keep copies of a skill for several agents; for a user's own recipe, a second one is a mistake.
    level: Level = "info" if wants.needs is not None and _have_same_text(reader, skill, winner) else "warning"
    reader.diagnostics.append(Diagnostic(level, "skill-collision", message, skill.location))


def _have_same_text(reader: FileReader, *skills: Skill) -> bool:
    """Whether the files of skills have one text: the agent then gets the same whichever is used."""
    sightings = [reader.look_at(skill.location, "/") for skill in skills]
    parsed = [reader.peek(each, parse_skill) for each in sightings if isinstance(each, Sighting)]
    return len(parsed) == len(skills) and all(each is not None and each == parsed[0] for each in parsed)
