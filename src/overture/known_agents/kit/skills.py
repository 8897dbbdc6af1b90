"""Finds skills as an agent does: its folders, what in them is one, and which of several with one name it lists."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from operator import attrgetter
from typing import NamedTuple

from ...discovery.globs import join_name
from ...discovery.paths import contains_path
from ...discovery.reader import FileReader, PathLimits, PathReference, Sighting
from ...discovery.skills import MAX_SKILL_FOLDERS, list_skill_subfolders
from ...model.agent_rules import Skills
from ...model.diagnostic import Diagnostic, Level, warning
from ...model.recipe.recipe import AgentSection
from ...model.state.files import Skill
from ...model.state.reasons import NO_REASON, Reason, because
from ...text.path_printer import readable_path
from .look import Look
from .menu_entries import ParsedSkill, judge_skill, parse_skill

Sort = Callable[[list[Skill]], list[Skill]]
AVAILABLE_SKILLS = AgentSection("skills",
    menu="  <skill>\n    <name>{{ name }}</name>\n    <description>{{ description }}</description>\n    <location>{{ path }}</location>\n  </skill>",
    opens="<available_skills>\n", closes="\n</available_skills>")  # fmt: skip


class Place(NamedTuple):  # a folder of skills
    path: str
    level: str  # the folder in which it was looked for
    name: str  # as the agent or a setting names it, there


FoundSkill = tuple[Skill, Place]


def list_places(look: Look, folders: Iterable[str], names: Sequence[str], *, by_name: bool = False) -> list[Place]:
    """Folders of skills: in each of these folders all names, or with `by_name` each name in all of them."""
    levels, names = list(folders), list(map(look.fill, names))
    if levels != [look.home]:
        look.skill_names.update(dict.fromkeys(names))
    pairs = [(level, name) for level in levels for name in names]
    pairs = [(level, name) for name in names for level in levels] if by_name else pairs
    return [Place(join_name(level, name, look.home), level, name) for level, name in pairs]


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
    claimed: dict[str, str] | None = {} if once_a_place else None
    first: dict[str, Place] = {}
    for place in places:
        first.setdefault(place.path, place)  # home may be on the walk
    for place in first.values():
        reach = reader.find_naming_setting(place.name)
        if reach is None and wants.links == "inside":  # links lead out of neither the project nor home
            inside = contains_path(top, reader.real_or(place.level))
            reach = PathReference("", PathLimits((top if inside else reader.allowed.home,)))
        yield from ((skill, place) for skill in sort(_scan(look, wants, place.path, reach, claimed)))


def pick(
    look: Look, wants: Skills, found: Iterable[FoundSkill], *,
    last: bool = False, every: bool = False, disabled: Iterable[str] = (),
) -> list[Skill]:  # fmt: skip
    """Of skills with one name the first, the last, or every one; the record says why not the others."""
    picked: dict[str, Skill] = {}
    unsure, reader = wants.unordered == "winners", look.reader
    for skill, _ in list(found):
        if skill.name in disabled:
            reader.note(skill.location, "skill", "skipped", because("excluded", "", "setting"))
            continue
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
        parsed = peek_skill(look, skill)
        level: Level = "info" if parsed is not None and parsed == peek_skill(look, before) else "warning"
        reader.diagnostics.append(Diagnostic(level, "skill-collision", message, skill.location))
    return list(picked.values())


def peek_skill(look: Look, skill: Skill) -> ParsedSkill | None:
    """A skill's file once more, to compare it."""
    result = look.reader.look_at(skill.location)
    parsed: ParsedSkill | None = look.reader.peek(result, parse_skill) if isinstance(result, Sighting) else None
    return parsed


def _scan(
    look: Look, wants: Skills, folder: str, reach: PathReference | None, claimed: dict[str, str] | None
) -> list[Skill]:
    """The skills in the folder and as deep below it as the agent looks."""
    reader, skills, todo = look.reader, list[Skill](), [(folder, wants.depth)]

    def holds_in(names: bool | str | tuple[str, ...]) -> bool:
        return folder.endswith(tuple(map(look.fill, names))) if isinstance(names, tuple) else bool(names)

    dotted = holds_in(wants.dotted)
    while todo:
        here, levels = todo.pop()
        deeper, sightings = [], list[Sighting | None]()
        for name in list_skill_subfolders(reader, here, look.searched, top=here == folder, dotted=dotted):
            below = f"{here}/{name}"
            if not wants.linked and _is_link(reader, below):
                continue
            sighting, is_absent = _sight_skill(reader, wants, below, reach)
            sightings.append(sighting)
            is_closed = wants.dotted == "itself" and name.startswith(".")
            if levels > 1 and not is_closed and (wants.nested or is_absent):
                deeper.append((below, levels - 1))
        if holds_in(wants.flat if wants.flat is True or here == folder else wants.loose):  # each file is a skill
            files = [name for name, kind in reader.world.list(here) if name.endswith(".md") and kind != "dir"]
            files = [f for f in files if f != "SKILL.md" and (wants.loose or f.casefold() != "skill.md")]
            sightings += [reader.sight(f"{here}/{name}", "skill", reach) for name in files]
        for sighting in filter(None, sightings):
            # An earlier folder's file at the same place hides this one whatever its content.
            place, path = sighting.path.removeprefix(folder), readable_path(sighting.path)
            first = sighting.path if claimed is None else claimed.setdefault(place, sighting.path)
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


def _is_link(reader: FileReader, path: str) -> bool:
    entry = reader.world.find(path)
    return entry is not None and entry.kind == "link"


def _sight_skill(
    reader: FileReader, wants: Skills, folder: str, reach: PathReference | None
) -> tuple[Sighting | None, bool]:
    """The SKILL.md of a folder, if the agent loads it from there; and whether there is none."""
    name = "SKILL.md"
    if wants.any_case:
        spelled = (each for each, _ in reader.world.list(folder) if each.casefold() == "skill.md")
        name = min(spelled, default=name)
    if not wants.linked_file and _is_link(reader, path := f"{folder}/{name}"):
        reader.note(readable_path(path), "skill", "skipped", because("not-followed"))
        return None, False
    return reader.sight(f"{folder}/{name}", "skill", reach), not reader.world.exists(f"{folder}/{name}")
