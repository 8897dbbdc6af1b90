"""Finds the instruction files of a recipe: those in every folder of a walk, nested and extra ones, and its own."""

import posixpath
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from msgspec.structs import replace

from ..model.diagnostic import Diagnostic, warning
from ..model.state.files import TextFile, WorkspaceFile
from ..model.state.reasons import because
from ..model.wants import ContextFiles, WorkspaceFiles
from ..text.frontmatter import strip_comments
from .duplicate_files import find_only_import, make_text_file
from .globs import list_touched_folders, matches_glob
from .paths import contains_path
from .place import Place, name_applies_in
from .reader import FileReader, ReadRefusal, Sighting


def load_document(reader: FileReader, path: str, what: str, make: Callable[[str, str], Any]) -> Any:
    """What `make` makes of the file at a path, recorded as loaded or as empty; None if it is not there to be read."""
    sighting = reader.sight(path, what)
    file = reader.load(sighting, what, make) if sighting else None
    if file is not None:
        reader.note(path, what, *(("loaded",) if file.content else ("cleared", because("empty"))))
    return file


def find_context_files(
    reader: FileReader, wants: ContextFiles, place: Place, hidden: list[TextFile]
) -> tuple[TextFile, ...]:
    """All project files, outermost first. Files that another one hides go into `hidden`."""
    search = _ContextSearch(reader, wants, place, hidden)
    files: list[TextFile] = []
    for name in wants.home:
        files += search.load([f"{place.home.rstrip('/')}/{name}"])
    for folder in place.walk:
        files += search.load([*search.list_paths(folder)])
    return tuple(files)


class _ContextSearch(NamedTuple):
    """Searches folder by folder. Every reason not to read a file is reported: it is the user's own."""

    reader: FileReader
    wants: ContextFiles
    place: Place
    hidden: list[TextFile]

    def list_paths(self, folder: str) -> Iterator[str]:
        """The paths in a folder that the names match, as far as they apply there; no name leads out of the folder."""
        reader, wants = self.reader, self.wants
        if wants.inside or wants.bounds:
            real = reader.real_or(folder)
            anywhere = not wants.inside or contains_path(reader.real_or(self.place.base), real)
            names = [n for n in wants.names if (anywhere or "/" not in n) and name_applies_in(wants.bounds, n, real)]
            wants = replace(wants, names=tuple(names))
        for path in (f"{folder.rstrip('/')}/{name}" for name in wants.placed_names):
            yield from self._list_matches(path) if "*" in posixpath.basename(path) else [path]

    def _list_matches(self, path: str) -> list[str]:
        """The files whose names match the pattern at the end of a path; without any, it is recorded as one path."""
        reader, (folder, pattern) = self.reader, posixpath.split(path)
        names: list[str] = []
        try:
            entry = reader.world.look(folder)
            if entry is not None and entry.kind in ("dir", "link"):
                if refusal := reader.check_folder(folder):
                    reader.refuse(path, "context", *refusal)
                    return []
                names = [name for name, _ in reader.world.names(folder) if name[0] != "."]
        except OSError as problem:
            reader.refuse(path, "context", "unreadable", reader.explain(folder, problem))
            return []
        named = (posixpath.join(folder, name) for name in names if matches_glob(f"/{pattern}", name))
        paths = [each for each in named if not reader.world.is_folder(each)]
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
            make = _make_outside_file if reader.is_outside(path) else make_text_file
            file: TextFile | None = load_document(reader, path, "context", make)
            # It may have been read already, under home or as a workspace file, which comes last then.
            if file is not None or any((what, path) in reader.cached_files for what in ("context", "workspace")):
                first = first or path
            if file is not None and file.content:
                yield file
                # What only imports a later file of its folder is replaced by that one.
                target = find_only_import(file, self.place.home) if wants.imports else None
                if target in paths[index + 1 :] and reader.world.exists(target or ""):
                    first = ""

    def _note_hidden(self, path: str, first: str) -> None:
        """Record a file that another one hides, and warn if that one is empty."""
        reader, result = self.reader, self.reader.look_at(path)
        if isinstance(result, ReadRefusal) and result.outcome in ("absent", "unreadable"):
            if result.outcome == "absent":
                reader.note_absent(path, "context")
            else:
                reader.refuse(path, "context", *result)
            return
        if isinstance(result, Sighting) and (same := reader.find_same_file(result, "context")):
            reader.note(path, "context", "duplicate", same)
            return
        reader.note(path, "context", "hidden", because("hidden", first))
        cached = reader.cached_files.get(("context", first))
        if cached is not None and not cached.value.content:
            message = f"skipped: {first} comes first, but is empty; delete that file or write into it"
            reader.diagnostics.append(warning("context-shadowed", message, path))
        file = reader.peek(result, make_text_file) if isinstance(result, Sighting) else None
        self.hidden.extend([file] if file is not None else [])


def _make_outside_file(text: str, path: str) -> tuple[TextFile, tuple[Diagnostic, ...]]:
    return TextFile(path, text, outside=True), ()


def find_nested_files(reader: FileReader, wants: ContextFiles, place: Place, target: str) -> tuple[TextFile, ...]:
    """The project files in the folders below `cwd` that lead to `target`, outermost first, in the recipe's order."""
    path = posixpath.normpath(posixpath.join(place.cwd, target))
    if "\0" in path:
        return ()
    # Of a folder, the files in it count too.
    entry = reader.world.find(path)
    inner = f"{path}/." if entry is not None and entry.kind == "dir" else path
    below = place._replace(walk=list_touched_folders(place.cwd, (inner,)))
    return find_context_files(reader, replace(wants, home=()), below, [])


def find_extra_files(reader: FileReader, paths: Iterable[str]) -> tuple[TextFile, ...]:
    """The files at these absolute paths that exist and have content."""
    files = []
    for path in paths:
        reader.allow_named(posixpath.dirname(path))
        files.append(load_document(reader, path, "context", make_text_file))
    return tuple(file for file in files if file is not None and file.content)


def find_workspace_files(reader: FileReader, wants: WorkspaceFiles, home: str) -> tuple[WorkspaceFile, ...]:
    """The files of the agent's data directory that exist and have content, in the recipe's order."""
    folder = f"{home.rstrip('/')}/{wants.folder}"
    files = [load_document(reader, f"{folder}/{name}", "workspace", _make_workspace_file) for name in wants.names]
    return tuple(file for file in files if file is not None and file.content)


def _make_workspace_file(text: str, path: str) -> tuple[WorkspaceFile, tuple[Diagnostic, ...]]:
    """The file as written; one with only comments counts as empty."""
    return WorkspaceFile(path, text if strip_comments(text).text else "", name=path.rpartition("/")[2]), ()
