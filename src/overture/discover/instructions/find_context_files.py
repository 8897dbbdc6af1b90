"""Finds the context files of a recipe: project files in every folder of a walk, nested ones, and extra ones."""

import posixpath
from collections.abc import Iterable, Iterator

from msgspec.structs import replace

from ...model.diagnostic import warning
from ...model.file_steps import FileStep
from ...model.state.files import TextFile
from ...model.wants import ContextFiles
from ..disk.boundary import ReadRefusal
from ..disk.explain_file_errors import explain_unusable_path
from ..disk.file_reader import FileReader
from ..disk.look_at_paths import Sighting
from ..disk.paths import contains_path, path_exists
from ..disk.search_scope import LinkRoots, SearchScope, name_applies_in
from ..disk.world import find_entry
from ..duplicate_files import find_only_import, make_text_file
from .list_step_paths import StepPath, list_named_paths, list_touched_folders
from .search_one_step import StepSearch

# Finds the project's instruction files, which `wants.context` describes: a step in every folder of a walk.

EXTRA_FILES = FileStep("", ())
"""The step of files whose paths are set explicitly."""


def find_context_files(
    reader: FileReader, wants: ContextFiles, walk: list[str], roots: LinkRoots, home: str, hidden: list[TextFile]
) -> tuple[TextFile, ...]:
    """All project files, outermost first. Files that another one hides go into `hidden`."""
    search = ContextSearch(reader, wants, SearchScope(walk, None, home), roots)
    files = tuple(search.files())
    hidden += search.hidden
    return files


class ContextSearch(StepSearch):
    """Searches folder by folder. Every reason not to read a file is reported: it is the user's own."""

    def __init__(self, reader: FileReader, wants: ContextFiles, scope: SearchScope, roots: LinkRoots) -> None:
        """Search for the context files that `wants` names, in the folders of the scope."""
        super().__init__(reader, FileStep("", wants.names, take=wants.take, dotted="none"), scope, (), [])
        self.wants, self.roots, self.placed = wants, roots, wants.placed_names
        self.hidden: list[TextFile] = []
        """Files that another one in their folder hides."""
        self.paths: list[str] = []
        """Those of the folder that is searched now."""
        self.sighting: Sighting | None = None
        """The file that is read next."""

    def files(self) -> Iterator[TextFile]:
        """The context files under home, then those of each folder."""
        home = self.scope.home
        for name in self.wants.home:
            yield from self._take([StepPath(home, name, f"{home.rstrip('/')}/{name}", home)])
        for folder in self.scope.above:
            root = self.roots.of(folder)
            candidates = [
                each for name in self._list_context_names(folder) for each in self._list_paths(folder, name, root)
            ]
            yield from self._take(candidates)

    def _take(self, candidates: list[StepPath]) -> Iterator[TextFile]:
        """Take the context files at these paths, which are of one folder."""
        self.paths = [each.path for each in candidates]
        return super()._take(candidates)

    def _list_context_names(self, folder: str) -> tuple[str, ...]:
        """The names that count in a folder, each in all its places there."""
        wants = self.wants
        if not wants.inside and not wants.bounds:
            return self.placed
        real = self.reader.real_or(folder)
        anywhere = not wants.inside or contains_path(self.roots.repository, real)
        names = [n for n in wants.names if (anywhere or "/" not in n) and name_applies_in(wants.bounds, n, real)]
        return replace(wants, names=tuple(names)).placed_names

    def _list_paths(self, folder: str, name: str, root: str) -> list[StepPath]:
        """The paths that a name matches; a name never leads out of the folder."""
        path = f"{folder.rstrip('/')}/{name}"
        if "*" not in name or "*" not in name.rpartition("/")[2]:
            return [StepPath(folder, name, path, root)]
        top, _, pattern = path.rpartition("/")
        if not self._may_list(path, top or "/", root):
            return []
        paths = list_named_paths(self.reader, top or "/", pattern, self.scope.home, any_case=False, dotted="none")
        if not paths:
            self.reader.note_absent(path, "context")
        return [StepPath(folder, name, each, root) for each in paths]

    def _may_list(self, path: str, folder: str, root: str) -> bool:
        """Whether a pattern's folder can be listed; if not, the pattern is recorded as one path."""
        try:
            entry = self.reader.world.look(folder)
            if entry is None or entry.kind not in ("dir", "link"):
                self.reader.note_absent(path, "context")
                return False
            if self.reader.real_folder(folder, root) is None:
                self.reader.refuse(path, "context", *self.reader.outside(folder, root))
                return False
            self.reader.world.names(folder)
        except OSError as problem:
            self.reader.refuse(path, "context", "unreadable", explain_unusable_path(self.reader.world, folder, problem))
            return False
        return True

    def _find_file_kind(self, candidate: StepPath) -> str:
        return "context"

    def _is_absent(self, candidate: StepPath) -> bool:
        """Whether there is nothing to read, which is recorded; hidden files are explained elsewhere."""
        if self.first_files and self._skip_reason(candidate, None, None):
            return False
        self.sighting = self.loader.sight(candidate, "context")
        if self.sighting is None and self._was_read(candidate.path):
            self.first_files[candidate.folder] = candidate.path
        return self.sighting is None

    def _was_read(self, path: str) -> bool:
        """Whether a file was read before: as one of those under home, or as a workspace file, which comes last then."""
        looks = self.reader.looked
        return ("context", path) in self.reader.cached_files or (bool(looks) and looks[-1].outcome == "duplicate")

    def _sight(self, candidate: StepPath) -> Sighting | None:
        """The context file that was looked at before."""
        return self.sighting

    def _skip_reason(self, candidate: StepPath, stopped: str | None, only: str | None) -> str | None:
        """Why a context file is skipped: an earlier one of its folder hides it."""
        hidden = self.step.take == "first" and candidate.folder in self.first_files
        return f"by {self.first_files[candidate.folder]}" if hidden else None

    def load(self, candidate: StepPath) -> Iterator[TextFile]:
        """The context file at a path. One that only imports a later one of its folder is replaced by it."""
        for file in super().load(candidate):
            target = find_only_import(file, self.scope.home) if self.wants.imports else None
            later = self.paths[self.paths.index(candidate.path) + 1 :] if target else []
            if target in later and path_exists(self.reader.world, target or ""):
                del self.first_files[candidate.folder]
            yield file

    def _note_hidden(self, candidate: StepPath, why: str) -> None:
        """Record a file that another one hides, and warn if that one is empty."""
        reader, path = self.reader, candidate.path
        result = reader.look_at(path, candidate.root)
        if isinstance(result, ReadRefusal) and result.outcome == "absent":
            reader.note_absent(path, "context")
        elif isinstance(result, ReadRefusal) and result.outcome == "unreadable":
            reader.refuse(path, "context", *result)
        elif isinstance(result, Sighting) and (same := reader.describe_same_file(result, "context")):
            reader.note(path, "context", "duplicate", same)
        else:
            reader.note(path, "context", "hidden", why)
            first = why.removeprefix("by ")
            cached = reader.cached_files.get(("context", first))
            if cached is not None and not cached.value.text:
                message = f"skipped: {first} comes first, but is empty; delete that file or write into it"
                reader.diagnostics.append(warning("context-shadowed", message, path))
            file = reader.peek(result, make_text_file) if isinstance(result, Sighting) else None
            self.hidden += [file] if file is not None else []


def find_nested_files(
    reader: FileReader, wants: ContextFiles, cwd: str, target: str, roots: LinkRoots, home: str
) -> tuple[TextFile, ...]:
    """The project files in the folders below `cwd` that lead to `target`, outermost first, in the recipe's order."""
    path = posixpath.normpath(posixpath.join(cwd, target))
    if "\0" in path:
        return ()
    entry = find_entry(reader.world, path)
    # Of a folder, the files in it count too.
    inner = f"{path}/." if entry is not None and entry.kind == "dir" else path
    return find_context_files(reader, replace(wants, home=()), [*list_touched_folders(cwd, (inner,))], roots, home, [])


def find_extra_files(reader: FileReader, paths: Iterable[str]) -> tuple[TextFile, ...]:
    """The files at these absolute paths that exist and have content."""
    search = StepSearch(reader, EXTRA_FILES, SearchScope(["/"], None, "/"), (), [])
    files: list[TextFile] = []
    for path in paths:
        folder, _, name = path.rpartition("/")
        candidate = StepPath(folder or "/", name, path, folder or "/")
        files += search.load(candidate)
    return tuple(files)
