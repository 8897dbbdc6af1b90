"""The files of a tree, such as a commit's, in place of a folder."""

import os
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import NamedTuple

from .files import (
    MAX_FILE_BYTES,
    DiskFiles,
    ElsewhereError,
    Entries,
    EntryKind,
    FileEntry,
    Files,
    VirtualFiles,
    make_missing_error,
)
from .paths import contains_path
from .world import RealMachine, World

FOLDER = FileEntry("dir", (0, 0), (0,))


class MissingObjectError(ElsewhereError):
    """A file or folder of a tree whose content is not here."""


class TreeNode(NamedTuple):
    """The file, folder, link or submodule at a path of a tree."""

    kind: EntryKind
    hash: str
    """What its content is read by, a hexadecimal number."""
    submodule: bool = False


class Tree(NamedTuple):
    """Everything in a tree, and how its files are read."""

    folders: Mapping[str, Mapping[str, TreeNode]]
    """The entries of each folder by its real path from the top, which is empty for the top itself."""
    read: Callable[[str], bytes]
    """The content of a file, or the target of a link, by its hash."""
    submodules: tuple[str, ...] = ()
    unreadable: Mapping[str, str] = {}
    """Folders that can't be read, each with the reason."""


class TreeFiles(VirtualFiles):
    """The files of a tree in place of the folder `root`, a real path; `.git` and all else are those of `outside`."""

    def __init__(self, root: str, tree: Tree, outside: Files | None = None) -> None:
        """Without `outside`, there is nothing else, and the folder counts as a repository."""
        super().__init__()
        self.root, self.tree, self.outside = root, tree, outside
        self.start = f"{root.rstrip('/')}/"
        self.missing: dict[str, str] = {}
        """Paths whose content was looked for and is not here, each with the reason."""
        self.empty_submodules: set[str] = set()
        """Submodules in which something was looked for: a tree holds their place and nothing else."""

    def at(self, real: str) -> FileEntry | None:
        """The entry of the tree, or outside it."""
        if not self._holds(real):
            if self.outside is not None:
                return self.outside.look(real)
            return FOLDER if contains_path(real, self.root) or real == f"{self.start}.git" else None
        node = self._find_node(real)
        return None if node is None else FileEntry(node.kind, (-1, hash(real)), (int(node.hash[:15], 16),))

    def list(self, real: str) -> Entries:
        """The entries of a folder of the tree, or outside it."""
        if self._holds(real):
            return [(name, each.kind) for name, each in self._list_folder(real[len(self.start) :]).items()]
        if self.outside is not None:
            return self.outside.names(real)
        return [(self.start[len(real.rstrip("/")) + 1 :].partition("/")[0], "dir")] if real != self.start[:-1] else []

    def content(self, real: str, max_bytes: int = MAX_FILE_BYTES) -> bytes:
        """The content of a file of the tree, or outside it."""
        node = self._find_node(real) if self._holds(real) else None
        if node is not None:
            return self._read_node(real, node)
        if self.outside is None:
            raise make_missing_error(real)
        return self.outside.read(real, max_bytes, is_real=True)

    def leads(self, real: str) -> str:
        """The target of a link of the tree, or outside it."""
        node = self._find_node(real) if self._holds(real) else None
        if node is not None:
            return os.fsdecode(self._read_node(real, node))
        if self.outside is None:
            raise make_missing_error(real)
        return self.outside.target(real)

    def _holds(self, real: str) -> bool:
        """Whether a real path belongs to the tree. `.git` itself does not."""
        return contains_path(self.root, real) and not contains_path(f"{self.start}.git", real)

    def _find_node(self, real: str) -> TreeNode | None:
        if real == self.root:
            return TreeNode("dir", "0")
        folder, _, name = real[len(self.start) :].rpartition("/")
        return self._list_folder(folder).get(name)

    def _list_folder(self, folder: str) -> Mapping[str, TreeNode]:
        """The entries of a folder, by its path from the top; none if it is a submodule or is not there."""
        if folder in self.tree.folders:
            return self.tree.folders[folder]
        self.empty_submodules.update(
            f"{self.start}{each}" for each in self.tree.submodules if contains_path(each, folder)
        )
        for each, reason in self.tree.unreadable.items():
            if contains_path(each, folder):
                self.missing[f"{self.start}{each}"] = reason
                raise MissingObjectError(reason)
        return {}

    def _read_node(self, real: str, node: TreeNode) -> bytes:
        try:
            return self.tree.read(node.hash)
        except MissingObjectError as problem:
            self.missing[real] = str(problem)
            raise


def make_revision_world(root: str, tree: Tree | None, moment: datetime) -> World:
    """The repository at `root` as it is, or with a commit's tree; two of one moment differ in their files alone.

    Outside the repository, only the user's own settings are read.
    """
    files = DiskFiles() if tree is None else TreeFiles(root, tree, DiskFiles())
    return World(files, RealMachine(moment, runs_git=tree is None), within=root)
