"""Finds project instruction files: from the root down to the working directory, nested ones, and workspace files."""

import posixpath
from collections.abc import Callable, Iterable
from fnmatch import fnmatchcase
from typing import Any

from msgspec.structs import replace

from ..model.diagnostic import Diagnostic, warning
from ..model.state.files import TextFile, WorkspaceFile
from ..model.wants.wants import ContextFiles, WorkspaceFiles
from ..text.frontmatter import strip_comments
from .disk.paths import contains_path, explain_unusable_path
from .disk.project_root import LinkRoots, name_applies_in
from .disk.reader import FileReader, ReadRefusal, Sighting
from .disk.world import path_exists
from .unread.duplicate_files import find_only_import


def match_names(reader: FileReader, folder: str, name: str, root: str, what: str) -> list[str]:
    """The names in `folder` for which `name` stands: itself, or all that match it."""
    below, _, pattern = name.rpartition("/")
    if "*" not in pattern:
        return [name]
    place = f"{folder.rstrip('/')}/{below}" if below else folder
    return [f"{below}/{file}" if below else file for file in _list_files(reader, place, pattern, root, what)]


def _list_files(reader: FileReader, place: str, pattern: str, root: str, what: str) -> list[str]:
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
        reader.refuse(path, what, "unreadable", explain_unusable_path(reader.world, place, problem))
        return []
    found = sorted(name for name in names if fnmatchcase(name, pattern) and not name.startswith("."))
    if not found:
        reader.note_absent(path, what)
    return found


def find_context_files(
    reader: FileReader, wants: ContextFiles, walk: list[str], roots: LinkRoots, home: str, shadowed: list[TextFile]
) -> tuple[TextFile, ...]:
    """All project files, outermost first. Those that another one shadows are put aside, into `shadowed`."""
    found = [
        file for name in wants.home if (file := _load_text_file(reader, reader.sight(home, name, home, "context")))
    ]
    for folder in walk:
        real = reader.real_or(folder)
        here = wants if contains_path(roots.repository, real) else _above_project(wants)
        if wants.bounds:
            here = replace(here, names=tuple(name for name in here.names if name_applies_in(wants.bounds, name, real)))
        found += _in_folder(reader, here, folder, roots.of(folder), home, shadowed)
    return tuple(found)


def _above_project(wants: ContextFiles) -> ContextFiles:
    """The wants above the project."""
    return replace(wants, names=tuple(n for n in wants.names if "/" not in n)) if wants.inside else wants


def list_context_names(wants: ContextFiles) -> tuple[str, ...]:
    """The names that are looked for in each folder, in their places."""
    return tuple(dict.fromkeys(f"{place}/{name}" if place else name for name in wants.names for place in wants.under))


def _in_folder(
    reader: FileReader, wants: ContextFiles, folder: str, root: str, home: str, shadowed: list[TextFile]
) -> list[TextFile]:
    loaded: list[TextFile] = []
    taken: str | None = None
    names = [file for each in list_context_names(wants) for file in match_names(reader, folder, each, root, "context")]
    for index, name in enumerate(names):
        if taken is not None:
            _note_hidden(reader, f"{folder.rstrip('/')}/{name}", root, taken, shadowed)
            continue
        sighting = reader.sight(folder, name, root, "context")
        file = _load_text_file(reader, sighting)
        if file is not None:
            loaded.append(file)
        # A cleared file is there: it is chosen, and says nothing. So is one that was loaded by another name.
        path = sighting.path if sighting else f"{folder.rstrip('/')}/{name}"
        if wants.take == "first" and _is_there(reader, path, met=sighting is None):
            stands_for = find_only_import(file, home) if file is not None and wants.imports else None
            later = [f"{folder.rstrip('/')}/{each}" for each in names[index + 1 :]]
            # One that only imports a later one gives way to it.
            taken = None if stands_for in later and is_path_there(reader, stands_for or "") else path
    return loaded


def _is_there(reader: FileReader, path: str, *, met: bool) -> bool:
    """Whether it was read, now or before; `met`: it was not sighted now, perhaps because it has another name."""
    if ("context", path) in reader.kept:
        return True
    return met and bool(reader.looked) and reader.looked[-1].outcome == "duplicate"


def _load_text_file(reader: FileReader, sighting: Sighting | None) -> TextFile | None:
    """The file as it is, marked where it lies outside the repository."""
    file: TextFile | None = load_document(reader, sighting, "context", make_text_file)
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


def load_document(reader: FileReader, sighting: Sighting | None, what: str, make: Callable[[str, str], Any]) -> Any:
    """The file as `make` gives it, with a note of what came of it; None where it is missing or empty."""
    file = reader.load(sighting, what, make) if sighting else None
    if sighting is None or file is None:
        return None
    if not file.content:
        reader.note(sighting.path, what, "cleared", "it is empty")
        return None
    reader.note(sighting.path, what, "loaded")
    return file


def make_text_file(text: str, path: str) -> tuple[TextFile, tuple[Diagnostic, ...]]:
    """A project file as it is."""
    return TextFile(path, text), ()


def _note_hidden(reader: FileReader, path: str, root: str, taken: str, shadowed: list[TextFile]) -> None:
    seen = reader.look_at(path, root)
    if isinstance(seen, ReadRefusal) and seen.outcome == "absent":
        reader.note_absent(path, "context")
        return
    if isinstance(seen, ReadRefusal) and seen.outcome == "unreadable":
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
    file = reader.peek(seen, make_text_file) if isinstance(seen, Sighting) else None
    if file is not None:
        shadowed.append(file)


def is_path_there(reader: FileReader, path: str) -> bool:
    """Whether anything lies there."""
    return path_exists(reader.world, path)


# Project files beyond the walk: those on the way to a file that a tool touched, and those that a program adds.


MAX_NESTED_DEPTH = 64


def find_nested_files(
    reader: FileReader, wants: ContextFiles, cwd: str, target: str, roots: LinkRoots, home: str
) -> tuple[TextFile, ...]:
    """The project files in the folders below `cwd` that lead to `target`, outermost first, in the recipe's order."""
    path = posixpath.normpath(posixpath.join(cwd, target))
    top = cwd.rstrip("/") + "/"
    if not path.startswith(top) or "\0" in path:
        return ()
    steps = path.removeprefix(top).split("/")
    if not _is_folder(reader, path):
        steps.pop()
    walk = [top + "/".join(steps[: end + 1]) for end in range(min(len(steps), MAX_NESTED_DEPTH))]
    return find_context_files(reader, replace(wants, home=()), walk, roots, home, [])


def _is_folder(reader: FileReader, path: str) -> bool:
    try:
        entry = reader.world.look(path)
    except OSError:
        return False
    return entry is not None and entry.kind == "dir"


def find_extra_files(reader: FileReader, paths: Iterable[str]) -> tuple[TextFile, ...]:
    """The files at these absolute paths, as far as they are there and say something."""
    found: list[TextFile] = []
    for path in paths:
        folder, _, name = path.rpartition("/")
        sighting = reader.sight(folder or "/", name, folder or "/", "context")
        file: TextFile | None = load_document(reader, sighting, "context", make_text_file)
        if file is not None:
            found.append(file)
    return tuple(found)


def find_themes(reader: FileReader, paths: Iterable[str]) -> tuple[str, ...]:
    """Those of the absolute paths that are there. They are not read: a theme is no part of a prompt."""
    found: list[str] = []
    for path in paths:
        try:
            there = reader.world.look(reader.world.real(path)) is not None
        except OSError:
            there = False
        if there:
            found.append(path)
        else:
            said = "the theme is not there: it is not handed on; give the path of a file or folder that is"
            reader.diagnostics.append(warning("theme-missing", said, path))
    return tuple(found)


# AGENTS.md and TOOLS.md of the agent's data directory.


def find_workspace_files(reader: FileReader, wants: WorkspaceFiles, home: str) -> tuple[WorkspaceFile, ...]:
    """Those that are there and say something, in the recipe's order."""
    folder = f"{home.rstrip('/')}/{wants.folder}"
    found = []
    for name in wants.names:
        sighting = reader.sight(folder, name, home, "workspace")
        file: WorkspaceFile | None = load_document(reader, sighting, "workspace", _make_workspace_file)
        if file is not None:
            found.append(file)
    return tuple(found)


def _make_workspace_file(text: str, path: str) -> tuple[WorkspaceFile, tuple[Diagnostic, ...]]:
    """The file as it is written; one that holds comments alone is as good as empty."""
    said = strip_comments(text)
    return WorkspaceFile(path, text if said.text else "", name=path.rpartition("/")[2]), ()
