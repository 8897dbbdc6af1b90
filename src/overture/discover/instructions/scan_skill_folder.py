"""Finds and loads the skills in one folder and below it."""

from ...known_agents.quirks import apply_quirk
from ...model.diagnostic import error, warning
from ...model.skill_dirs import SkillDirs
from ...model.state.files import Skill
from ...text.path_printer import readable_path
from ..disk.boundary import PathReference
from ..disk.explain_file_errors import explain_unusable_path
from ..disk.file_reader import FileReader
from ..disk.look_at_paths import Sighting
from ..disk.world import EntryKind, find_entry, list_folder
from .agent_skill_listing import load_listed_skill
from .load_step_file import NOT_FOLLOWED
from .read_skill_file import SkillFile, read_skill

MAX_FOLDER_ENTRIES = 100_000
"""More entries than a folder of skills ever has."""


def list_skill_subfolders(
    reader: FileReader, folder: str, root: str, searched: dict[str, str], *, top: bool, dotted: bool
) -> list[str]:
    """The folders that may contain a SKILL.md; each real folder is searched once."""
    try:
        entry = reader.world.look(folder)
        if entry is None:
            if top:
                reader.note_absent(folder, "skill")
            return []
        real = reader.real_folder(folder, root)
        if real is None:
            reader.refuse(folder, "skill", *reader.outside(folder, root))
            return []
        real_entry = reader.world.look(real)
        if real_entry is None or real_entry.kind != "dir":
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
        reader.refuse(folder, "skill", "unreadable", explain_unusable_path(reader.world, folder, problem))
        return []
    if len(names) > MAX_FOLDER_ENTRIES:
        message = f"it has {len(names):,} entries, which are all searched: keep only skills here"
        reader.diagnostics.append(warning("skill-folders", message, folder))
    return _list_skill_candidates(reader, folder, names, root, dotted)


def _list_skill_candidates(
    reader: FileReader, folder: str, names: list[tuple[str, EntryKind]], root: str, dotted: bool
) -> list[str]:
    """The names that may be skill folders: directories, and links that do not lead to a plain file."""
    wanted = []
    for name, kind in names:
        if (name.startswith(".") and not dotted) or name == "node_modules":
            continue
        if kind == "dir":
            reader.descend(folder, name, root)
            wanted.append(name)
        elif kind == "link" and _leads_to_folder(reader, f"{folder}/{name}"):
            wanted.append(name)
    return wanted


def _leads_to_folder(reader: FileReader, path: str) -> bool:
    """Whether a link leads to a directory; one that leads nowhere is reported."""
    try:
        entry = reader.world.look(reader.world.real(path))
    except OSError as problem:
        reader.refuse(path, "skill", "unreadable", explain_unusable_path(reader.world, path, problem))
        return False
    return entry is not None and entry.kind == "dir"


# A folder that holds skills -> those in it and below it.


MAX_SKILL_FOLDERS = 2000
"""Maximum number of folders that are searched for skills, besides those that are named."""


def scan_skill_folder(
    reader: FileReader,
    folder: str,
    root: str,
    wants: SkillDirs,
    searched: dict[str, str],
    claimed: dict[str, str],
    reach: PathReference | None = None,
) -> list[Skill]:
    """The skills below one skill folder. `claimed` collects their paths; `reach` is the setting that names it."""
    skills: list[Skill] = []
    dotted = folder.endswith(wants.dotted) if isinstance(wants.dotted, tuple) else bool(wants.dotted)
    todo = [(folder, wants.depth)]
    while todo:
        here, levels = todo.pop()
        names = list_skill_subfolders(reader, here, root, searched, top=here == folder, dotted=dotted)
        names = names if wants.linked else [name for name in names if not _is_link(reader, f"{here}/{name}")]
        deeper, sightings = [], []
        for name in names:
            below = f"{here}/{name}"
            sighting = _sight_skill_file(reader, below, root, wants, reach)
            if sighting is not None:
                sightings.append(sighting)
            if name.startswith(".") and wants.dotted == "itself":
                continue
            if levels > 1 and (wants.nested or (sighting is None and reader.looked[-1].outcome == "absent")):
                deeper.append((below, levels - 1))
        sightings += _find_flat_skills(reader, here, root, wants, reach) if _has_flat(here, folder, wants) else ()
        free = [each for each in sightings if not _is_hidden(reader, each, folder, wants, claimed)]
        skills += [skill for each in free if (skill := _load(reader, each, wants)) is not None]
        todo += reversed(deeper)
        if todo and len(searched) > MAX_SKILL_FOLDERS:
            message = f"more than {MAX_SKILL_FOLDERS:,} folders: deeper folders were not searched"
            reader.diagnostics.append(warning("skill-folders", message, folder))
            break
    return skills


def _sight_skill_file(
    reader: FileReader, folder: str, root: str, wants: SkillDirs, reach: PathReference | None
) -> Sighting | None:
    """The SKILL.md of a folder, if the agent loads it from there."""
    name = _find_skill_file_name(reader, folder, wants)
    if not apply_quirk(wants.quirks, "find_linked_skill", True) and _is_link(reader, path := f"{folder}/{name}"):
        reader.note(readable_path(path), "skill", "skipped", NOT_FOLLOWED)
        return None
    return reader.sight(folder, name, root, "skill", reach)


def _is_hidden(reader: FileReader, sighting: Sighting, folder: str, wants: SkillDirs, claimed: dict[str, str]) -> bool:
    """Whether an earlier skill folder has a file at the same relative path. It hides this one whatever its content."""
    if wants.same_place == "all":
        return False
    first = claimed.setdefault(sighting.path.removeprefix(folder), sighting.path)
    if first != sighting.path:
        why = f"by {readable_path(first)}, at the same place in its folder"
        reader.note(readable_path(sighting.path), "skill", "hidden", why)
    return first != sighting.path


def _find_skill_file_name(reader: FileReader, folder: str, wants: SkillDirs) -> str:
    """`SKILL.md`, or its spelling on disk."""
    if not wants.any_case:
        return "SKILL.md"
    names = [name for name, _ in list_folder(reader.world, folder) if name.casefold() == "skill.md"]
    return min(names, default="SKILL.md")


def _has_flat(here: str, folder: str, wants: SkillDirs) -> bool:
    """Whether a file is a skill there: in all folders, right in some, or only below some."""
    if isinstance(wants.flat, bool):
        return wants.flat
    return folder.endswith(wants.flat) if here == folder else folder.endswith(wants.loose)


def _find_flat_skills(
    reader: FileReader, folder: str, root: str, wants: SkillDirs, reach: PathReference | None
) -> list[Sighting]:  # fmt: skip
    """The files that are a skill each."""
    names = [name for name, kind in list_folder(reader.world, folder) if name.endswith(".md") and kind != "dir"]
    own = {"SKILL.md"} if wants.loose else {name for name in names if name.casefold() == "skill.md"}
    sightings = [reader.sight(folder, name, root, "skill", reach) for name in names if name not in own]
    return [each for each in sightings if each is not None]


def _is_link(reader: FileReader, path: str) -> bool:
    entry = find_entry(reader.world, path)
    return entry is not None and entry.kind == "link"


def _load(reader: FileReader, sighting: Sighting, wants: SkillDirs) -> Skill | None:
    """The skill in a scanned folder, unless it is unusable, or breaks a rule and the recipe wants none that does."""
    if wants.needs is not None:
        return load_listed_skill(reader, sighting, wants)
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
