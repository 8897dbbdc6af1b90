"""`.claude/rules/*.md` -> the files that match, sorted. Only the last part of a name may hold `*`."""

from fnmatch import fnmatchcase

from .reader import Reader, said


def matching(reader: Reader, folder: str, name: str, root: str, what: str) -> list[str]:
    """The names in `folder` for which `name` stands: itself, or all that match it."""
    below, _, pattern = name.rpartition("/")
    if "*" not in pattern:
        return [name]
    place = f"{folder.rstrip('/')}/{below}" if below else folder
    return [f"{below}/{file}" if below else file for file in _files(reader, place, pattern, root, what)]


def _files(reader: Reader, place: str, pattern: str, root: str, what: str) -> list[str]:
    """The files of one folder; a folder that is not there or can't be listed is recorded as one path."""
    path = f"{place.rstrip('/')}/{pattern}"
    try:
        entry = reader.world.look(place)
        if entry is None or entry.kind not in ("dir", "link"):
            reader.note(path, what, "absent")
            return []
        if reader.real_folder(place, root) is None:
            reader.refuse(path, what, "outside", f"it leads out of {root}; features.links.allow permits it")
            return []
        names = [name for name, kind in reader.world.names(place) if kind != "dir"]
    except OSError as problem:
        reader.refuse(path, what, "unreadable", said(problem))
        return []
    found = sorted(name for name in names if fnmatchcase(name, pattern) and not name.startswith("."))
    if not found:
        reader.note(path, what, "absent")
    return found
