"""Lists the folders that may hold a skill each; each real folder is searched once."""

from ..model.diagnostic import warning
from .files import EntryKind, explain_unusable_path
from .reader import FileReader

MAX_SKILL_FOLDERS = 2000
"""Maximum number of folders that are searched for skills, besides those that are named."""
MAX_FOLDER_ENTRIES = 100_000
"""More entries than a folder of skills ever has."""


def list_skill_subfolders(
    reader: FileReader, folder: str, searched: dict[str, str], *, top: bool, dotted: bool
) -> list[str]:
    """The folders that may contain a SKILL.md; each real folder is searched once."""
    try:
        entry = reader.world.look(folder)
        if entry is None:
            if top:
                reader.note_absent(folder, "skill")
            return []
        if refusal := reader.check_folder(folder):
            reader.refuse(folder, "skill", *refusal)
            return []
        real = reader.resolve_path(folder)
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
    return _list_skill_candidates(reader, folder, names, dotted)


def _list_skill_candidates(
    reader: FileReader, folder: str, names: list[tuple[str, EntryKind]], dotted: bool
) -> list[str]:
    """The names that may be skill folders: directories, and links that do not lead to a plain file."""
    wanted = []
    for name, kind in names:
        if (name.startswith(".") and not dotted) or name == "node_modules":
            continue
        if kind == "dir" or (kind == "link" and _leads_to_folder(reader, f"{folder}/{name}")):
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


MAX_SKILLS = 1000
"""More skills than any menu has room for."""


def report_many_skills(reader: FileReader, count: int) -> None:
    """Warn of more skills than fit into a prompt."""
    if count > MAX_SKILLS:
        message = f"{count:,} skills are listed: their names and descriptions alone fill a model's context window"
        hint = "Remove some, set a budget (--budget skills=2000), or set features.skills.enabled = false"
        reader.diagnostics.append(warning("skills-many", f"{message}. {hint}"))
