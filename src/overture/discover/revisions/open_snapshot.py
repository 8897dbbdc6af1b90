"""Opens a repository as a world of its own, of any kind: a checkout, a bare repository, a folder, an archive."""

import errno
import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from typing import Literal

from ...errors import ConfigError
from ..disk.open_file import open_real_path, read_handle, read_limited
from ..disk.real_world import RealWorld
from ..disk.repository import find_git_elsewhere, find_shared_folder, git_path, own_folder, read_pointer
from ..disk.scan_folders import SKIPPED_FOLDERS
from ..disk.world import FOLDER, MAX_FILE_BYTES, TOP, EntryKind, FileEntry, NeutralMachine
from ..disk.world_at_moment import Moment, OneMoment
from ..run_git import run_git
from ..stored.recorded_questions import entry_kind
from .archive_objects import ArchiveObjects
from .git_objects import GitObjects, TreeNode, is_object_id
from .tree_worlds import TreeFiles, TreeObjects

GIT_FOLDER = f"{TOP}/.git"
MAX_KEPT_BYTES = 64 * 1024


class EmptyMachine(NeutralMachine):
    """A machine without files: the folder of a project, which is a repository, and nothing in it."""

    def look(self, path: str) -> FileEntry | None:
        """The folders that lead to the project, and its `.git`."""
        return FOLDER if path in ("/", TOP, GIT_FOLDER) else None

    def real(self, path: str) -> str:
        """The path itself: there are no links."""
        if self.look(path) is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        return path

    def target(self, path: str) -> str:
        """Nothing is a link."""
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), path)

    def names(self, path: str) -> list[tuple[str, EntryKind]]:
        """The entries of a folder."""
        return [(TOP[1:], "dir")] if self.real(path) == "/" else []

    def read(self, path: str) -> bytes:
        """There is nothing to read."""
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)

    read_input = read


class SnapshotWorld(OneMoment, TreeFiles, NeutralMachine):
    """The files of a tree at `/project`. Each path is looked at once, however many agents need it."""

    def __init__(self, tree: str, objects: TreeObjects) -> None:
        super().__init__(TOP, tree, objects, EmptyMachine())
        self.moment = Moment()
        self._looks: dict[str, FileEntry | None] = {}
        self._plain: dict[str, dict[str, TreeNode] | None] = {}
        self._listings: dict[str, list[tuple[str, EntryKind]]] = {}
        self._contents: dict[str, bytes] = {}

    def look(self, path: str) -> FileEntry | None:
        """The entry at a path, or None."""
        if path not in self._looks:
            self._looks[path] = self._look_plainly(path)
        return self._looks[path]

    def _look_plainly(self, path: str) -> FileEntry | None:
        """The same faster, for a path that is written plainly, in folders that are no links."""
        folder, _, name = path.rpartition("/")
        nodes = self._list_plainly(folder) if name not in ("", ".", "..", ".git") else None
        if nodes is None:
            return super().look(path)
        node = nodes.get(name)
        return None if node is None else self.make_entry(path, node)

    def _list_plainly(self, folder: str) -> dict[str, TreeNode] | None:
        """The entries of a folder; empty if it does not exist, None if only `_follow_links` can find out."""
        if folder not in self._plain:
            self._plain[folder] = self._find_nodes(folder)
        return self._plain[folder]

    def _find_nodes(self, folder: str) -> dict[str, TreeNode] | None:
        above, _, name = folder.rpartition("/")
        if folder != TOP and (not above or name in ("", ".", "..")):
            return None
        nodes = {name: self.nodes[TOP]} if folder == TOP else self._list_plainly(above)
        node = nodes.get(name) if nodes else None
        if nodes is None or (node is not None and node.kind == "link"):
            return None
        is_folder = node is not None and node.kind == "dir" and not node.submodule
        return self._read_tree_folder(folder, node) if node is not None and is_folder else {}

    def names(self, path: str) -> list[tuple[str, EntryKind]]:
        """The entries of a directory, sorted by name."""
        if path not in self._listings:
            self._listings[path] = super().names(path)
        return self._listings[path]

    def read(self, path: str) -> bytes:
        """The content of a regular file; small ones are cached, as each agent reads them."""
        if path not in self._contents:
            data = super().read(path)
            if len(data) > MAX_KEPT_BYTES:
                return data
            self._contents[path] = data
        return self._contents[path]


SnapshotKind = Literal["checkout", "bare", "folder", "archive"]
BARE_FLAGS = ("-c", "safe.bareRepository=all")
"""A bare repository that the user names is meant; git still refuses one of another user."""


PLAIN_NAME = re.compile(r"(?!.*\.\.)[\w./+-]+")
"""Names of branches and tags; `HEAD~2` and others are for git itself."""

MAX_SYMBOLIC_REFS = 5

MAX_PACKED_REFS_BYTES = 64 * 1024 * 1024

REF_FOLDERS = ("refs/", "refs/tags/", "refs/heads/", "refs/remotes/")
"""Where git looks for the name of a revision, in this order."""

WORLD = RealWorld()


MAX_FOLDER_ENTRIES = 200_000
"""Entries of a folder without git: a larger one is no project."""


class FolderObjects:
    """Files by a name that changes when they do: a digest of path, size and time."""

    def __init__(self, root: str) -> None:
        self.root = os.path.realpath(root)
        self.paths: dict[str, str] = {}
        self.trees: dict[str, dict[str, TreeNode]] = {}
        self.top = self._scan(self.root)

    def tree(self, name: str) -> dict[str, TreeNode]:
        """The entries of a folder."""
        return self.trees[name]

    def read(self, name: str) -> bytes:
        """The content of a file, or the target of a link."""
        path = self.paths[name]
        if os.path.islink(path):
            return os.fsencode(os.readlink(path))
        return read_handle(open_real_path(path), MAX_FILE_BYTES)

    def _scan(self, folder: str) -> str:
        """The name of a folder, derived from the names of all its entries."""
        nodes: dict[str, TreeNode] = {}
        with os.scandir(folder) as entries:
            in_order = sorted(entries, key=lambda entry: entry.name)
        for entry in in_order:
            if len(self.paths) >= MAX_FOLDER_ENTRIES:
                raise OSError(f"it holds over {MAX_FOLDER_ENTRIES:,} files and is not a repository")
            kind = entry_kind(entry)
            if kind == "dir" and entry.name not in SKIPPED_FOLDERS:
                nested = os.path.lexists(f"{entry.path}/.git")
                nodes[entry.name] = TreeNode(kind, "0" if nested else self._scan(entry.path), nested)
            elif kind in ("file", "link"):
                status = entry.stat(follow_symlinks=False)
                name = _digest(entry.path, str(status.st_size), str(status.st_mtime_ns))
                self.paths[name] = entry.path
                nodes[entry.name] = TreeNode(kind, name)
        name = _digest(folder, *(f"{name} {node.hash}" for name, node in nodes.items()))
        self.trees[name] = nodes
        return name


def find_identity(path: str, kind: SnapshotKind, revision: str) -> str | None:
    """A value that changes with the content; None if only git can find out, or if there is nothing."""
    if kind in ("checkout", "bare"):
        # A `.git` that is a file or a link is checked closely before its target is read.
        unsure = kind == "checkout" and (os.path.islink(f"{path}/.git") or not os.path.isdir(f"{path}/.git"))
        if unsure and find_git_elsewhere(RealWorld(), path):
            return None
        return find_commit(path, revision, bare=kind == "bare")
    try:
        if kind == "folder":
            return FolderObjects(path).top
        status = os.stat(path)
    except OSError:
        return None
    return f"{status.st_size:x}-{status.st_mtime_ns:x}-{status.st_ino:x}"


@contextmanager
def open_snapshot(path: str, kind: SnapshotKind, revision: str) -> Iterator[tuple[str, SnapshotWorld]]:
    """The identity of a repository, and its files. One that can't be read is an OSError or a ConfigError."""
    if kind == "folder":
        folder = FolderObjects(path)
        yield folder.top, SnapshotWorld(folder.top, folder)
    elif kind == "archive":
        with closing(ArchiveObjects(path)) as archive:
            yield find_identity(path, kind, revision) or "", SnapshotWorld(archive.top, archive)
    else:
        if kind == "checkout" and (elsewhere := find_git_elsewhere(RealWorld(), os.path.realpath(path))) is not None:
            raise ConfigError(f"its .git leads to {elsewhere[1]!r}, which does not name this folder")
        flags = BARE_FLAGS if kind == "bare" else ()
        known = find_commit(path, revision, bare=kind == "bare")
        with GitObjects(path, *flags) as objects:
            objects.loose = _find_loose_objects(path, bare=kind == "bare")
            commit, tree = _find_tree(objects, path, known, revision, flags)
            yield commit, SnapshotWorld(tree, objects)


def _find_tree(
    objects: GitObjects, path: str, known: str | None, revision: str, flags: Sequence[str]
) -> tuple[str, str]:  # fmt: skip
    if "\n" in revision:
        raise ConfigError(f"{revision!r:.80} names no commit")
    try:
        commit, data = objects.find(known or f"{revision}^{{commit}}")
        what, _, tree = data.partition(b"\n")[0].decode("ascii", "replace").partition(" ")
        if what != "tree":  # an annotated tag
            tree, _ = objects.find(f"{commit}^{{tree}}")
        objects.load_trees(tree, SKIPPED_FOLDERS)
    except OSError:
        raise _explain_missing(path, revision, flags) from None
    return commit, tree


def _find_loose_objects(path: str, *, bare: bool) -> str | None:
    """Where objects may be read without git: it refuses repositories of other users, and so do we."""
    own, shared = find_git_folders(path, bare=bare)
    try:
        owners = {os.lstat(each).st_uid for each in (path, own, shared, f"{shared}/objects")}
    except OSError:
        return None
    return f"{shared}/objects" if owners == {os.geteuid()} else None


def _explain_missing(path: str, revision: str, flags: Sequence[str]) -> ConfigError:
    """Why there is no commit, in git's own words if it has any."""
    answer = run_git(path, *flags, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    messages = [line for line in answer.err.splitlines() if line.strip() and not line.startswith("hint:")]
    if messages:
        reason = messages[0].removeprefix("fatal: ").removeprefix("error: ")
        return ConfigError(f"git can't read it: {reason}")
    if answer.code:
        return ConfigError("it has no commits yet" if revision == "HEAD" else f"{revision!r:.80} names no commit")
    return ConfigError("its commit or the tree of it can't be read: the repository is damaged; run `git fsck`")


def find_commit(path: str, revision: str = "HEAD", *, bare: bool = False) -> str | None:
    """The object of a revision, for an annotated tag the tag itself; None if only git can find out."""
    if is_object_id(revision):
        return revision
    own, shared = find_git_folders(path, bare=bare)
    if revision == "HEAD":
        return _follow(own, shared, "HEAD")
    if not PLAIN_NAME.fullmatch(revision):
        return None
    commits = map(partial(_follow, own, shared), (f"{folder}{revision}" for folder in REF_FOLDERS))
    return next(filter(None, commits), None)


def find_git_folders(path: str, *, bare: bool) -> tuple[str, str]:
    """The folder of git that a checkout has for itself, and the one that it shares with its other worktrees."""
    own = path if bare else own_folder(WORLD, path) or git_path(path)
    return own, own if bare else find_shared_folder(WORLD, path) or own


def _follow(own: str, shared: str, ref: str) -> str | None:
    for _ in range(MAX_SYMBOLIC_REFS):
        text = read_pointer(WORLD, f"{own if ref == 'HEAD' else shared}/{ref}").strip()
        text = text or _find_packed(f"{shared}/packed-refs", ref)
        if not text.startswith("ref: "):
            return text if is_object_id(text) else None
        ref = text[5:].strip()
        if ".." in ref.split("/") or ref.startswith("/"):  # it would lead out of the repository
            return None
    return None


def _find_packed(path: str, ref: str) -> str:
    try:
        data = read_limited(WORLD, path, MAX_PACKED_REFS_BYTES)
    except OSError:
        return ""
    end = data.find(b" " + os.fsencode(ref) + b"\n")
    return data[data.rfind(b"\n", 0, max(end, 0)) + 1 : end].decode("ascii", "replace") if end > 0 else ""


def _digest(*words: str) -> str:
    return hashlib.sha1("\0".join(words).encode("utf-8", "surrogateescape"), usedforsecurity=False).hexdigest()
