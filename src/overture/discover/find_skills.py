"""Finds all skills of a recipe, in menu order; of two with one name, the more specific wins."""

from operator import attrgetter
from posixpath import join

from ..model.diagnostic import error, warning
from ..model.state.files import Skill
from ..model.state.reasons import NO_REASON, because
from ..model.wants import SkillDirs
from ..text.path_printer import readable_path
from .read_skill_file import SkillFile, read_skill
from .reader import FileReader, Sighting
from .skill_folders import MAX_SKILL_FOLDERS, list_skill_subfolders, report_many_skills


def list_skill_places(wants: SkillDirs, walk: list[str], home: str) -> list[str]:
    """The folders that hold skills; what wins a collision first."""
    levels = walk[::-1] if wants.ancestors else walk[-1:]
    project = [join(level, folder) for level in levels for folder in wants.project]
    return [*project, *(join(home, folder) for folder in wants.home)]


def find_skills(
    reader: FileReader, wants: SkillDirs, walk: list[str], home: str, extra: tuple[str, ...], searched: dict[str, str]
) -> tuple[Skill, ...]:
    """All skills of all places. `searched` takes the folders, by their real paths."""
    by_name: dict[str, Skill] = {}
    for place in dict.fromkeys((*list_skill_places(wants, walk, home), *extra)):  # home may be on the walk
        for skill in _scan(reader, place, wants, searched):
            _take(reader, by_name, skill)
    report_many_skills(reader, len(by_name))
    return tuple(sorted(by_name.values(), key=attrgetter("name", "location")))


def _scan(reader: FileReader, place: str, wants: SkillDirs, searched: dict[str, str]) -> list[Skill]:
    """The skills in one folder and below it."""
    skills: list[Skill] = []
    todo = [(place, wants.depth)]
    while todo:
        here, levels = todo.pop()
        deeper = []
        for name in list_skill_subfolders(reader, here, searched, top=here == place, dotted=False):
            sighting = reader.sight(f"{here}/{name}", "SKILL.md", "skill")
            if sighting is not None:
                skills += [skill] if (skill := _load(reader, sighting, wants)) is not None else []
            elif levels > 1 and reader.looked[-1].outcome == "absent":
                deeper.append((f"{here}/{name}", levels - 1))
        todo += reversed(deeper)
        if todo and len(searched) > MAX_SKILL_FOLDERS:
            message = f"more than {MAX_SKILL_FOLDERS:,} folders: deeper folders were not searched"
            reader.diagnostics.append(warning("skill-folders", message, place))
            break
    return skills


def _load(reader: FileReader, sighting: Sighting, wants: SkillDirs) -> Skill | None:
    """The skill, unless it is unusable, or breaks a rule and the recipe wants none that does."""
    file: SkillFile | None = reader.load(sighting, "skill", read_skill)
    if file is None:
        return None  # it can't be read, which is recorded
    path = readable_path(sighting.path)
    refused = file.skill is not None and bool(file.broken) and wants.invalid == "skip"
    for _, message, line, instead in file.broken:
        if refused:
            reader.diagnostics.append(error("skill-skipped", f"skipped: {message}", path, line))
        else:
            message += instead * (file.skill is not None)
            reader.diagnostics.append(warning("skill-invalid", message, path, line))
    if file.skill is None or refused:
        why = file.broken[0].message if refused else reader.cached_files["skill", sighting.path].notes[-1].message
        reader.note(path, "skill", "skipped", why)
        return None
    return file.skill


def _take(reader: FileReader, skills: dict[str, Skill], skill: Skill) -> None:
    """Take a skill that was found; of two with one name, the loser is recorded."""
    winner = skills.setdefault(skill.name, skill)
    if winner is skill:
        hidden = because("user-only") if skill.disable_model_invocation else NO_REASON
        reader.note(skill.location, "skill", "loaded", hidden)
        return
    reader.note(skill.location, "skill", "hidden", f"by {winner.location}")
    message = f"skipped: {winner.location} has the same name, {skill.name!r}, and comes first"
    reader.diagnostics.append(warning("skill-collision", message, skill.location))
