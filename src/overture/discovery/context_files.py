"""Finds the context files of a recipe: project files in every folder of a walk, nested ones, and extra ones."""

import posixpath
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from ..model.diagnostic import Diagnostic, warning
from ..model.state.files import TextFile
from ..model.wants import ContextFiles
from .allowed import ReadRefusal
from .duplicate_files import find_only_import, make_text_file
from .files import explain_unusable_path
from .globs import list_named_paths, list_touched_folders
from .paths import contains_path
from .place import Place, name_applies_in
from .reader import FileReader, Sighting


def find_context_files(
    reader: FileReader, wants: ContextFiles, place: Place, hidden: list[TextFile]
) -> tuple[TextFile, ...]:
    """All project files, outermost first. Files that another one hides go into `hidden`."""
    search = _ContextSearch(reader, wants, place, hidden)
    files: list[TextFile] = []
    for name in wants.home:
        files += search.load([f"{place.home.rstrip('/')}/{name}"])
    for folder in place.walk:
        files += search.load(search.list_paths(folder))
    return tuple(files)


class _ContextSearch(NamedTuple):
    """Searches folder by folder. Every reason not to read a file is reported: it is the user's own."""

    reader: FileReader
    wants: ContextFiles
    place: Place
    hidden: list[TextFile]

    def list_paths(self, folder: str) -> list[str]:
        """The paths in a folder that the names match, as far as they apply there; no name leads out of the folder."""
        reader, wants = self.reader, self.wants
        if wants.inside or wants.bounds:
            real = reader.real_or(folder)
            anywhere = not wants.inside or contains_path(reader.real_or(self.place.base), real)
            names = [n for n in wants.names if (anywhere or "/" not in n) and name_applies_in(wants.bounds, n, real)]
            wants = replace(wants, names=tuple(names))
        paths: list[str] = []
        for name in wants.placed_names:
            path = f"{folder.rstrip('/')}/{name}"
            top, _, pattern = path.rpartition("/")
            paths += self._list_matches(path, top or "/", pattern) if "*" in pattern else [path]
        return paths

    def _list_matches(self, path: str, folder: str, pattern: str) -> list[str]:
        """The paths that a pattern matches; if there is none, the pattern is recorded as one path."""
        reader = self.reader
        try:
            entry = reader.world.look(folder)
            is_folder = entry is not None and entry.kind in ("dir", "link")
            if is_folder and (refusal := reader.check_folder(folder)):
                reader.refuse(path, "context", *refusal)
                return []
            if is_folder:
                reader.world.names(folder)  # of one that can't be listed, the reason is reported
        except OSError as problem:
            reader.refuse(path, "context", "unreadable", explain_unusable_path(reader.world, folder, problem))
            return []
        home = self.place.home
        paths = list_named_paths(reader, folder, pattern, home, any_case=False, dotted="none") if is_folder else []
        if not paths:
            reader.note_absent(path, "context")
        return paths

    def load(self, paths: Sequence[str]) -> Iterator[TextFile]:
        """The context files at these paths, which are of one folder."""
        reader, wants, first = self.reader, self.wants, ""
        for index, path in enumerate(paths):
            if first and wants.take == "first":
                self._note_hidden(path, first)
                continue
            sighting = reader.sight_path(path, "context")
            if sighting is None:
                # It was read already, as one of those under home, or as a workspace file, which comes last then.
                is_read = any((what, path) in reader.cached_files for what in ("context", "workspace"))
                first = first or (path if is_read else "")
                continue
            make = _make_outside_file if reader.is_outside(path) else make_text_file
            file: TextFile | None = reader.load(sighting, "context", make)
            if file is None:
                continue
            first = first or path
            if not file.content:
                reader.note(path, "context", "cleared", "it is empty")
                continue
            reader.note(path, "context", "loaded")
            yield file
            # What only imports a later file of its folder is replaced by that one.
            target = find_only_import(file, self.place.home) if wants.imports else None
            if target in paths[index + 1 :] and reader.world.exists(target or ""):
                first = ""

    def _note_hidden(self, path: str, first: str) -> None:
        """Record a file that another one hides, and warn if that one is empty."""
        reader = self.reader
        result = reader.look_at(path)
        if isinstance(result, ReadRefusal) and result.outcome == "absent":
            reader.note_absent(path, "context")
        elif isinstance(result, ReadRefusal) and result.outcome == "unreadable":
            reader.refuse(path, "context", *result)
        elif isinstance(result, Sighting) and (same := reader.describe_same_file(result, "context")):
            reader.note(path, "context", "duplicate", same)
        else:
            reader.note(path, "context", "hidden", f"by {first}")
            cached = reader.cached_files.get(("context", first))
            if cached is not None and not cached.value.content:
                message = f"skipped: {first} comes first, but is empty; delete that file or write into it"
                reader.diagnostics.append(warning("context-shadowed", message, path))
            file = reader.peek(result, make_text_file) if isinstance(result, Sighting) else None
            if file is not None:
                self.hidden.append(file)


def _make_outside_file(text: str, path: str) -> tuple[TextFile, tuple[Diagnostic, ...]]:
    return TextFile(path, text, outside=True), ()


def find_nested_files(reader: FileReader, wants: ContextFiles, place: Place, target: str) -> tuple[TextFile, ...]:
    """The project files in the folders below `cwd` that lead to `target`, outermost first, in the recipe's order."""
    path = posixpath.normpath(posixpath.join(place.cwd, target))
    if "\0" in path:
        return ()
    entry = reader.world.find(path)
    # Of a folder, the files in it count too.
    inner = f"{path}/." if entry is not None and entry.kind == "dir" else path
    below = place._replace(walk=list_touched_folders(place.cwd, (inner,)))
    return find_context_files(reader, replace(wants, home=()), below, [])


def find_extra_files(reader: FileReader, paths: Iterable[str]) -> tuple[TextFile, ...]:
    """The files at these absolute paths that exist and have content."""
    files: list[TextFile] = []
    for path in paths:
        reader.allow_named(posixpath.dirname(path))
        sighting = reader.sight_path(path, "context")
        file: TextFile | None = reader.load(sighting, "context", make_text_file) if sighting else None
        if file is not None:
            reader.note(path, "context", "loaded" if file.content else "cleared", "" if file.content else "it is empty")
            files += [file] if file.content else []
    return tuple(files)
