"""Finds the commit of a revision, and reads its files from git: a list of the tree, then objects by their hash."""

import os
import re
import subprocess
from collections.abc import Sequence
from contextlib import suppress
from threading import Timer
from typing import NamedTuple

from ..errors import ConfigError, find_similar
from .files import MAX_FILE_BYTES, EntryKind, TooLargeError
from .git import MAX_GIT_SECONDS, GitResult, git_command, git_environment, missing_git_error, run_git
from .repository import find_git_elsewhere
from .tree_files import MissingObjectError, Tree, TreeNode
from .world import World

MAX_LISTED_REFS = "5000"
"""Maximum number of branches and tags that are compared to find the nearest name."""


class GitRepository(NamedTuple):
    """A working tree of git."""

    root: str
    """Its topmost folder, a real path."""
    shallow: bool


class Revision(NamedTuple):
    """A name, and the commit that it leads to."""

    name: str
    commit: str
    notes: tuple[str, ...] = ()
    """What git itself remarks, e.g. that a branch and a tag have the same name."""


def find_git_repository(folder: str) -> GitRepository:
    """The working tree that contains a folder."""
    answer = run_git(folder, "rev-parse", "--is-shallow-repository", "--show-toplevel")
    shallow, _, root = answer.out.removesuffix("\n").partition("\n")
    if answer.code or not root:
        raise ConfigError(
            f"{folder!r} is not in a git working tree: {answer.reason}.", message="Not a git repository",
            cause="A revision names a commit, and there is no `.git` here or above.",
            hint="Run it in a checkout, or pass `--cwd DIR`.",
        )  # fmt: skip
    if (elsewhere := find_git_elsewhere(World(), root)) is not None:
        message = f"{elsewhere[0]!r} leads to {elsewhere[1]!r}, which does not name this project"
        raise ConfigError(f"{message}.", hint=f"If it is yours, run: git config core.worktree {root!r}")
    return GitRepository(root, shallow == "true")


def find_revision(repository: GitRepository, name: str) -> Revision:
    """The commit that a name leads to, in any of the ways that git knows."""
    if not name:
        raise ConfigError("The name of a revision is empty.", hint="Use a branch, a tag or a hash.")
    answer = _look_up(repository, name)
    words = answer.out.split()
    if answer.code or len(words) != 2 or words[1] != "commit":
        raise _make_unknown_error(repository, name, answer)
    notes = tuple(line.removeprefix("warning: ") for line in answer.err.splitlines() if line.startswith("warning: "))
    return Revision(name, words[0], notes)


def find_merge_base(repository: GitRepository, one: Revision, other: Revision) -> Revision:
    """The commit at which two histories parted."""
    answer = run_git(repository.root, "merge-base", one.commit, other.commit)
    if answer.code:
        raise ConfigError(
            f"{one.name[:80]!r} and {other.name[:80]!r} have no common commit.{_explain_shallow_clone(repository)} To "
            "compare them anyway, name them one by one."
        )
    return Revision(f"merge base of {one.name} and {other.name}", answer.out.strip(), (*one.notes, *other.notes))


def _look_up(repository: GitRepository, name: str) -> GitResult:
    if "\n" in name:
        return GitResult(0, "missing", "")
    # Names go in by standard input, where none is an option. A search in messages takes everything after it.
    wanted = name if name.startswith(":/") else f"{name}^{{commit}}"
    return run_git(repository.root, "cat-file", "--batch-check=%(objectname) %(objecttype)", stdin=f"{wanted}\n")


def _make_unknown_error(repository: GitRepository, name: str, answer: GitResult) -> ConfigError:
    message = f"{name[:80]!r} names no commit"
    if answer.code:
        return ConfigError(f"{message}: {answer.reason}.")
    if answer.out.rstrip().endswith("ambiguous"):
        return ConfigError(f"{message}: the hash is ambiguous.", hint="Use more characters of the hash.")
    start = re.split(r"[~^:@]", name, maxsplit=1)[0]
    if start and start != name and _look_up(repository, start).out.endswith(" commit\n"):
        fault = "that is not a commit" if ":" in name else "it has no such ancestor"
        return ConfigError(f"{message}: {start} exists, but {fault}.", cause=_explain_shallow_clone(repository).strip())
    listed = run_git(repository.root, "for-each-ref", f"--count={MAX_LISTED_REFS}", "--format=%(refname:short)")
    known = listed.out.split()
    if not known and _look_up(repository, "HEAD").out.endswith("missing\n"):
        return ConfigError(
            f"{message}: the repository {repository.root!r} has no commits yet.", hint="Commit twice, then compare."
        )
    remote = next((ref for ref in known if ref.endswith(f"/{start or name}")), None)
    tip = remote or find_similar((start or name)[:80], known)
    return ConfigError(f"{message}.", noun="revision", tip=tip, cause=_explain_shallow_clone(repository).strip())


def _explain_shallow_clone(repository: GitRepository) -> str:
    if not repository.shallow:
        return ""
    return " This is a shallow clone: `git fetch --unshallow` fetches the rest (in GitHub Actions, use fetch-depth: 0)."


# Trees and objects by their hash.


ENTRY_KINDS: dict[str, EntryKind] = {"040": "dir", "100": "file", "120": "link", "160": "dir"}
"""Kinds by the start of a mode; the last is a submodule's."""
SUBMODULE_MODE = "160000"
MAX_LIST_BYTES = 128 * 1024 * 1024
"""Bytes of the list of a tree, about a million paths: folders that contain each other's copies can make it endless."""


class GitObjects:
    """Reads one repository: each tree with one `git ls-tree`, objects from one running `git cat-file --batch`."""

    def __init__(self, root: str, flags: Sequence[str] = (), *, alone: bool = False) -> None:
        """`flags` are further ones of git itself; `alone`: a repository that holds this one is never meant."""
        self.root, self.flags = root, flags
        self.environment = git_environment()
        if alone:
            self.environment["GIT_CEILING_DIRECTORIES"] = os.path.dirname(os.path.realpath(root))
        self.trees: dict[str, Tree] = {}
        self.process: subprocess.Popen[bytes] | None = None
        self.timer: Timer | None = None

    def __enter__(self) -> "GitObjects":
        """Nothing is started before the first question."""
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def commit(self, revision: Revision) -> tuple[Tree, str]:
        """A commit's tree and the first line of its message; one that is not complete here is an error."""
        try:
            tree, subject = parse_commit(self.read(revision.commit))
            return self.tree(tree), subject
        except MissingObjectError as problem:
            message = f"{revision.name[:80]!r} can't be read: {problem}, and nothing is fetched here."
            hint = f"`git ls-tree -r {revision.commit[:12]}` fetches what is missing, if a remote has it."
            raise ConfigError(message, hint=hint) from None
        except OSError as problem:
            raise ConfigError(f"{revision.name[:80]!r} can't be read: {problem}.") from None

    def tree(self, name: str) -> Tree:
        """Everything in a tree, by its hash. One that is damaged or not complete is an OSError."""
        if name not in self.trees:
            folders, submodules = parse_tree_list(self._list_tree(name))
            self.trees[name] = Tree(folders, self.read, submodules)
        return self.trees[name]

    def read(self, name: str) -> bytes:
        """The content of a git object. A missing or too large one is an OSError."""
        return self.find(name)[1]

    def find(self, name: str) -> tuple[str, bytes]:
        """The hash and the content of a git object; its name is a hash, or any name of git's on one line."""
        if self.process is not None and self.process.poll() is not None:
            self.close()  # its time was over between two questions
        if self.process is None:
            self.process, self.timer = self._start("cat-file", "--batch")
        process = self.process
        assert process.stdin is not None and process.stdout is not None
        with suppress(OSError):  # it has ended: then there is no answer either
            process.stdin.write(os.fsencode(name) + b"\n")
            process.stdin.flush()
        head = process.stdout.readline().split()
        if head and len(head) != 3:
            raise MissingObjectError(f"this clone does not have it (object {name[:12]})")
        size = int(head[2]) if head else 0
        if size > MAX_FILE_BYTES:
            self.close()  # rather than read it to its end
            raise TooLargeError(f"it has {size:,} bytes, over the limit of {MAX_FILE_BYTES:,}")
        data = process.stdout.read(size + 1) if head else b""
        if len(data) <= size:
            self.close()
            raise MissingObjectError(f"git did not answer (object {name[:12]})")
        return head[0].decode(), data[:size]

    def _list_tree(self, name: str) -> bytes:
        """What git lists of a tree and everything below it."""
        process, timer = self._start("ls-tree", "-r", "-t", "-z", "--full-tree", name)
        with process:
            assert process.stdin is not None and process.stdout is not None
            process.stdin.close()
            data = process.stdout.read(MAX_LIST_BYTES + 1)
            process.stdout.close()  # ends a git that has more to say
        late = not timer.is_alive()
        timer.cancel()
        if len(data) > MAX_LIST_BYTES:
            raise TooLargeError(f"the list of its files is over the limit of {MAX_LIST_BYTES:,} bytes")
        if late:
            raise OSError(f"git did not list its files within {MAX_GIT_SECONDS:g} seconds")
        if process.returncode:
            raise MissingObjectError("this clone does not have all of its folders, or they are damaged")
        return data

    def _start(self, *words: str) -> "tuple[subprocess.Popen[bytes], Timer]":
        """Start git, and what ends it when its time is over."""
        command = git_command(self.root, *self.flags, *words)
        pipe, quiet = subprocess.PIPE, subprocess.DEVNULL
        try:
            process = subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=quiet, env=self.environment)
        except OSError:
            raise missing_git_error() from None
        timer = Timer(MAX_GIT_SECONDS, process.kill)
        timer.daemon = True
        timer.start()
        return process, timer

    def close(self) -> None:
        """End git, if it runs; a later question starts it again."""
        process, self.process = self.process, None
        if self.timer is not None:
            self.timer.cancel()
        if process is not None:
            process.kill()
            with suppress(OSError):
                process.communicate()


def parse_commit(data: bytes) -> tuple[str, str]:
    """The hash of a commit's tree, and the first line of its message; a damaged one is an OSError."""
    head, _, message = data.decode("utf-8", "replace").partition("\n\n")
    what, _, tree = head.partition("\n")[0].partition(" ")
    if what != "tree":
        raise OSError("its commit is damaged; `git fsck` says more")
    return tree, message.partition("\n")[0].strip()


def parse_tree_list(data: bytes) -> tuple[dict[str, dict[str, TreeNode]], tuple[str, ...]]:
    """The entries of each folder, and the submodules, from what `git ls-tree -r -t -z` lists: folders come first.

    Names that no checkout would write are skipped with what is below them: a damaged tree may contain any.
    """
    folders: dict[str, dict[str, TreeNode]] = {"": {}}
    submodules: list[str] = []
    for line in os.fsdecode(data).split("\0"):
        about, _, path = line.partition("\t")
        mode, _, kind_and_hash = about.partition(" ")
        folder, _, name = path.rpartition("/")
        nodes, kind = folders.get(folder), ENTRY_KINDS.get(mode[:3])
        if nodes is None or kind is None or name in nodes or name.lower() in ("", ".", "..", ".git"):
            continue
        nodes[name] = TreeNode(kind, kind_and_hash.rpartition(" ")[2], mode == SUBMODULE_MODE)
        if mode == SUBMODULE_MODE:
            submodules.append(path)
        elif kind == "dir":
            folders[path] = {}
    return folders, tuple(submodules)
