"""Finds the context files of a recipe: project files in every folder of a walk, nested ones, and extra ones."""

import posixpath
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from ..model.diagnostic import Diagnostic, warning
from ..model.state.files import TextFile
from ..model.wants import ContextFiles
from .allowed import ReadRefusal
from .duplicate_files import find_only_import, make_text_file
from .files import explain_unusable_path
from .named_paths import list_named_paths, list_touched_folders
from .paths import contains_path
from .place import Place, name_applies_in
from .reader import FileReader, Sighting


def find_context_files(
    reader: FileReader, wants: ContextFiles, place: Place, hidden: list[TextFile]
) -> tuple[TextFile, ...]:
    """All project files, outermost first. Files that another one hides go into `hidden`."""
    search = _ContextSearch(reader, wants, place, hidden)
    return tuple(search.files(place.walk))


class _ContextSearch:
    """Searches folder by folder. Every reason not to read a file is reported: it is the user's own."""

    def __init__(self, reader: FileReader, wants: ContextFiles, place: Place, hidden: list[TextFile]) -> None:
        self.reader, self.wants, self.place, self.hidden = reader, wants, place, hidden
        self.placed = wants.placed_names

    def files(self, walk: Iterable[str]) -> Iterator[TextFile]:
        """The context files under home, then those of each folder."""
        for name in self.wants.home:
            yield from self._take([f"{self.place.home.rstrip('/')}/{name}"])
        for folder in walk:
            yield from self._take(
                [path for name in self._list_names(folder) for path in self._list_paths(folder, name)]
            )

    def _list_names(self, folder: str) -> tuple[str, ...]:
        """The names that count in a folder, each in all its places there."""
        wants = self.wants
        if not wants.inside and not wants.bounds:
            return self.placed
        real = self.reader.real_or(folder)
        anywhere = not wants.inside or contains_path(self.reader.real_or(self.place.base), real)
        names = [n for n in wants.names if (anywhere or "/" not in n) and name_applies_in(wants.bounds, n, real)]
        return replace(wants, names=tuple(names)).placed_names

    def _list_paths(self, folder: str, name: str) -> list[str]:
        """The paths that a name matches; a name never leads out of the folder."""
        path = f"{folder.rstrip('/')}/{name}"
        if "*" not in name.rpartition("/")[2]:
            return [path]
        top, _, pattern = path.rpartition("/")
        if not self._may_list(path, top or "/"):
            return []
        paths = list_named_paths(self.reader, top or "/", pattern, self.place.home, any_case=False, dotted="none")
        if not paths:
            self.reader.note_absent(path, "context")
        return paths

    def _may_list(self, path: str, folder: str) -> bool:
        """Whether a pattern's folder can be listed; if not, the pattern is recorded as one path."""
        try:
            entry = self.reader.world.look(folder)
            if entry is None or entry.kind not in ("dir", "link"):
                self.reader.note_absent(path, "context")
                return False
            if refusal := self.reader.check_folder(folder):
                self.reader.refuse(path, "context", *refusal)
                return False
            self.reader.world.names(folder)
        except OSError as problem:
            self.reader.refuse(path, "context", "unreadable", explain_unusable_path(self.reader.world, folder, problem))
            return False
        return True

    def _take(self, candidates: list[str]) -> Iterator[TextFile]:
        """The context files at these paths, which are of one folder."""
        first = ""
        for index, path in enumerate(candidates):
            if first and self.wants.take == "first":
                self._note_hidden(path, first)
                continue
            sighting = self.reader.sight_path(path, "context")
            if sighting is None:
                first = first or (path if self._was_read(path) else "")
                continue
            make = _make_outside_file if self.reader.is_outside(path) else make_text_file
            file: TextFile | None = self.reader.load(sighting, "context", make)
            if file is None:
                continue
            first = first or path
            if not file.content:
                self.reader.note(path, "context", "cleared", "it is empty")
                continue
            self.reader.note(path, "context", "loaded")
            yield file
            if self._stands_for_a_later_one(file, candidates[index + 1 :]):
                first = ""

    def _stands_for_a_later_one(self, file: TextFile, later: list[str]) -> bool:
        """Whether a file only imports a later one of its folder, and is replaced by it."""
        target = find_only_import(file, self.place.home) if self.wants.imports else None
        return target in later and self.reader.world.exists(target or "")

    def _was_read(self, path: str) -> bool:
        """Whether a file was read before: as one of those under home, or as a workspace file, which comes last then."""
        looks = self.reader.looked
        return ("context", path) in self.reader.cached_files or (bool(looks) and looks[-1].outcome == "duplicate")

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
            self.hidden += [file] if file is not None else []


def _make_outside_file(text: str, path: str) -> tuple[TextFile, tuple[Diagnostic, ...]]:
    """A file outside the repository."""
    return TextFile(path, text, outside=True), ()


def find_nested_files(reader: FileReader, wants: ContextFiles, place: Place, target: str) -> tuple[TextFile, ...]:
    """The project files in the folders below `cwd` that lead to `target`, outermost first, in the recipe's order."""
    path = posixpath.normpath(posixpath.join(place.cwd, target))
    if "\0" in path:
        return ()
    entry = reader.world.find(path)
    # Of a folder, the files in it count too.
    inner = f"{path}/." if entry is not None and entry.kind == "dir" else path
    below = place._replace(walk=[*list_touched_folders(place.cwd, (inner,))])
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
