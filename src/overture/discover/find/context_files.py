"""Project files: from the root of the walk down to the working directory, in the recipe's order."""

from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import Any

from msgspec.structs import replace

from ...model.diagnostic import Diagnostic, warning
from ...model.recipe.wants.wanted_files import ContextFiles
from ...model.state.files import TextFile
from ..disk.project_root import Roots, counts_in
from ..disk.reader import Reader, Refusal, Sighting
from ..disk.walk import at_or_above
from ..disk.why_not import why_not
from ..disk.world import lies
from ..left_out.copies import only_import


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
            reader.note_absent(path, what)
            return []
        if reader.real_folder(place, root) is None:
            reader.refuse(path, what, *reader.outside(place, root))
            return []
        names = [name for name, kind in reader.world.names(place) if kind != "dir"]
    except OSError as problem:
        reader.refuse(path, what, "unreadable", why_not(reader.world, place, problem))
        return []
    found = sorted(name for name in names if fnmatchcase(name, pattern) and not name.startswith("."))
    if not found:
        reader.note_absent(path, what)
    return found


def find_context(
    reader: Reader, wants: ContextFiles, walk: list[str], roots: Roots, home: str, shadowed: list[TextFile]
) -> tuple[TextFile, ...]:
    """All project files, outermost first. Those that another one shadows are put aside, into `shadowed`."""
    found = [file for name in wants.home if (file := _file(reader, reader.sight(home, name, home, "context")))]
    for folder in walk:
        real = reader.real_or(folder)
        here = wants if at_or_above(roots.repository, real) else _bare(wants)
        if wants.bounds:
            here = replace(here, names=tuple(name for name in here.names if counts_in(wants.bounds, name, real)))
        found += _in_folder(reader, here, folder, roots.of(folder), home, shadowed)
    return tuple(found)


def _bare(wants: ContextFiles) -> ContextFiles:
    """The wants above the project."""
    return replace(wants, names=tuple(n for n in wants.names if "/" not in n)) if wants.inside else wants


def names_of(wants: ContextFiles) -> tuple[str, ...]:
    """The names that are looked for in each folder, in their places."""
    return tuple(dict.fromkeys(f"{place}/{name}" if place else name for name in wants.names for place in wants.under))


def _in_folder(
    reader: Reader, wants: ContextFiles, folder: str, root: str, home: str, shadowed: list[TextFile]
) -> list[TextFile]:
    loaded: list[TextFile] = []
    taken: str | None = None
    names = [file for each in names_of(wants) for file in matching(reader, folder, each, root, "context")]
    for index, name in enumerate(names):
        if taken is not None:
            _note_shadowed(reader, f"{folder.rstrip('/')}/{name}", root, taken, shadowed)
            continue
        sighting = reader.sight(folder, name, root, "context")
        file = _file(reader, sighting)
        if file is not None:
            loaded.append(file)
        # A cleared file is there: it is chosen, and says nothing. So is one that was loaded by another name.
        path = sighting.path if sighting else f"{folder.rstrip('/')}/{name}"
        if wants.take == "first" and _is_there(reader, path, met=sighting is None):
            stands_for = only_import(file, home) if file is not None and wants.imports else None
            later = [f"{folder.rstrip('/')}/{each}" for each in names[index + 1 :]]
            # One that only imports a later one gives way to it.
            taken = None if stands_for in later and exists(reader, stands_for or "") else path
    return loaded


def _is_there(reader: Reader, path: str, *, met: bool) -> bool:
    """Whether it was read, now or before; `met`: it was not sighted now, perhaps because it has another name."""
    if ("context", path) in reader.kept:
        return True
    return met and bool(reader.looked) and reader.looked[-1].outcome == "duplicate"


def _file(reader: Reader, sighting: Sighting | None) -> TextFile | None:
    """The file as it is, marked where it lies outside the repository."""
    file: TextFile | None = load_document(reader, sighting, "context", text_file)
    if file is None or sighting is None or file.outside == (outside := reader.is_outside(sighting.path)):
        return file
    key = ("context", sighting.path)
    before = reader.earlier.get(key)
    file = replace(file, outside=outside)
    if before is not None and before.value == file:
        file = before.value
    # Kept as it is now, so that a later discovery has the same object.
    reader.kept[key] = reader.kept[key]._replace(value=file)
    return file


def load_document(reader: Reader, sighting: Sighting | None, what: str, make: Callable[[str, str], Any]) -> Any:
    """The file as `make` gives it, with a note of what came of it; None where it is missing or empty."""
    file = reader.load(sighting, what, make) if sighting else None
    if sighting is None or file is None:
        return None
    if not file.content:
        reader.note(sighting.path, what, "cleared", "it is empty")
        return None
    reader.note(sighting.path, what, "loaded")
    return file


def text_file(text: str, path: str) -> tuple[TextFile, tuple[Diagnostic, ...]]:
    """A project file as it is."""
    return TextFile(path, text), ()


def _note_shadowed(reader: Reader, path: str, root: str, taken: str, shadowed: list[TextFile]) -> None:
    seen = reader.look_at(path, root)
    if isinstance(seen, Refusal) and seen.outcome == "absent":
        reader.note_absent(path, "context")
        return
    if isinstance(seen, Refusal) and seen.outcome == "unreadable":
        reader.refuse(path, "context", *seen)
        return
    if isinstance(seen, Sighting) and (same := reader.same_file(seen, "context")):
        reader.note(path, "context", "duplicate", same)
        return
    reader.note(path, "context", "shadowed", f"by {taken}")
    kept = reader.kept.get(("context", taken))
    if kept is not None and not kept.value.content:
        message = f"not used: {taken} comes first, and it is empty; delete that file or fill it"
        reader.diagnostics.append(warning("context-shadowed", message, path))
    file = reader.peek(seen, text_file) if isinstance(seen, Sighting) else None
    if file is not None:
        shadowed.append(file)


def exists(reader: Reader, path: str) -> bool:
    """Whether anything lies there."""
    return lies(reader.world, path)
