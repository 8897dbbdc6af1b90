"""Trees of files, and worlds that have them in the place of a folder: of a commit, an archive or a plain folder."""

import errno
import os
import posixpath
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any, NamedTuple

from ...model.state.agent_and_runtime import Git
from ..disk.open_file import ElsewhereError, read_limited
from ..disk.paths import contains_path, follow_links
from ..disk.real_world import CommandWorld, read_real
from ..disk.world import (
    FOLDER,
    MAX_FILE_BYTES,
    TOP,
    EntryKind,
    FileEntry,
    NeutralMachine,
    World,
    make_missing_error,
)


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


class TreeFiles:
    """The files of a tree in place of the folder `root`, which is a real path; `outside` answers for all else."""

    def __init__(self, root: str, tree: Tree, outside: World) -> None:
        self.root, self.tree, self.outside = root, tree, outside
        self.start = f"{root.rstrip('/')}/"
        self.missing: dict[str, str] = {}
        """Paths whose content was looked for and is not here, each with the reason."""
        self.submodules: set[str] = set()
        """Submodules in which something was looked for: a tree holds their place and nothing else."""

    def look(self, path: str) -> FileEntry | None:
        """The entry at a path of the tree, or outside it; None if there is none. A link is not followed."""
        try:
            real = self._follow_links(path, last=False)
        except (FileNotFoundError, NotADirectoryError):
            return None
        if not self._is_inside(real):
            return self.outside.look(real)
        node = self._find_node(real)
        return None if node is None else FileEntry(node.kind, (-1, hash(real)), (int(node.hash[:15], 16),))

    def real(self, path: str) -> str:
        """The path with all links followed, those of the tree and those outside."""
        real = self._follow_links(path, last=True)
        if not self._is_inside(real):
            return self.outside.real(real)
        if self._find_node(real) is None:
            raise make_missing_error(path)
        return real

    def target(self, path: str) -> str:
        """The target of a link of the tree, as written."""
        target = self._find_target(self._follow_links(path, last=False))
        if target is None:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), path)
        return target

    def names(self, path: str) -> list[tuple[str, EntryKind]]:
        """The entries of a directory of the tree, sorted by name."""
        real = self.real(path)
        if not self._is_inside(real):
            return self.outside.names(real)
        node = self._find_node(real)
        if node is None or node.kind != "dir":
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
        return sorted((name, each.kind) for name, each in self._list_folder(real[len(self.start) :]).items())

    def read(self, path: str) -> bytes:
        """The content of a regular file of the tree."""
        return self.read_most(path, MAX_FILE_BYTES)

    def read_most(self, path: str, max_bytes: int) -> bytes:
        """The same for a file outside the tree that may be larger or smaller."""
        real = self.real(path)
        if not self._is_inside(real):
            return read_limited(self.outside, real, max_bytes)
        node = self._find_node(real)
        if node is None or node.kind != "file":
            raise OSError("it is not a regular file")
        return self._read_node(real, node)

    def read_input(self, path: str) -> bytes:
        """A file of the tree, or the content of a path outside the repository."""
        try:
            inside = self._is_inside(self._follow_links(path, last=True))
        except OSError:
            inside = False
        return self.read(path) if inside else self.outside.read_input(path)

    def _is_inside(self, real: str) -> bool:
        """Whether a real path belongs to the tree. `.git` itself stays on disk."""
        return contains_path(self.root, real) and not contains_path(f"{self.start}.git", real)

    def _find_node(self, real: str) -> TreeNode | None:
        """The node at a real path in the tree."""
        if real == self.root:
            return TreeNode("dir", "0")
        folder, _, name = real[len(self.start) :].rpartition("/")
        return self._list_folder(folder).get(name)

    def _list_folder(self, folder: str) -> Mapping[str, TreeNode]:
        """The entries of a folder, by its path from the top; none if it is a submodule or is not there."""
        if folder in self.tree.folders:
            return self.tree.folders[folder]
        self.submodules.update(f"{self.start}{each}" for each in self.tree.submodules if contains_path(each, folder))
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

    def _follow_links(self, path: str, *, last: bool) -> str:
        """A path with the links of its folders followed; with `last`, also the link at its end."""
        if not path.startswith("/"):
            path = f"{self.outside.cwd()}/{path}"
        folder, _, name = path.rpartition("/")
        if f"{folder}/".startswith(self.start) and name not in ("", ".", ".."):
            nodes = self.tree.folders.get(folder[len(self.start) :])
            # The path of a listed folder is real: only its last step can be a link.
            if nodes is not None and (not last or (name in nodes and nodes[name].kind != "link")):
                return path
        return follow_links(path, self._find_target, last=last)

    def _find_target(self, path: str) -> str | None:
        """The target of a link; None if it is no link. The folders of `path` are real."""
        inside = self._is_inside(path)
        entry = self._find_node(path) if inside else self.outside.look(path)
        if entry is None:
            raise make_missing_error(path)
        if entry.kind != "link":
            return None
        return os.fsdecode(self._read_node(path, entry)) if isinstance(entry, TreeNode) else self.outside.target(path)


# For comparing revisions: the repository at one commit or as it is, on the machine at one moment.


class RepositoryWorld:
    """A world without anything outside the folder `root`, a real path. The folders above it are empty."""

    def __init__(self, world: World, root: str) -> None:
        self.world, self.root = world, root

    def __getattr__(self, name: str) -> Any:
        """Clock, host and where paths lead are as in the world; what reads files is not taken from it."""
        if name.startswith("read"):
            raise AttributeError(name)
        return getattr(self.world, name)

    def look(self, path: str) -> FileEntry | None:
        """The entry in the repository, or None. A link is not followed."""
        folder, name = posixpath.split(path)
        try:
            real = posixpath.join(self.world.real(folder or "/"), name)
        except (FileNotFoundError, NotADirectoryError):
            return None
        is_above = contains_path(real.rstrip("/") or "/", self.root)
        return self.world.look(path) if is_above or contains_path(self.root, real) else None

    def hides(self, path: str) -> bool:
        """Whether a path is outside the repository: what names it is told, and nothing is looked at there."""
        return not contains_path(self.root, posixpath.normpath(path))

    def names(self, path: str) -> list[tuple[str, EntryKind]]:
        """The entries of a directory of the repository."""
        real = self.world.real(path)
        if contains_path(self.root, real):
            return self.world.names(path)
        if contains_path(real, self.root):
            return [(self.root[len(real.rstrip("/")) + 1 :].partition("/")[0], "dir")]
        raise make_missing_error(path)

    def read(self, path: str) -> bytes:
        """The content of a file of the repository."""
        return self.read_most(path, MAX_FILE_BYTES)

    def read_most(self, path: str, max_bytes: int) -> bytes:
        """The same for a file that may be larger or smaller."""
        real = self.world.real(path)
        if self.hides(real):
            raise make_missing_error(path)
        return read_real(self.world, real, max_bytes)

    read_input = read


class SteadyWorld(CommandWorld):
    """The machine at one moment, so that the sides of a comparison differ in their files alone."""

    def __init__(self, root: str) -> None:
        """`root` is the repository, outside which nothing is discovered."""
        self.discovered = RepositoryWorld(self, root)
        self._now: datetime | None = None

    def now(self) -> datetime:
        """The time of the first call."""
        self._now = self._now or super().now()
        return self._now


class TreeWorld(TreeFiles, CommandWorld):
    """The tree of a commit in place of the repository. Outside it, only the user's own settings are read."""

    def __init__(self, steady: SteadyWorld, root: str, tree: Tree) -> None:
        super().__init__(root, tree, CommandWorld())
        self.steady = steady
        self.discovered = RepositoryWorld(self, root)

    def now(self) -> datetime:
        """The time, the same for all sides of a comparison."""
        return self.steady.now()

    def git(self, folder: str, top: str | None, known: Git | None) -> Git | None:
        """Nothing: branch and status are those of the working tree, and no part of a revision."""
        return None


# For an audit: a tree on a machine that is the same for everybody.


class EmptyMachine(NeutralMachine):
    """A machine without files: the folder of a project, which is a repository, and nothing in it."""

    def look(self, path: str) -> FileEntry | None:
        """The folders that lead to the project, and its `.git`."""
        return FOLDER if path in ("/", TOP, f"{TOP}/.git") else None

    def real(self, path: str) -> str:
        """The path itself: nothing is a link."""
        if self.look(path) is None:
            raise make_missing_error(path)
        return path

    def names(self, path: str) -> list[tuple[str, EntryKind]]:
        """The entries of a folder."""
        return [(TOP[1:], "dir")] if self.real(path) == "/" else []

    def read(self, path: str) -> bytes:
        """Nothing is there to be read."""
        raise make_missing_error(path)

    target, read_input = real, read


class SnapshotWorld(TreeFiles, NeutralMachine):
    """The files of a tree at `/project`, and nothing else."""

    def __init__(self, tree: Tree) -> None:
        super().__init__(TOP, tree, EmptyMachine())
