"""Finds skills as an agent does: its folders, what in them is one, and which of several with one name it lists."""

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from operator import attrgetter
from typing import NamedTuple

from ...discovery.allowed import PathLimits, PathReference
from ...discovery.globs import join_name
from ...discovery.paths import contains_path
from ...discovery.reader import Sighting
from ...discovery.skills import MAX_SKILL_FOLDERS, list_skill_subfolders
from ...model.agent_rules import Skills
from ...model.diagnostic import Diagnostic, warning
from ...model.recipe.recipe import AgentSection
from ...model.state.files import Skill
from ...model.state.reasons import NO_REASON, Reason, because
from ...text.path_printer import readable_path
from .find_files import Look
from .menu_entries import judge_skill, parse_skill
from .read_file import is_link

Sort = Callable[[list[Skill]], list[Skill]]
AVAILABLE_SKILLS = AgentSection("skills",
    menu="  <skill>\n    <name>{{ name }}</name>\n    <description>{{ description }}</description>\n    <location>{{ path }}</location>\n  </skill>",
    opens="<available_skills>\n", closes="\n</available_skills>")  # fmt: skip


class Place(NamedTuple):  # a folder of skills
    path: str
    level: str  # the folder in which it was looked for
    name: str  # as the agent or a setting names it, there


FoundSkill = tuple[Skill, Place]


def list_places(look: Look, folders: Iterable[str], names: Iterable[str]) -> list[Place]:
    """Folders of skills: in each of these folders all names."""
    levels, names = list(folders), list(map(look.fill, names))
    if levels != [look.home]:
        look.skill_names.update(dict.fromkeys(names))
    return [Place(join_name(level, name, look.home), level, name) for level in levels for name in names]


in_order_of_path: Sort = partial(sorted, key=attrgetter("location"))
ignoring_case: Sort = partial(sorted, key=lambda skill: skill.location.casefold())


def by_name(skills: Iterable[Skill], *, folded: bool = False) -> list[Skill]:
    """The skills by name; `folded`: ignoring letter case."""
    found = sorted(skills, key=attrgetter("name", "location"))
    return sorted(found, key=lambda skill: skill.name.casefold()) if folded else found


def list_skills(
    look: Look, wants: Skills, folders: Iterable[str], *,
    home_first: bool = False, sort: Sort = list, once_a_place: bool = False, last: bool = False, every: bool = False,
) -> list[Skill]:  # fmt: skip
    """The skills of these folders of a project, then those under home; `home_first`: the other way round.

    Each folder's are sorted; of one name it lists the first, the `last`, or `every` one.
    """
    places, own = list_places(look, folders, wants.project), list_places(look, [look.home], wants.home)
    places = own + places if home_first else places + own
    return pick(look, wants, search(look, wants, places, sort=sort, once_a_place=once_a_place), last=last, every=every)


def search(
    look: Look, wants: Skills, places: Iterable[Place], *, sort: Sort = list, once_a_place: bool = False
) -> Iterator[FoundSkill]:
    """The skills in these folders, each folder's sorted; `once_a_place`: one for each path below them."""
    reader, top = look.reader, look.place.top
    claimed: dict[str, str] = {}
    first: dict[str, Place] = {}
    for place in places:
        first.setdefault(place.path, place)  # home may be on the walk
    for place in first.values():
        reach = reader.find_naming_setting(place.name)
        if reach is None and wants.links == "inside":  # links lead out of neither the project nor home
            inside = contains_path(top, reader.real_or(place.level))
            reach = PathReference("", PathLimits((top if inside else reader.allowed.home,)))
        base = None if place.name.startswith(("~", "/")) else place.path.removesuffix(place.name)
        if refusal := reader.refuse_hidden(place.path, reach, base):
            reader.refuse(place.path, "skill", *refusal)
            continue
        skills: list[Skill] = []
        for sighting in _scan(look, wants, place.path, reach):
            # An earlier folder's file at the same place hides this one whatever its content.
            path, below = readable_path(sighting.path), sighting.path.removeprefix(place.path)
            hiding = claimed.setdefault(below, sighting.path) if once_a_place else sighting.path
            if hiding != sighting.path:
                reader.note(path, "skill", "hidden", because("hidden", readable_path(hiding), "place"))
            elif (parsed := reader.load(sighting, "skill", parse_skill)) is not None:
                skill = judge_skill(parsed, path, wants, decoded=reader.is_utf_8(sighting.path, "skill"))
                if isinstance(skill, Reason):
                    reader.note(path, "skill", "skipped", skill)
                else:
                    skills.append(skill)
        yield from ((skill, place) for skill in sort(skills))


def pick(
    look: Look, wants: Skills, found: Iterable[FoundSkill], *, last: bool = False, every: bool = False
) -> list[Skill]:
    """Of skills with one name the first, the last, or every one; the record says why not the others."""
    picked: dict[str, Skill] = {}
    unsure, reader = wants.unordered == "winners", look.reader
    for skill, _ in list(found):
        key = skill.location if every else skill.name
        if (before := picked.get(key)) is not None:
            loser, winner = (before, skill) if last else (skill, before)
            if last:
                reader.withdraw(loser.location, "skill", "loaded")
            unordered = ["unordered"] if unsure else []
            reader.note(loser.location, "skill", "hidden", because("hidden", winner.location, *unordered))
        if before is None or last:
            picked[key] = skill
            why = because("user-only") if skill.disable_model_invocation else NO_REASON
            reader.note(skill.location, "skill", "loaded", why)
            continue
        which = "and which one is used is not fixed" if unsure else "and comes first"
        message = f"skipped: {before.location} has the same name, {skill.name!r}, {which}"
        # Projects keep copies of a skill for several agents: that is no mistake.
        same = look.peek(skill.location, parse_skill) == look.peek(before.location, parse_skill)
        note = Diagnostic("info" if same else "warning", "skill-collision", message, skill.location)
        reader.diagnostics.append(note)
    return list(picked.values())


def _scan(look: Look, wants: Skills, folder: str, reach: PathReference | None) -> Iterator[Sighting]:
    """The files in the folder, and as deep below it as the agent looks, that may be skills."""
    reader, todo = look.reader, [(folder, wants.depth)]

    def holds_in(names: bool | str | tuple[str, ...]) -> bool:
        return folder.endswith(tuple(map(look.fill, names))) if isinstance(names, tuple) else bool(names)

    dotted, flat, loose = holds_in(wants.dotted), holds_in(wants.flat), holds_in(wants.loose)
    deep = wants.flat is True or loose
    while todo:
        here, levels = todo.pop()
        deeper, found = [], list[Sighting | None]()
        for name in list_skill_subfolders(reader, here, look.searched, top=here == folder, dotted=dotted):
            below, file = f"{here}/{name}", "SKILL.md"
            if wants.unfollowed == "folders" and is_link(reader, below):
                continue
            if wants.any_case:
                spelled = (each for each, _ in reader.world.list(below) if each.casefold() == "skill.md")
                file = min(spelled, default=file)
            if wants.unfollowed == "files" and is_link(reader, f"{below}/{file}"):
                reader.note(readable_path(f"{below}/{file}"), "skill", "skipped", because("not-followed"))
            else:
                found.append(reader.sight(below, file, "skill", reach))
            is_closed = wants.dotted == "itself" and name.startswith(".")
            if levels > 1 and not is_closed and (wants.nested or not reader.world.exists(f"{below}/{file}")):
                deeper.append((below, levels - 1))
        if flat if here == folder else deep:  # each file is a skill
            files = [name for name, kind in reader.world.list(here) if name.endswith(".md") and kind != "dir"]
            files = [f for f in files if f != "SKILL.md" and (wants.loose or f.casefold() != "skill.md")]
            found += [reader.sight(here, name, "skill", reach) for name in files]
        yield from filter(None, found)
        todo += reversed(deeper)
        if todo and len(look.searched) > MAX_SKILL_FOLDERS:
            message = f"more than {MAX_SKILL_FOLDERS:,} folders: deeper folders were not searched"
            reader.diagnostics.append(warning("skill-folders", message, folder))
            return
