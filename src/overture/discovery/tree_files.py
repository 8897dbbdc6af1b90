"""The files of a tree, such as a commit's, in place of a folder; trees and objects are read from git by their hash."""

import os
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, suppress
from datetime import datetime
from typing import NamedTuple

from ..errors import ConfigError
from .files import (
    MAX_FILE_BYTES,
    DiskFiles,
    ElsewhereError,
    Entries,
    EntryKind,
    FileEntry,
    Files,
    TooLargeError,
    VirtualFiles,
)
from .git import GitAnswer, Revision, RunningGit, explain_no_answer, run_git
from .paths import contains_path
from .world import RealMachine, World

FOLDER = FileEntry("dir", (0, 0), (0,))
ENTRY_KINDS: dict[str, EntryKind] = {"040": "dir", "100": "file", "120": "link", "160": "dir"}
"""Kinds by the start of a mode; the last is a submodule's."""
MAX_LIST_BYTES = 128 * 1024 * 1024
"""Bytes of the list of a tree, about a million paths: folders that contain each other's copies can make it endless."""


class MissingObjectError(ElsewhereError):
    """A file or folder of a tree whose content is not here."""


class TreeNode(NamedTuple):
    """The file, folder or link at a path of a tree."""

    kind: EntryKind
    hash: str  # what its content is read by, a hexadecimal number


TreeFolders = dict[str, dict[str, TreeNode]]
"""The entries of each folder by its real path from the top, which is empty for the top itself."""


class Tree(NamedTuple):
    """Everything in a tree, and how its files are read."""

    folders: TreeFolders
    read: Callable[[str], bytes]  # the content of a file, or the target of a link, by its hash
    submodules: tuple[str, ...] = ()
    unreadable: Mapping[str, str] = {}  # folders that can't be read, each with the reason


class TreeFiles(VirtualFiles):
    """The files of a tree in place of the folder `root`, a real path; `.git` and all else are those of `outside`."""

    def __init__(self, root: str, tree: Tree, outside: Files | None = None) -> None:
        """Without `outside`, there is nothing else, and the folder counts as a repository."""
        super().__init__()
        self.root, self.tree, self.outside = root, tree, outside
        self.start = f"{root.rstrip('/')}/"
        self.missing: dict[str, str] = {}  # paths whose content was looked for and is not here, each with the reason
        self.empty_submodules: set[str] = set()
        """Submodules in which something was looked for: a tree holds their place and nothing else."""

    def at(self, real: str) -> FileEntry | None:
        if self._holds(real):
            node = self._find_node(real)
            return node and FileEntry(node.kind, (-1, hash(real)), (int(node.hash[:15], 16),))
        if self.outside is not None:
            return self.outside.look(real)
        return FOLDER if contains_path(real, self.root) or real == f"{self.start}.git" else None

    def list(self, real: str) -> Entries:
        if self._holds(real):
            return [(name, each.kind) for name, each in self._list_folder(real[len(self.start) :]).items()]
        if self.outside is not None:
            return self.outside.names(real)
        return [(self.start[len(real.rstrip("/")) + 1 :].partition("/")[0], "dir")] if real != self.start[:-1] else []

    def content(self, real: str, max_bytes: int = MAX_FILE_BYTES) -> bytes:
        data = self._read_node(real)
        return self.outside.read(real, max_bytes, is_real=True) if self.outside and data is None else data or b""

    def leads(self, real: str) -> str:
        data = self._read_node(real)
        return self.outside.target(real) if self.outside and data is None else os.fsdecode(data or b"")

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
        self.empty_submodules |= {f"{self.start}{each}" for each in self.tree.submodules if contains_path(each, folder)}
        for each, reason in self.tree.unreadable.items():
            if contains_path(each, folder):
                self.missing[f"{self.start}{each}"] = reason
                raise MissingObjectError(reason)
        return {}

    def _read_node(self, real: str) -> bytes | None:
        """The content of what is at a path of the tree; None if that is not in it."""
        node = self._find_node(real) if self._holds(real) else None
        try:
            return node and self.tree.read(node.hash)
        except MissingObjectError as problem:
            self.missing[real] = str(problem)
            raise


def make_revision_world(root: str, tree: Tree | None, moment: datetime) -> World:
    """The repository at `root` as it is, or with a commit's tree; outside it, only the user's own settings are read."""
    files = DiskFiles() if tree is None else TreeFiles(root, tree, DiskFiles())
    return World(files, RealMachine(moment, runs_git=tree is None), within=root)


class GitObjects(AbstractContextManager["GitObjects"]):
    """Reads one repository: each tree with one `git ls-tree`, objects from one running `git cat-file --batch`."""

    def __init__(self, root: str, flags: Sequence[str] = (), *, alone: bool = False) -> None:
        """`flags` are further ones of git itself; `alone`: a repository that holds this one is never meant."""
        self.root, self.flags = root, flags
        self.bounds = {"GIT_CEILING_DIRECTORIES": os.path.dirname(os.path.realpath(root))} if alone else {}
        self.trees: dict[str, Tree] = {}
        self.git: RunningGit | None = None

    def __exit__(self, *_: object) -> None:
        """End git, if it runs; a later question starts it again."""
        if self.git is not None:
            self.git.end()
            with suppress(OSError):
                self.git.process.communicate()
        self.git = None

    def commit(self, revision: Revision) -> tuple[Tree, str]:
        """A commit's tree and the first line of its message; one that is not complete here is an error."""
        try:
            tree, subject = parse_commit(self.find(revision.commit)[1])
            return self.tree(tree), subject
        except OSError as problem:
            hint = f"`git ls-tree -r {revision.commit[:12]}` fetches what is missing, if a remote has it."
            is_missing = isinstance(problem, MissingObjectError)
            raise ConfigError(f"{revision.name[:80]!r} can't be read: {problem}.", hint=hint * is_missing) from None

    def tree(self, name: str) -> Tree:
        """Everything in a tree, by its hash; one that is damaged or not complete is an OSError."""
        if name not in self.trees:
            answer = self._start("ls-tree", "-r", "-t", "-z", "--full-tree", name).finish(max_bytes=MAX_LIST_BYTES + 1)
            if len(answer.out) > MAX_LIST_BYTES:
                raise TooLargeError(f"the list of its files is over the limit of {MAX_LIST_BYTES:,} bytes")
            if answer.code:
                raise MissingObjectError("this clone does not have all of its folders, or they are damaged")
            folders, submodules = parse_tree_list(answer.out)
            self.trees[name] = Tree(folders, lambda hash: self.find(hash)[1], submodules)
        return self.trees[name]

    def find(self, name: str) -> tuple[str, bytes]:
        """The hash and the content of an object, by any name of git's on one line; one too large is an OSError, too."""
        if self.git is not None and self.git.process.poll() is not None:
            self.__exit__()  # its time was over between two questions
        if self.git is None:
            self.git = self._start("cat-file", "--batch")
        with suppress(OSError):  # it has ended: then there is no answer either
            self.git.stdin.write(os.fsencode(name) + b"\n")
            self.git.stdin.flush()
        head = self.git.stdout.readline().split()
        if head and len(head) != 3:
            raise MissingObjectError(f"this clone does not have it (object {name[:12]})")
        size = int(head[2]) if head else 0
        if size > MAX_FILE_BYTES:
            self.__exit__()  # rather than read it to its end
            raise TooLargeError(f"it has {size:,} bytes, over the limit of {MAX_FILE_BYTES:,}")
        data = self.git.stdout.read(size + 1) if head else b""
        if len(data) <= size:
            self.__exit__()
            raise MissingObjectError(f"git did not answer (object {name[:12]})")
        return head[0].decode(), data[:size]

    def run(self, *words: str) -> GitAnswer:
        """What git answers a further question about the repository."""
        return run_git(self.root, *self.flags, *words, variables=self.bounds)

    def _start(self, *words: str) -> RunningGit:
        try:
            return RunningGit(self.root, *self.flags, *words, variables=self.bounds, explains=False)
        except OSError as problem:
            raise explain_no_answer(problem) from None


def parse_commit(data: bytes) -> tuple[str, str]:
    """The hash of a commit's tree, and the first line of its message; a damaged one is an OSError."""
    head, _, message = data.decode("utf-8", "replace").partition("\n\n")
    what, _, tree = head.partition("\n")[0].partition(" ")
    if what != "tree":
        raise OSError("its commit is damaged; `git fsck` says more")
    return tree, message.partition("\n")[0].strip()


def parse_tree_list(data: bytes) -> tuple[TreeFolders, tuple[str, ...]]:
    """The entries of each folder, and the submodules, from what `git ls-tree -r -t -z` lists: folders come first.

    Names that no checkout would write are skipped with what is below them: a damaged tree may contain any.
    """
    folders: TreeFolders = {"": {}}
    submodules: list[str] = []
    for line in os.fsdecode(data).split("\0"):
        about, _, path = line.partition("\t")
        mode, _, kind_and_hash = about.partition(" ")
        folder, _, name = path.rpartition("/")
        nodes, kind = folders.get(folder), ENTRY_KINDS.get(mode[:3])
        if nodes is None or kind is None or name in nodes or name.lower() in ("", ".", "..", ".git"):
            continue
        nodes[name] = TreeNode(kind, kind_and_hash.rpartition(" ")[2])
        if mode.startswith("160"):
            submodules.append(path)
        elif kind == "dir":
            folders[path] = {}
    return folders, tuple(submodules)
