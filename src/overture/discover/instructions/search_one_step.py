"""Searches for the files of one step of an agent's recipe, and records why it skips the others."""

import posixpath
from collections.abc import Iterator
from functools import cached_property

from ...known_agents.quirks import apply_quirk
from ...model.file_steps import FileStep
from ...model.state.files import TextFile
from ..disk.file_reader import FileReader
from ..disk.look_at_paths import Sighting
from ..disk.paths import is_folder, path_exists
from ..disk.search_scope import SearchScope
from ..disk.world import find_entry
from .list_step_paths import (
    StepPath,
    list_files_within,
    list_named_paths,
    list_step_folders,
    list_step_walk,
    refuse_hidden_name,
    split_pattern,
)
from .load_step_file import StepLoader
from .path_patterns import matches_glob

ANNOUNCED_KINDS = (":waiting", ":model")
"""Kinds of files: the agent gets their path and not their content."""


class StepSearch:
    """Searches for the files of one step. Lives for one call."""

    def __init__(
        self, reader: FileReader, step: FileStep, scope: SearchScope, exclude: tuple[str, ...], before: list[TextFile]
    ) -> None:
        """Search for one step's files; `before` are the files of earlier steps."""
        self.reader, self.step, self.scope, self.exclude = reader, step, scope, exclude
        self.loader = StepLoader(reader, step, scope)
        self.folder = ""
        """The folder of the latest file."""
        self.names: set[str] = set()
        self.first_files: dict[str, str] = {}
        """A folder -> the file in it that came first."""
        self.last: dict[str, str] = {}
        self.texts = {file.content for file in before if _is_loaded(file)}

    def files(self) -> Iterator[TextFile]:
        """The files of the searched step that count at once."""
        by_path: dict[str, StepPath] = {}
        for candidate in (*self._list_own_paths(), *self._find_borrowed_paths()):
            by_path.setdefault(candidate.path, candidate)  # a name under home is the same in every folder
        candidates = [*by_path.values()]
        if self.step.same_name == "last":
            existing = [each for each in candidates if path_exists(self.reader.world, each.path)]
            self.last = {self._find_called_name(each): each.path for each in existing}
        if self.step.order == "name" and self.step.listing is None:
            candidates.sort(key=lambda each: (self._find_called_name(each).casefold(), each.path))
        elif self.step.order == "file":
            ranks = {folder: rank for rank, folder in enumerate(self._list_folders())}
            last = len(ranks)  # the folder of the checkout, from which a worktree borrows
            candidates.sort(key=lambda each: (ranks.get(each.folder, last), posixpath.basename(each.path).casefold()))
        elif self.step.order == "path":
            candidates.sort(key=lambda each: each.path)
        yield from self._take(candidates)

    def _take(self, candidates: list[StepPath]) -> Iterator[TextFile]:
        """The files at these paths that count at once; of the others the search records why it skips them."""
        stopped = self._find_stopping_file() if self.step.unless else None
        only = self._find_used_name(candidates) if self.step.take == "name" else None
        self.first_files = {}
        for candidate in candidates:
            if self._is_absent(candidate):
                continue
            why = self._skip_reason(candidate, stopped, only)
            if why is None:
                self.folder = candidate.folder
                yield from self.load(candidate)
            else:
                self._note_hidden(candidate, why)

    def _is_absent(self, candidate: StepPath) -> bool:
        """Whether the path has nothing that the step looks for. Records that."""
        absent = not path_exists(self.reader.world, candidate.path) or self._holds_others(candidate)
        if absent:
            self._note_missing(candidate)
        return absent

    def _note_hidden(self, candidate: StepPath, why: str) -> None:
        self.reader.note(candidate.path, self._find_file_kind(candidate), "hidden", why, self.step.step)

    def _note_missing(self, candidate: StepPath) -> None:
        """Record a missing path; one outside the repository of a revision is named, and not looked at."""
        refusal = refuse_hidden_name(self.reader, candidate.folder, candidate.name, candidate.path)
        if refusal is not None:
            self.reader.refuse(candidate.path, self._find_file_kind(candidate), *refusal)
        else:
            self.reader.note_absent(candidate.path, self._find_file_kind(candidate))

    def _holds_others(self, candidate: StepPath) -> bool:
        """Whether it is a folder in which the step looks for other names."""
        inner = f"{candidate.name}/"
        return any(name.startswith(inner) for name in self.step.names) and is_folder(self.reader.world, candidate.path)

    def _find_file_kind(self, candidate: StepPath) -> str:
        return candidate.what if self.step.kind == "instructions" else self.step.kind

    def _find_called_name(self, candidate: StepPath) -> str:
        return self.step.called.get(candidate.name) or posixpath.splitext(posixpath.basename(candidate.path))[0]

    def _list_folders(self) -> list[str]:
        """The folders that the step is searched in: those under home, or wherever they were moved to, come first."""
        home = [posixpath.normpath(posixpath.join(self.scope.home, path)) for path in self.step.at_home]
        return [*home, *list_step_folders(self.step, self.scope)]

    def _find_borrowed_paths(self) -> list[StepPath]:
        """What of the checkout counts in its worktree."""
        worktree, top, every = self.scope.worktree, self.scope.root, self.step.borrows == "always"
        if self.step.borrows == "never" or worktree is None or top is None or not worktree.lends:
            return []
        names = [name for name in self.step.names if not name.startswith(("~", "/"))]
        tops = {name: split_pattern(top, name, self.scope.home)[0] for name in names}
        shared_names = [name for name in names if every or not is_folder(self.reader.world, tops[name])]
        return [candidate for name in shared_names for candidate in self._search_folder(worktree.owner, name)]

    def _list_own_paths(self) -> list[StepPath]:
        """Search name by name, each in all folders of the step; or folder by folder, in each for all names."""
        folders = self._list_folders()
        names = apply_quirk(self.step.quirks, "order_names", self.step.names)
        pairs = [(folder, name) for folder in folders for name in names]
        if self.step.by == "name":
            pairs = [(folder, name) for name in self.step.names for folder in folders]
        return [candidate for pair in pairs for candidate in self._search_folder(*pair)]

    def _search_folder(self, folder: str, name: str) -> list[StepPath]:
        """Search a folder for one of the step's names; with a quirk, a name means all files within."""
        if apply_quirk(self.step.quirks, "take_folders", False):
            name = name.removesuffix("/**/*").rstrip("/")
            if paths := list_files_within(self.reader, folder, name, self.scope.home):
                return [StepPath(folder, f"{name}/**/*", path) for path in paths]
        return self._list_exact_paths(folder, name, any_case=self.step.case == "any")

    def _list_exact_paths(self, folder: str, name: str, *, any_case: bool = False) -> list[StepPath]:
        paths = list_named_paths(self.reader, folder, name, self.scope.home, any_case=any_case, dotted=self.step.dotted)
        return [StepPath(folder, name, path) for path in paths]

    def _is_excluded_name(self, candidate: StepPath) -> bool:
        """Whether the step excludes a name that its `*` matches."""
        name = posixpath.basename(candidate.path).lower()
        return "*" in candidate.name and any(matches_glob(pattern.lower(), name) for pattern in self.step.but_not)

    def _skip_reason(self, candidate: StepPath, stopped: str | None, only: str | None) -> str | None:
        """Why the search of this step skips an existing file; None if it is loaded."""
        step = self.step
        if not self._counts_in_outer(candidate):
            return f"it belongs to {self._find_owner()}, the checkout of this worktree"
        if stopped is not None:
            return f"by {stopped}: where that exists, {' and '.join(step.names)} are not read"
        if self._is_excluded_name(candidate):
            return "the agent excludes this name"
        if only is not None and candidate.name != only:
            return f"by {only}: where that exists, no {candidate.name} is read anywhere"
        if step.take in ("first", "full") and candidate.folder in self.first_files:
            return f"by {self.first_files[candidate.folder]}, which comes first in its folder"
        if candidate.path == self._copied:
            self.first_files.setdefault(candidate.folder, candidate.path)
            return f"the worktree has its own {candidate.name}; this one belongs to its checkout, {self._find_owner()}"
        if step.same_name == "first" and self._find_called_name(candidate) in self.names:
            return "a file of the same name comes first"
        if step.same_name == "last" and self.last.get(self._find_called_name(candidate)) != candidate.path:
            return f"by {self.last.get(self._find_called_name(candidate))}, which has the same name and comes later"
        if any(matches_glob(f"/{pattern.lstrip('/')}", candidate.path.lstrip("/")) for pattern in self.exclude):
            return "excluded by a setting of the agent"
        return None

    def _sight(self, candidate: StepPath) -> Sighting | None:
        return self.loader.sight(candidate, self._find_file_kind(candidate))

    def load(self, candidate: StepPath) -> Iterator[TextFile]:
        """The step's file and its imports; one with the text of another may count once."""
        called = self.step.called.get(candidate.name, "")
        folder, kind = candidate.folder, self._find_file_kind(candidate)
        if self.step.listing:
            folder, _ = split_pattern(folder, candidate.name, self.scope.home)
        sighting = self._sight(candidate)
        loaded = self.loader.load(sighting, candidate, kind, folder, called) if sighting else None
        if loaded is None:
            is_duplicate = bool(self.reader.looked) and self.reader.looked[-1].outcome == "duplicate"
            if is_duplicate or (self.step.step and candidate.path in self.reader.elsewhere):
                self.first_files.setdefault(candidate.folder, candidate.path)  # it still comes first
            return
        files, has_content = loaded
        if has_content or self.step.take != "full":
            self.first_files.setdefault(candidate.folder, candidate.path)
            self.names.add(self._find_called_name(candidate))
        for index, file in enumerate(files):
            if self.step.same_text == "first" and file.content in self.texts:
                self.reader.note(file.path, kind, "duplicate", "the same text is already loaded", self.step.step)
                continue
            if _is_loaded(file):
                self.texts.add(file.content)
                if not index and file.content:
                    self.reader.note(candidate.path, kind, "loaded", "", self.step.step)
            yield file

    def _find_owner(self) -> str:
        return self.scope.worktree.owner if self.scope.worktree else ""

    def _counts_in_outer(self, candidate: StepPath) -> bool:
        """Whether the step takes such a name in the folders of the checkout that contains a worktree."""
        outer = self.scope.worktree.around if self.scope.worktree else ()
        return isinstance(self.step.around, str) or candidate.folder not in outer or candidate.name in self.step.around

    @cached_property
    def _copied(self) -> str | None:
        """The checkout's file that the worktree has too, if only other names count."""
        worktree, top = self.scope.worktree, self.scope.root
        if self.step.around != "others" or not worktree or worktree.is_bare or not worktree.around or top is None:
            return None
        name = next((name for name in self.step.names if self._leads_somewhere(f"{top}/{name}")), None)
        return f"{worktree.around[0]}/{name}" if name else None

    def _leads_somewhere(self, path: str) -> bool:
        """Whether a path exists, with links followed: an agent's check for existence follows them."""
        return find_entry(self.reader.world, path, follow=True) is not None

    def _find_used_name(self, candidates: list[StepPath]) -> str | None:
        there = {candidate.name for candidate in candidates if self._leads_somewhere(candidate.path)}
        return next((name for name in self.step.names if name in there), None)

    def _find_stopping_file(self) -> str | None:
        """The file that disables the step."""
        empty = apply_quirk(self.step.quirks, "stop_for_empty_file", False)
        pairs = [(folder, name) for folder in list_step_walk(self.step, self.scope) for name in self.step.unless]
        for candidate in (each for pair in pairs for each in self._list_exact_paths(*pair)):
            there = path_exists(self.reader.world, candidate.path) and not self._is_excluded_name(candidate)
            there = there and self._counts_in_outer(candidate)
            if there and (empty or self.loader.has_text(candidate.path)):
                return candidate.path
        return None


def _is_loaded(file: TextFile) -> bool:
    """Whether an agent gets the file's content, and not only its path."""
    return not (file.kind or "").endswith(ANNOUNCED_KINDS)
