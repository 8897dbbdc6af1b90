"""Project files: from the root of the walk down to the working directory, in the recipe's order."""

from collections.abc import Callable
from fnmatch import fnmatchcase
from typing import Any

from msgspec.structs import replace

from ...model.diagnostic import Diagnostic, warning
from ...model.recipe.wanted_files import ContextFiles
from ...model.state.files import TextFile
from ..disk.project_root import Roots
from ..disk.reader import Reader, Sighting, said
from ..disk.walk import at_or_above


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


FAMILIAR = ("AGENTS.md", "CLAUDE.md", "OPAL.md", "GEMINI.md", ".cursorrules", ".github/copilot-instructions.md")
"""Files that people expect to be read; a recipe that does not read one says so."""


def find_context(reader: Reader, wants: ContextFiles, walk: list[str], roots: Roots, home: str) -> tuple[TextFile, ...]:
    """All project files, outermost first."""
    found = [file for name in wants.home if (file := _file(reader, reader.sight(home, name, home, "context")))]
    for folder in walk:
        inside = at_or_above(roots.repository, reader.real_or(folder))
        found += _in_folder(reader, wants if inside else _bare(wants), folder, roots.of(folder))
    return tuple(found)


def _bare(wants: ContextFiles) -> ContextFiles:
    """The wants above the project."""
    return replace(wants, names=tuple(n for n in wants.names if "/" not in n)) if wants.inside else wants


def _in_folder(reader: Reader, wants: ContextFiles, folder: str, root: str) -> list[TextFile]:
    names = [f"{place}/{name}" if place else name for name in wants.names for place in wants.under]
    names = list(dict.fromkeys(names))
    loaded: list[TextFile] = []
    taken: str | None = None
    for name in [file for each in names for file in matching(reader, folder, each, root, "context")]:
        if taken is not None:
            _note_shadowed(reader, folder, name, taken)
            continue
        sighting = reader.sight(folder, name, root, "context")
        file = _file(reader, sighting)
        if file is not None:
            loaded.append(file)
        # A cleared file is there: it is chosen, and says nothing. So is one that was loaded by another name.
        path = sighting.path if sighting else f"{folder.rstrip('/')}/{name}"
        if wants.take == "first" and _is_there(reader, path, met=sighting is None):
            taken = path
    _note_unread(reader, folder, names)
    return loaded


def _is_there(reader: Reader, path: str, *, met: bool) -> bool:
    """Whether it was read, now or before; `met`: it was not sighted now, perhaps because it has another name."""
    if ("context", path) in reader.kept:
        return True
    return met and bool(reader.looked) and reader.looked[-1].outcome == "duplicate"


def _file(reader: Reader, sighting: Sighting | None) -> TextFile | None:
    file: TextFile | None = load_document(reader, sighting, "context", text_file)
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


def _note_shadowed(reader: Reader, folder: str, name: str, taken: str) -> None:
    path = f"{folder.rstrip('/')}/{name}"
    if not exists(reader, path):
        reader.note(path, "context", "absent")
        return
    reader.note(path, "context", "shadowed", f"by {taken}")
    kept = reader.kept.get(("context", taken))
    if kept is not None and not kept.value.content:
        message = f"not used: {taken} comes first, and it is empty; delete that file or fill it"
        reader.diagnostics.append(warning("context-shadowed", message, path))


def _note_unread(reader: Reader, folder: str, names: list[str]) -> None:
    for name in FAMILIAR:
        path = f"{folder.rstrip('/')}/{name}"
        if name not in names and exists(reader, path):
            reader.note(path, "context", "unread", f"this recipe does not read it, but {', '.join(names)}")


def exists(reader: Reader, path: str) -> bool:
    """Whether anything lies there."""
    try:
        return reader.world.look(path) is not None
    except OSError:
        return False
