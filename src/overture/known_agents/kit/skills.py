"""Finds skills as an agent does: its folders, what in them is one, and which of several with one name it lists."""

from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from posixpath import join, normpath, relpath
from typing import NamedTuple

from msgspec.structs import replace

from ...discover.allowed import PathLimits, PathReference
from ...discover.paths import contains_path
from ...discover.real_paths import Sighting
from ...discover.skills import MAX_SKILL_FOLDERS, list_skill_subfolders
from ...model.agent_rules import Skills
from ...model.diagnostic import Diagnostic, Level, warning
from ...model.state.discovery import NOT_FOR_MODEL
from ...model.state.files import Skill
from ...text.path_printer import readable_path
from .gitignore import is_folder_gitignored
from .look import Look
from .menu_entries import ParsedSkill, load_listed_skill, parse_skill
from .read_file import NOT_FOLLOWED

UNSURE = ", or the other way round: its choice is not fixed"


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
    paths = (join(look.home, n[2:]) if n.startswith("~/") else join(level, n) for level, n in pairs)
    return [Place(normpath(path), *pair) for path, pair in zip(paths, pairs, strict=True)]


def list_home_places(look: Look, wants: Skills) -> list[Place]:
    """The folders of skills under home."""
    return list_places(look, [look.home], wants.home)


def list_borrowed_places(look: Look, wants: Skills, *, every: bool = False) -> list[Place]:
    """In a worktree, the folders of the checkout that count: those that the worktree lacks; or all."""
    if look.lender is None:
        return []
    missing = [name for name in wants.project if every or not look.is_folder(f"{look.root}/{name}")]
    return [Place(f"{look.lender}/{name}", look.lender, "") for name in missing]


Sort = Callable[[list[Skill]], list[Skill]]


def in_order_of_path(skills: list[Skill]) -> list[Skill]:
    """The skills of one folder by their paths."""
    return sorted(skills, key=attrgetter("location"))


def ignoring_case(skills: list[Skill]) -> list[Skill]:
    """The same, ignoring letter case."""
    return sorted(skills, key=lambda skill: skill.location.casefold())


def search(
    look: Look, wants: Skills, places: Iterable[Place], *, sort: Sort = list, once_a_place: bool = False
) -> list[FoundSkill]:
    """The skills in these folders, each folder's sorted; `once_a_place`: one for each path below them."""
    found: list[FoundSkill] = []
    claimed: dict[str, str] | None = {} if once_a_place else None
    texts: dict[tuple[object, ...], str] = {}
    first: dict[str, Place] = {}
    for place in places:
        first.setdefault(place.path, place)  # home may be on the walk
    for place in first.values():
        reach = look.reader.find_naming_setting(place.name) if place.name else None
        reach = reach or _limit_links(look, wants, place.level)
        base = None if place.name.startswith(("~", "/")) else place.path.removesuffix(place.name)
        if refusal := look.reader.refuse_hidden(place.path, reach, base):
            look.reader.refuse(place.path, "skill", *refusal)
            continue
        skills = sort(_Scan(look, wants, reach, claimed).run(place.path))
        skills = [skill for skill in skills if not (wants.same_text == "first" and _is_copy(look, skill, place, texts))]
        found += [FoundSkill(skill, place) for skill in skills]
    return found


def search_below(look: Look, wants: Skills, *, ignored: bool = True) -> list[FoundSkill]:
    """The skills of folders below cwd that lead to files in play; `ignored`: also of those that git ignores."""
    folders = [f for f in look.below() if ignored or not is_folder_gitignored(look.reader, look.scope, f)]
    return [
        FoundSkill(skill, place)
        for place in list_places(look, folders, wants.project)
        for skill in _Scan(look, wants, _limit_links(look, wants, place.level), None).run(place.path)
    ]


def _limit_links(look: Look, wants: Skills, level: str) -> PathReference | None:
    """How far links lead, for an agent that follows none out of the project, and out of home."""
    if wants.links == "follow":
        return None
    top = look.scope.top
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
    unsure = UNSURE if wants.unordered == "winners" else ""
    reader = look.reader
    for skill, _ in found:
        if skill.name in disabled:
            reader.note(skill.location, "skill", "skipped", "excluded by a setting of the agent")
            continue
        key = skill.location if every else skill.name
        before = picked.get(key)
        if last and before is not None:
            reader.withdraw(before.location, "skill", "loaded")
            reader.note(before.location, "skill", "hidden", f"by {skill.location}{unsure}")
            picked[key] = skill
        winner = picked.setdefault(key, skill)
        if winner is skill:
            reader.note(skill.location, "skill", "loaded", NOT_FOR_MODEL if skill.disable_model_invocation else "")
            continue
        reader.note(skill.location, "skill", "hidden", f"by {winner.location}{unsure}")
        which = "and which one is used is not fixed" if unsure else "and comes first"
        message = f"skipped: {winner.location} has the same name, {skill.name!r}, {which}"
        # Projects keep copies of a skill for several agents: that is no mistake.
        level: Level = "info" if _have_same_text(look, skill, winner) else "warning"
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


def by_name(skills: Iterable[Skill], *, folded: bool = False) -> list[Skill]:
    """The skills by name; `folded`: ignoring letter case."""
    found = sorted(skills, key=attrgetter("name", "location"))
    return sorted(found, key=lambda skill: skill.name.casefold()) if folded else found


def _is_copy(look: Look, skill: Skill, place: Place, texts: dict[tuple[object, ...], str]) -> bool:
    """Whether another skill of the same folder has the same text. Only the first of them counts."""
    parsed = _peek(look, skill)
    if parsed is None:
        return False
    first = texts.setdefault((place.level, *sorted(parsed.fields.items()), parsed.body), skill.location)
    if first != skill.location:
        look.reader.note(skill.location, "skill", "duplicate", f"{first} has the same text and comes first")
    return first != skill.location


def _peek(look: Look, skill: Skill) -> ParsedSkill | None:
    result = look.reader.look_at(skill.location)
    parsed: ParsedSkill | None = look.reader.peek(result, parse_skill) if isinstance(result, Sighting) else None
    return parsed


def _have_same_text(look: Look, one: Skill, other: Skill) -> bool:
    first = _peek(look, one)
    return first is not None and first == _peek(look, other)


class _Scan:
    """Finds the skills below one folder."""

    def __init__(self, look: Look, wants: Skills, reach: PathReference | None, claimed: dict[str, str] | None) -> None:
        self.look, self.reader, self.wants, self.reach = look, look.reader, wants, reach
        self.claimed = claimed

    def run(self, folder: str) -> list[Skill]:
        """The skills in the folder and as deep below it as the agent looks."""
        reader, wants, searched = self.reader, self.wants, self.look.searched
        skills: list[Skill] = []
        dotted = self._is_one_of(folder, wants.dotted) if isinstance(wants.dotted, tuple) else bool(wants.dotted)
        todo = [(folder, wants.depth)]
        while todo:
            here, levels = todo.pop()
            names = list_skill_subfolders(reader, here, searched, top=here == folder, dotted=dotted)
            names = [name for name in names if wants.linked or not self._is_link(f"{here}/{name}")]
            deeper, sightings = [], []
            for name in names:
                below = f"{here}/{name}"
                sighting = self._sight(below)
                sightings += [sighting] if sighting else []
                if name.startswith(".") and wants.dotted == "itself":
                    continue
                if levels > 1 and (wants.nested or (sighting is None and reader.looked[-1].outcome == "absent")):
                    deeper.append((below, levels - 1))
            sightings += self._find_flat(here) if self._has_flat(here, folder) else []
            free = [each for each in sightings if not self._is_hidden(each, folder)]
            skills += [skill for each in free if (skill := load_listed_skill(reader, each, wants)) is not None]
            todo += reversed(deeper)
            if todo and len(searched) > MAX_SKILL_FOLDERS:
                message = f"more than {MAX_SKILL_FOLDERS:,} folders: deeper folders were not searched"
                reader.diagnostics.append(warning("skill-folders", message, folder))
                break
        return skills

    def _is_one_of(self, folder: str, names: Iterable[str]) -> bool:
        return folder.endswith(tuple(map(self.look.fill, names)))

    def _sight(self, folder: str) -> Sighting | None:
        """The SKILL.md of a folder, if the agent loads it from there."""
        name = "SKILL.md"
        if self.wants.any_case:
            spelled = [each for each, _ in self.reader.world.list(folder) if each.casefold() == "skill.md"]
            name = min(spelled, default=name)
        if not self.wants.linked_file and self._is_link(path := f"{folder}/{name}"):
            self.reader.note(readable_path(path), "skill", "skipped", NOT_FOLLOWED)
            return None
        return self.reader.sight(folder, name, "skill", self.reach)

    def _has_flat(self, here: str, folder: str) -> bool:
        """Whether a file is a skill there: in all folders, right in some, or only below some."""
        if isinstance(self.wants.flat, bool):
            return self.wants.flat
        return self._is_one_of(folder, self.wants.flat if here == folder else self.wants.loose)

    def _find_flat(self, folder: str) -> list[Sighting]:
        """The files that are a skill each."""
        entries = self.reader.world.list(folder)
        names = [name for name, kind in entries if name.endswith(".md") and kind != "dir"]
        own = {"SKILL.md"} if self.wants.loose else {name for name in names if name.casefold() == "skill.md"}
        found = [self.reader.sight(folder, name, "skill", self.reach) for name in names if name not in own]
        return [each for each in found if each is not None]

    def _is_hidden(self, sighting: Sighting, folder: str) -> bool:
        """Whether an earlier folder has a file at the same relative path. It hides this one whatever its content."""
        if self.claimed is None:
            return False
        first = self.claimed.setdefault(sighting.path.removeprefix(folder), sighting.path)
        if first != sighting.path:
            why = f"by {readable_path(first)}, at the same place in its folder"
            self.reader.note(readable_path(sighting.path), "skill", "hidden", why)
        return first != sighting.path

    def _is_link(self, path: str) -> bool:
        entry = self.reader.world.find(path)
        return entry is not None and entry.kind == "link"
