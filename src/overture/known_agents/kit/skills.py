"""Finds skills as an agent does: its folders, what in them is one, and which of several with one name it lists."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from operator import attrgetter
from posixpath import relpath
from typing import NamedTuple

from msgspec.structs import replace

from ...discovery.allowed import PathLimits, PathReference
from ...discovery.globs import join_name
from ...discovery.paths import contains_path
from ...discovery.reader import Sighting
from ...discovery.skills import MAX_SKILL_FOLDERS, list_skill_subfolders
from ...model.agent_rules import Skills
from ...model.diagnostic import Diagnostic, Level, warning
from ...model.state.files import Skill
from ...model.state.reasons import NO_REASON, Reason, because
from ...text.path_printer import readable_path
from .look import Look
from .menu_entries import ParsedSkill, judge_skill, parse_skill
from .rules import is_folder_gitignored

Sort = Callable[[list[Skill]], list[Skill]]


class Place(NamedTuple):
    """A folder of skills."""

    path: str
    level: str
    """The folder in which it was looked for."""
    name: str
    """As the agent or a setting names it, there."""


class FoundSkill(NamedTuple):
    """A skill, and where it was found."""

    skill: Skill
    place: Place


def list_places(look: Look, folders: Iterable[str], names: Sequence[str], *, by_name: bool = False) -> list[Place]:
    """Folders of skills: in each of these folders all names, or with `by_name` each name in all of them."""
    levels, names = list(folders), list(map(look.fill, names))
    if levels != [look.home]:
        look.skill_names.update(dict.fromkeys(names))
    pairs = [(level, name) for level in levels for name in names]
    pairs = [(level, name) for name in names for level in levels] if by_name else pairs
    return [Place(join_name(level, name, look.home), level, name) for level, name in pairs]


def list_home_places(look: Look, wants: Skills) -> list[Place]:
    """The folders of skills under home."""
    return list_places(look, [look.home], wants.home)


def list_borrowed_places(look: Look, wants: Skills, *, every: bool = False) -> list[Place]:
    """In a worktree, the folders of the checkout that count: those that the worktree lacks; or all."""
    if look.lender is None:
        return []
    missing = [name for name in wants.project if every or not look.is_folder(f"{look.root}/{name}")]
    return [Place(f"{look.lender}/{name}", look.lender, "") for name in missing]


def in_order_of_path(skills: list[Skill]) -> list[Skill]:
    """The skills of one folder by their paths."""
    return sorted(skills, key=attrgetter("location"))


def ignoring_case(skills: list[Skill]) -> list[Skill]:
    """The same, ignoring letter case."""
    return sorted(skills, key=lambda skill: skill.location.casefold())


def by_name(skills: Iterable[Skill], *, folded: bool = False) -> list[Skill]:
    """The skills by name; `folded`: ignoring letter case."""
    found = sorted(skills, key=attrgetter("name", "location"))
    return sorted(found, key=lambda skill: skill.name.casefold()) if folded else found


def search(
    look: Look, wants: Skills, places: Iterable[Place], *, sort: Sort = list, once_a_place: bool = False
) -> list[FoundSkill]:
    """The skills in these folders, each folder's sorted; `once_a_place`: one for each path below them."""
    reader, found = look.reader, list[FoundSkill]()
    claimed: dict[str, str] | None = {} if once_a_place else None
    texts: dict[tuple[object, ...], str] = {}
    first: dict[str, Place] = {}
    for place in places:
        first.setdefault(place.path, place)  # home may be on the walk
    for place in first.values():
        reach = reader.find_naming_setting(place.name) if place.name else None
        reach = reach or _limit_links(look, wants, place.level)
        base = None if place.name.startswith(("~", "/")) else place.path.removesuffix(place.name)
        if refusal := reader.refuse_hidden(place.path, reach, base):
            reader.refuse(place.path, "skill", *refusal)
            continue
        with suppress(OSError):
            if reader.world.look(place.path) is None:  # as most are
                reader.note_absent(place.path, "skill")
                continue
        for skill in sort(_scan(look, wants, place.path, reach, claimed)):
            if wants.same_text == "first" and (parsed := _peek(look, skill)) is not None:
                key = (place.level, *sorted(parsed.fields.items()), parsed.body)
                if (other := texts.setdefault(key, skill.location)) != skill.location:
                    reader.note(skill.location, "skill", "duplicate", because("same-text", other, "first"))
                    continue
            found.append(FoundSkill(skill, place))
    return found


def search_below(look: Look, wants: Skills, *, ignored: bool = True) -> list[FoundSkill]:
    """The skills of folders below cwd that lead to files in play; `ignored`: also of those that git ignores."""
    folders = [f for f in look.below() if ignored or not is_folder_gitignored(look.reader, look.place, f)]
    return [
        FoundSkill(skill, place)
        for place in list_places(look, folders, wants.project)
        for skill in _scan(look, wants, place.path, _limit_links(look, wants, place.level), None)
    ]


def _limit_links(look: Look, wants: Skills, level: str) -> PathReference | None:
    """How far links lead, for an agent that follows none out of the project, and out of home."""
    if wants.links == "follow":
        return None
    top = look.place.top
    inside = contains_path(top, look.reader.real_or(level))
    return PathReference("", PathLimits((top if inside else look.reader.allowed.home,)))


def pick(
    look: Look,
    wants: Skills,
    found: Iterable[FoundSkill],
    *,
    last: bool = False,
    every: bool = False,
    disabled: Iterable[str] = (),
) -> list[Skill]:
    """Of skills with one name the first, the last, or every one; the record says why not the others."""
    picked: dict[str, Skill] = {}
    unsure, reader = wants.unordered == "winners", look.reader

    def hide(skill: Skill, winner: Skill) -> None:
        reader.note(skill.location, "skill", "hidden", because("hidden", winner.location, *["unordered"] * unsure))

    for skill, _ in found:
        if skill.name in disabled:
            reader.note(skill.location, "skill", "skipped", because("excluded", "", "setting"))
            continue
        key = skill.location if every else skill.name
        before = picked.get(key)
        if last and before is not None:
            reader.withdraw(before.location, "skill", "loaded")
            hide(before, skill)
            picked[key] = skill
        winner = picked.setdefault(key, skill)
        if winner is skill:
            why = because("user-only") if skill.disable_model_invocation else NO_REASON
            reader.note(skill.location, "skill", "loaded", why)
            continue
        hide(skill, winner)
        which = "and which one is used is not fixed" if unsure else "and comes first"
        message = f"skipped: {winner.location} has the same name, {skill.name!r}, {which}"
        # Projects keep copies of a skill for several agents: that is no mistake.
        parsed = _peek(look, skill)
        level: Level = "info" if parsed is not None and parsed == _peek(look, winner) else "warning"
        reader.diagnostics.append(Diagnostic(level, "skill-collision", message, skill.location))
    return list(picked.values())


def prefix_names(look: Look, found: Iterable[FoundSkill], taken: Iterable[str]) -> list[FoundSkill]:
    """Skills of folders below, called by their folder too where another has the name."""
    names, renamed = set(taken), []
    for skill, place in found:
        name = f"{relpath(place.level, look.cwd)}:{skill.name}" if skill.name in names else skill.name
        names.add(name)
        renamed.append(FoundSkill(replace(skill, name=name), place))
    return renamed


def _peek(look: Look, skill: Skill) -> ParsedSkill | None:
    result = look.reader.look_at(skill.location)
    parsed: ParsedSkill | None = look.reader.peek(result, parse_skill) if isinstance(result, Sighting) else None
    return parsed


def _scan(
    look: Look, wants: Skills, folder: str, reach: PathReference | None, claimed: dict[str, str] | None
) -> list[Skill]:
    """The skills in the folder and as deep below it as the agent looks."""
    reader, skills, todo = look.reader, list[Skill](), [(folder, wants.depth)]

    def is_link(path: str) -> bool:
        entry = reader.world.find(path)
        return entry is not None and entry.kind == "link"

    def is_one_of(names: Iterable[str]) -> bool:
        return folder.endswith(tuple(map(look.fill, names)))

    dotted = is_one_of(wants.dotted) if isinstance(wants.dotted, tuple) else bool(wants.dotted)
    while todo:
        here, levels = todo.pop()
        names = list_skill_subfolders(reader, here, look.searched, top=here == folder, dotted=dotted)
        deeper, sightings = [], list[Sighting]()
        for below in (f"{here}/{name}" for name in names if wants.linked or not is_link(f"{here}/{name}")):
            sighting, is_absent = _sight_skill(look, wants, below, reach, is_link)
            sightings += [sighting] if sighting else []
            dots = wants.dotted == "itself" and below.rpartition("/")[2].startswith(".")
            if levels > 1 and not dots and (wants.nested or is_absent):
                deeper.append((below, levels - 1))
        flat = wants.flat if isinstance(wants.flat, bool) else is_one_of(wants.flat if here == folder else wants.loose)
        if flat:  # each file is a skill
            files = [name for name, kind in reader.world.list(here) if name.endswith(".md") and kind != "dir"]
            files = [f for f in files if f != "SKILL.md" and (wants.loose or f.casefold() != "skill.md")]
            sightings += [each for name in files if (each := reader.sight(here, name, "skill", reach)) is not None]
        for sighting in sightings:
            # An earlier folder's file at the same place hides this one whatever its content.
            place = sighting.path.removeprefix(folder)
            first = sighting.path if claimed is None else claimed.setdefault(place, sighting.path)
            path = readable_path(sighting.path)
            if first != sighting.path:
                reader.note(path, "skill", "hidden", because("hidden", readable_path(first), "place"))
            elif (parsed := reader.load(sighting, "skill", parse_skill)) is not None:
                skill = judge_skill(parsed, path, wants, decoded=reader.is_utf_8(sighting.path, "skill"))
                if isinstance(skill, Reason):
                    reader.note(path, "skill", "skipped", skill)
                else:
                    skills.append(skill)
        todo += reversed(deeper)
        if todo and len(look.searched) > MAX_SKILL_FOLDERS:
            message = f"more than {MAX_SKILL_FOLDERS:,} folders: deeper folders were not searched"
            reader.diagnostics.append(warning("skill-folders", message, folder))
            break
    return skills


def _sight_skill(
    look: Look, wants: Skills, folder: str, reach: PathReference | None, is_link: Callable[[str], bool]
) -> tuple[Sighting | None, bool]:
    """The SKILL.md of a folder, if the agent loads it from there; and whether there is none."""
    reader, name = look.reader, "SKILL.md"
    if wants.any_case:
        spelled = (each for each, _ in reader.world.list(folder) if each.casefold() == "skill.md")
        name = min(spelled, default=name)
    if not wants.linked_file and is_link(path := f"{folder}/{name}"):
        reader.note(readable_path(path), "skill", "skipped", because("not-followed"))
        return None, False
    return reader.sight(folder, name, "skill", reach), not reader.world.exists(f"{folder}/{name}")
