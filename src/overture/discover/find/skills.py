"""Skill folders -> skills, sorted by name; where two have one name, the more specific place wins."""

from itertools import groupby
from operator import attrgetter
from posixpath import join
from typing import NamedTuple

from ...model.diagnostic import error, warning
from ...model.recipe.wanted_skills import SkillDirs
from ...model.state.files import Skill
from ..disk.decode_text import readable
from ..disk.project_root import Roots
from ..disk.reader import Reader, Sighting
from ..disk.walk import at_or_above
from ..disk.why_not import why_not
from ..disk.world import Kind
from ..formats.skill_by_needs import Parsed, load_by_needs, read_parsed
from ..formats.skill_file import SkillFile, read_skill

MANY = 1000
"""More skills than any menu has room for."""
CROWDED = 100_000
"""More entries than a folder of skills ever has."""
MOST = 2000
"""Folders that are searched below one skill folder, at the most."""


def find_skills(
    reader: Reader,
    wants: SkillDirs,
    walk: list[str],
    roots: Roots,
    home: str,
    extra: tuple[str, ...],
    searched: dict[str, str],
) -> tuple[Skill, ...]:
    """All skills of all places. `searched` takes the folders, by their real paths."""
    if wants.alone == "cwd":
        walk = [folder for folder in walk if at_or_above(roots.repository, reader.real_or(folder))] or walk[-1:]
    top = next((folder for folder in walk if at_or_above(roots.repository, folder)), walk[-1])
    places = _places(wants, walk, roots, home, top)
    places += [Place(folder, folder, folder) for folder in extra]
    found: dict[str, Skill] = {}
    claimed: dict[str, str] = {}
    sources: dict[str, str] = {}
    there: list[Skill] = []
    texts: dict[tuple[object, ...], str] = {}
    for folder, root, source in _once(places).values():
        skills = _in_place(reader, folder, "/" if wants.links == "follow" else root, wants, searched, claimed)
        sources.update({skill.location: source for skill in skills})
        level = _level(folder, wants)
        there += [each for each in _in_folder_order(skills, wants) if not _is_copy(reader, each, level, wants, texts)]
    for skill in sorted(there, key=_by_location) if wants.order == "location" else there:
        _take(reader, found, skill, wants)
    if len(found) > MANY:
        said = f"{len(found):,} skills are listed: their menu alone fills a model's window"
        way = "Move some away, give the menu a budget (--budget skills=2000), or set features.skills.enabled = false"
        reader.diagnostics.append(warning("skills-many", f"{said}. {way}"))
    return _by_source(found, sources) if wants.order == "source" else _ordered(found, wants, home)


def _by_source(found: dict[str, Skill], sources: dict[str, str]) -> tuple[Skill, ...]:
    """The skills as they were found, neighbours from one source by name."""
    groups = groupby(found.values(), key=lambda skill: sources[skill.location])
    return tuple(skill for _, group in groups for skill in sorted(group, key=attrgetter("name", "location")))


def _in_folder_order(skills: list[Skill], wants: SkillDirs) -> list[Skill]:
    """The skills of one folder as the agent comes to them."""
    if wants.order == "path":
        return sorted(skills, key=attrgetter("location"))
    skills = skills if wants.capitals else sorted(skills, key=lambda skill: skill.location.casefold())
    return skills[::-1] if wants.order == "backwards" else skills


def _level(folder: str, wants: SkillDirs) -> str:
    """The folder in which a folder of skills lies: of a project, or home."""
    names = (*wants.here, *wants.project, *wants.home)
    return next((folder.removesuffix(f"/{name}") for name in names if folder.endswith(f"/{name}")), folder)


def _is_copy(reader: Reader, skill: Skill, level: str, wants: SkillDirs, texts: dict[tuple[object, ...], str]) -> bool:
    """Whether another skill of the same folder says the same, and only the first of such counts."""
    seen = reader.look_at(skill.location, "/") if wants.same_text == "first" else None
    parsed: Parsed | None = reader.peek(seen, read_parsed) if isinstance(seen, Sighting) else None
    if parsed is None:
        return False
    first = texts.setdefault((level, *sorted(parsed.fields.items()), parsed.body), skill.location)
    if first != skill.location:
        reader.note(skill.location, "skill", "duplicate", f"{first} says the same, and comes first")
    return first != skill.location


def _by_location(skill: Skill) -> tuple[str, str]:
    """The path of its folder and its name, whatever their letter case."""
    return skill.location.rpartition("/")[0].lower(), skill.name.lower()


def _ordered(found: dict[str, Skill], wants: SkillDirs, home: str) -> tuple[Skill, ...]:
    """The skills as the menu has them."""
    if wants.order == "location":
        return tuple(sorted(found.values(), key=_by_location))
    if wants.order not in ("name", "owner"):
        return tuple(found.values())
    skills = sorted(found.values(), key=attrgetter("name", "location"))
    if not wants.capitals:
        skills.sort(key=lambda skill: skill.name.casefold())
    if wants.order == "owner":
        own = tuple(join(home, folder) for folder in wants.home)
        skills.sort(key=lambda skill: skill.location.startswith(own))
    return tuple(skills)


class Place(NamedTuple):
    """A folder that holds skills, the one that links in it may not leave, and where it is: here, above, or at home."""

    folder: str
    root: str
    source: str


def _places(wants: SkillDirs, walk: list[str], roots: Roots, home: str, top: str) -> list[Place]:
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
        )
        for folder, level, root in places
    ]


def _once(places: list[Place]) -> dict[str, Place]:
    """The places by path, each where it comes first: home may lie on the walk."""
    found: dict[str, Place] = {}
    for place in places:
        found.setdefault(place.folder, place)
    return found


def _take(reader: Reader, found: dict[str, Skill], skill: Skill, wants: SkillDirs) -> None:
    if skill.name in wants.disabled:
        reader.note(skill.location, "skill", "skipped", "a setting of the agent's switches it off")
        return
    last = found.get(skill.name) if wants.same_name == "last" else None
    if last is not None:
        reader.note(last.location, "skill", "shadowed", f"by {skill.location}")
        found[skill.name] = skill
    winner = found.setdefault(skill.location if wants.same_name == "all" else skill.name, skill)
    if winner is skill:
        hidden = "kept out of menus by disable-model-invocation" if skill.disable_model_invocation else ""
        reader.note(skill.location, "skill", "loaded", hidden)
        return
    reader.note(skill.location, "skill", "shadowed", f"by {winner.location}")
    message = f"not used: {winner.location} has the same name, {skill.name!r}, and comes first"
    reader.diagnostics.append(warning("skill-collision", message, skill.location))


def _in_place(
    reader: Reader, folder: str, root: str, wants: SkillDirs, searched: dict[str, str], claimed: dict[str, str]
) -> list[Skill]:
    """The skills below one skill folder. `claimed` takes their paths below it."""
    found: list[Skill] = []
    dotted = folder.endswith(wants.dotted) if isinstance(wants.dotted, tuple) else bool(wants.dotted)
    todo = [(folder, wants.depth)]
    while todo:
        here, left = todo.pop()
        names = _subfolders(reader, here, root, searched, top=here == folder, dotted=dotted)
        names = names if wants.linked else [name for name in names if not _is_link(reader, f"{here}/{name}")]
        deeper, seen = [], []
        for name in names:
            below = f"{here}/{name}"
            sighting = reader.sight(below, _file_name(reader, below, wants), root, "skill")
            if sighting is not None:
                seen.append(sighting)
            if name.startswith(".") and wants.dotted == "itself":
                continue
            if left > 1 and (wants.nested or (sighting is None and reader.looked[-1].outcome == "absent")):
                deeper.append((below, left - 1))
        seen += _flat_files(reader, here, root, wants) if _has_flat(here, folder, wants) else ()
        free = [each for each in seen if not _is_claimed(reader, each, folder, wants, claimed)]
        found += [skill for each in free if (skill := _load(reader, each, wants)) is not None]
        todo += reversed(deeper)
        if len(searched) > MOST:
            message = f"more than {MOST:,} folders: what lies beyond was not searched"
            reader.diagnostics.append(warning("skill-folders", message, folder))
            break
    return found


def _is_claimed(reader: Reader, seen: Sighting, folder: str, wants: SkillDirs, claimed: dict[str, str]) -> bool:
    """Whether a file lies at the same place below an earlier folder, and hides this one whatever it says."""
    if wants.same_place == "all":
        return False
    first = claimed.setdefault(seen.path.removeprefix(folder), seen.path)
    if first != seen.path:
        reader.note(readable(seen.path), "skill", "shadowed", f"by {readable(first)}, at the same place of its folder")
    return first != seen.path


def _file_name(reader: Reader, folder: str, wants: SkillDirs) -> str:
    """`SKILL.md`, or as it is written there."""
    if not wants.any_case:
        return "SKILL.md"
    try:
        names = [name for name, _ in reader.world.names(folder) if name.casefold() == "skill.md"]
    except OSError:
        names = []
    return min(names, default="SKILL.md")


def _has_flat(here: str, folder: str, wants: SkillDirs) -> bool:
    """Whether a file is a skill there: in all folders, right in some, or only below some."""
    if isinstance(wants.flat, bool):
        return wants.flat
    return folder.endswith(wants.flat) if here == folder else folder.endswith(wants.loose)


def _flat_files(reader: Reader, folder: str, root: str, wants: SkillDirs) -> list[Sighting]:
    """The files that are a skill each."""
    try:
        names = [name for name, kind in reader.world.names(folder) if name.endswith(".md") and kind != "dir"]
    except OSError:
        return []
    own = {"SKILL.md"} if wants.loose else {name for name in names if name.casefold() == "skill.md"}
    seen = [reader.sight(folder, name, root, "skill") for name in names if name not in own]
    return [each for each in seen if each is not None]


def _is_link(reader: Reader, path: str) -> bool:
    try:
        entry = reader.world.look(path)
    except OSError:
        return False
    return entry is not None and entry.kind == "link"


def _load(reader: Reader, sighting: Sighting, wants: SkillDirs) -> Skill | None:
    """The skill of a file, unless it is unusable, or breaks a rule and the recipe wants none that does."""
    if wants.needs is not None:
        return load_by_needs(reader, sighting, wants)
    file: SkillFile | None = reader.load(sighting, "skill", read_skill)
    if file is None:
        return None  # it can't be read, which is recorded
    path = readable(sighting.path)
    refused = file.skill is not None and bool(file.broken) and wants.invalid == "skip"
    for _, message, line, instead in file.broken:
        if refused:
            reader.diagnostics.append(error("skill-skipped", f"not used: {message}", path, line))
        else:
            message += instead * (file.skill is not None)
            reader.diagnostics.append(warning("skill-invalid", message, path, line))
    if file.skill is None or refused:
        why = file.broken[0].message if refused else reader.kept["skill", sighting.path].notes[-1].message
        reader.note(path, "skill", "skipped", why)
        return None
    return file.skill


def _subfolders(
    reader: Reader, folder: str, root: str, searched: dict[str, str], *, top: bool, dotted: bool
) -> list[str]:
    """The folders in which a SKILL.md may lie; each real folder is searched once."""
    try:
        entry = reader.world.look(folder)
        if entry is None:
            if top and folder not in searched.values():
                searched[f"absent {folder}"] = folder
                reader.note_absent(folder, "skill")
            return []
        real = reader.real_folder(folder, root)
        if real is None:
            reader.refuse(folder, "skill", "outside", f"it leads out of {root}; features.links.allow permits it")
            return []
        found = reader.world.look(real)
        if found is None or found.kind != "dir":
            if top:
                reader.refuse(folder, "skill", "skipped", "it is not a directory")
            return []
        if real in searched:
            if searched[real] != folder:
                reader.note(folder, "skill", "duplicate", f"the same folder as {searched[real]}")
            return []
        searched[real] = folder
        names = reader.world.names(folder)
    except OSError as problem:
        reader.refuse(folder, "skill", "unreadable", why_not(reader.world, folder, problem))
        return []
    if len(names) > CROWDED:
        message = f"it holds {len(names):,} entries, which are all looked at: keep nothing but skills here"
        reader.diagnostics.append(warning("skill-folders", message, folder))
    return _candidates(reader, folder, names, root, dotted)


def _candidates(reader: Reader, folder: str, names: list[tuple[str, Kind]], root: str, dotted: bool) -> list[str]:
    """The names that may be skill folders: directories, and links that do not lead to a plain file."""
    kept = []
    for name, kind in names:
        if (name.startswith(".") and not dotted) or name == "node_modules":
            continue
        if kind == "dir":
            reader.descend(folder, name, root)
            kept.append(name)
        elif kind == "link" and _leads_to_folder(reader, f"{folder}/{name}"):
            kept.append(name)
    return kept


def _leads_to_folder(reader: Reader, path: str) -> bool:
    """Whether a link leads to a directory; one that leads nowhere is reported."""
    try:
        entry = reader.world.look(reader.world.real(path))
    except OSError as problem:
        reader.refuse(path, "skill", "unreadable", why_not(reader.world, path, problem))
        return False
    return entry is not None and entry.kind == "dir"
