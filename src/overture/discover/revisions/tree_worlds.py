"""Worlds whose files are those of a tree: a commit, a folder or an archive in the place of a folder."""

import errno
import os
import posixpath
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any, Protocol

from ...model.state.agent_and_runtime import Git
from ..disk.open_file import read_limited
from ..disk.paths import contains_path, follow_links
from ..disk.real_world import CommandWorld, read_real
from ..disk.world import MAX_FILE_BYTES, EntryKind, FileEntry, World, make_missing_error
from .git_objects import MissingObjectError, TreeNode


class TreeObjects(Protocol):
    """The source of a tree, by the names of its nodes: git objects, a folder, an archive."""

    def tree(self, name: str) -> dict[str, TreeNode]:
        """The entries of a folder."""

    def read(self, name: str) -> bytes:
        """The content of a file, or the target of a link."""


class TreeFiles:
    """The files of a tree in place of the folder `root`, which is a real path; `outside` answers for all else."""

    def __init__(self, root: str, tree: str, objects: TreeObjects, outside: World) -> None:
        """The files of a tree in the place of `root`; other paths are those of the world outside."""
        self.root, self.objects, self.outside = root, objects, outside
        self.nodes: dict[str, TreeNode | None] = {root: TreeNode("dir", tree)}
        self.links: dict[str, str | None] = {}
        self.missing: dict[str, str] = {}
        """Paths that this clone lacks the content of, each with the reason."""
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
        node = self._find_tree_node(real)
        return None if node is None else self.make_entry(real, node)

    def make_entry(self, real: str, node: TreeNode) -> FileEntry:
        """A node of the tree as a file entry."""
        return FileEntry(node.kind, (-1, hash(real)), (int(node.hash[:15], 16),))

    def real(self, path: str) -> str:
        """The path with all links followed, those of the tree and those outside."""
        real = self._follow_links(path, last=True)
        if self._is_inside(real) and self._find_tree_node(real) is None:
            raise make_missing_error(path)
        return real if self._is_inside(real) else self.outside.real(real)

    def target(self, path: str) -> str:
        """The target of a link of the tree, as written."""
        target = self._find_link_target(self._follow_links(path, last=False))
        if target is None:
            raise OSError(errno.EINVAL, "Invalid argument", path)
        return target

    def names(self, path: str) -> list[tuple[str, EntryKind]]:
        """The entries of a directory of the tree, sorted by name."""
        real = self.real(path)
        if not self._is_inside(real):
            return self.outside.names(real)
        node = self._find_tree_node(real)
        if node is None or node.kind != "dir":
            raise NotADirectoryError(errno.ENOTDIR, "Not a directory", path)
        return sorted((name, node.kind) for name, node in self._read_tree_folder(real, node).items())

    def read(self, path: str) -> bytes:
        """The content of a regular file of the tree."""
        real = self.real(path)
        if not self._is_inside(real):
            return self.outside.read(real)
        node = self._find_tree_node(real)
        if node is None or node.kind != "file":
            raise OSError("it is not a regular file")
        with self._record_missing_objects(real):
            return self.objects.read(node.hash)

    def read_most(self, path: str, max_bytes: int) -> bytes:
        """The same for a file outside the tree that may be larger or smaller."""
        real = self.real(path)
        return self.read(real) if self._is_inside(real) else read_limited(self.outside, real, max_bytes)

    def read_input(self, path: str) -> bytes:
        """A file of the tree, or the content of a path outside the repository."""
        try:
            inside = self._is_inside(self._follow_links(path, last=True))
        except OSError:
            inside = False
        return self.read(path) if inside else self.outside.read_input(path)

    def _is_inside(self, path: str) -> bool:
        """Whether a real path belongs to the tree. `.git` itself stays on disk."""
        return contains_path(self.root, path) and not contains_path(f"{self.root.rstrip('/')}/.git", path)

    def _find_tree_node(self, path: str) -> TreeNode | None:
        """The node of the tree at a real path."""
        if path not in self.nodes:
            folder, _, name = path.rpartition("/")
            above = self._find_tree_node(folder or "/")
            below = self._read_tree_folder(folder or "/", above) if above and above.kind == "dir" else {}
            self.nodes[path] = below.get(name)
        return self.nodes[path]

    def _read_tree_folder(self, path: str, node: TreeNode) -> dict[str, TreeNode]:
        if node.submodule:
            self.submodules.add(path)
            return {}
        with self._record_missing_objects(path):
            return self.objects.tree(node.hash)

    @contextmanager
    def _record_missing_objects(self, path: str) -> Iterator[None]:
        try:
            yield
        except MissingObjectError as problem:
            self.missing[path] = str(problem)
            raise

    def _follow_links(self, path: str, *, last: bool) -> str:
        """A path of the tree with the links of its folders followed; with `last`, also the link at its end."""
        if not path.startswith("/"):
            path = f"{self.outside.cwd()}/{path}"
        return follow_links(path, self._find_link_target, last=last)

    def _find_link_target(self, path: str) -> str | None:
        """The target of a link; None if it is no link. The folders of `path` are real."""
        if path not in self.links:
            self.links[path] = self._read_link(path)
        return self.links[path]

    def _read_link(self, path: str) -> str | None:
        """The target of a link of the tree, or outside it; None if it is no link."""
        entry = self._find_tree_node(path) if self._is_inside(path) else self.outside.look(path)
        if entry is None:
            raise make_missing_error(path)
        if entry.kind != "link":
            return None
        if not isinstance(entry, TreeNode):
            return self.outside.target(path)
        with self._record_missing_objects(path):
            return os.fsdecode(self.objects.read(entry.hash))


# For comparing revisions: the repository at one commit, and the machine at one moment.


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
        return self.world.look(path) if self._holds(real) or contains_path(real.rstrip("/") or "/", self.root) else None

    def hides(self, path: str) -> bool:
        """Whether a path is outside the repository: nothing is looked at there."""
        return not self._holds(posixpath.normpath(path))

    def names(self, path: str) -> list[tuple[str, EntryKind]]:
        """The entries of a directory of the repository."""
        real = self.world.real(path)
        if self._holds(real):
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
        if not self._holds(real):
            raise make_missing_error(path)
        return read_real(self.world, real, max_bytes)

    def read_input(self, path: str) -> bytes:
        """A pipe is no file of the repository."""
        return self.read(path)

    def _holds(self, real: str) -> bool:
        return contains_path(self.root, real)


# The machine at one moment, for sides that have to differ in their files alone.


class SteadyWorld(CommandWorld):
    """The machine at one moment: facts that may change between two calls are read once."""

    def __init__(self, root: str | None = None) -> None:
        """`root` is a repository, outside which nothing is discovered."""
        self.discovered = RepositoryWorld(self, root) if root else None
        self._now: datetime | None = None

    def now(self) -> datetime:
        """The time of the first call."""
        self._now = self._now or super().now()
        return self._now


# A world whose repository is as a revision of git has it. Outside it, only the user's own settings are read.


class TreeWorld(TreeFiles, CommandWorld):
    """The tree of a commit in place of the folder `root`, which is a real path. Nothing is checked out, or run."""

    def __init__(self, steady: SteadyWorld, root: str, tree: str, objects: TreeObjects) -> None:
        super().__init__(root, tree, objects, CommandWorld())
        self.steady = steady
        self.discovered = RepositoryWorld(self, root)

    def now(self) -> datetime:
        """The time, the same for the trees of all sides of a comparison."""
        return self.steady.now()

    def git(self, folder: str, top: str | None, known: Git | None) -> Git | None:
        """Nothing: branch and status are those of the working tree, and no part of a revision."""
        return None
