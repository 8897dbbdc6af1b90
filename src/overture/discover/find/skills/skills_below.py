"""A folder that holds skills -> those in it and below it."""

from ....model.diagnostic import error, warning
from ....model.recipe.wants.wanted_skills import SkillDirs
from ....model.state.files import Skill
from ...boundary import Reach
from ...disk.decode_text import readable
from ...disk.reader import Reader, Sighting
from ...formats.skill_by_needs import load_by_needs
from ...formats.skill_file import SkillFile, read_skill
from .skill_folders import subfolders

MOST = 2000
"""Folders that are searched for skills, at the most, besides those that are named."""


def skills_below(
    reader: Reader,
    folder: str,
    root: str,
    wants: SkillDirs,
    searched: dict[str, str],
    claimed: dict[str, str],
    reach: Reach | None = None,
) -> list[Skill]:
    """The skills below one skill folder. `claimed` takes their paths below it, `reach` says which setting names it."""
    found: list[Skill] = []
    dotted = folder.endswith(wants.dotted) if isinstance(wants.dotted, tuple) else bool(wants.dotted)
    todo = [(folder, wants.depth)]
    while todo:
        here, left = todo.pop()
        names = subfolders(reader, here, root, searched, top=here == folder, dotted=dotted)
        names = names if wants.linked else [name for name in names if not _is_link(reader, f"{here}/{name}")]
        deeper, seen = [], []
        for name in names:
            below = f"{here}/{name}"
            sighting = reader.sight(below, _file_name(reader, below, wants), root, "skill", reach)
            if sighting is not None:
                seen.append(sighting)
            if name.startswith(".") and wants.dotted == "itself":
                continue
            if left > 1 and (wants.nested or (sighting is None and reader.looked[-1].outcome == "absent")):
                deeper.append((below, left - 1))
        seen += _flat_files(reader, here, root, wants, reach) if _has_flat(here, folder, wants) else ()
        free = [each for each in seen if not _is_claimed(reader, each, folder, wants, claimed)]
        found += [skill for each in free if (skill := _load(reader, each, wants)) is not None]
        todo += reversed(deeper)
        if todo and len(searched) > MOST:
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


def _flat_files(
    reader: Reader, folder: str, root: str, wants: SkillDirs, reach: Reach | None
) -> list[Sighting]:  # fmt: skip
    """The files that are a skill each."""
    try:
        names = [name for name, kind in reader.world.names(folder) if name.endswith(".md") and kind != "dir"]
    except OSError:
        return []
    own = {"SKILL.md"} if wants.loose else {name for name in names if name.casefold() == "skill.md"}
    seen = [reader.sight(folder, name, root, "skill", reach) for name in names if name not in own]
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
