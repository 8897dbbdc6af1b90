"""A folder -> those in it in which a skill may lie."""

from ....model.diagnostic import warning
from ...disk.reader import Reader
from ...disk.why_not import why_not
from ...disk.world import Kind

CROWDED = 100_000
"""More entries than a folder of skills ever has."""


def subfolders(
    reader: Reader, folder: str, root: str, searched: dict[str, str], *, top: bool, dotted: bool
) -> list[str]:
    """The folders in which a SKILL.md may lie; each real folder is searched once."""
    try:
        entry = reader.world.look(folder)
        if entry is None:
            if top and folder not in reader.absent:
                reader.absent.add(folder)
                reader.note_absent(folder, "skill")
            return []
        real = reader.real_folder(folder, root)
        if real is None:
            reader.refuse(folder, "skill", *reader.outside(folder, root))
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
