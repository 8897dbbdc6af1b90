"""Finds the commit of a revision, and reads git objects by their hash."""

import os
import re
import subprocess
import zlib
from collections.abc import Container, Sequence
from contextlib import suppress
from threading import Timer
from typing import NamedTuple

from ...errors import ConfigError, find_similar
from ..disk.open_file import ElsewhereError, TooLargeError, read_file
from ..disk.real_world import RealWorld
from ..disk.repository import find_git_elsewhere
from ..disk.world import MAX_FILE_BYTES, EntryKind
from ..run_git import MAX_GIT_SECONDS, GitResult, git_command, git_environment, missing_git_error, run_git

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
    if (elsewhere := find_git_elsewhere(RealWorld(), root)) is not None:
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


# Objects by their hash, from one running `git cat-file --batch`.


ENTRY_KINDS: dict[int, EntryKind] = {0o040000: "dir", 0o100000: "file", 0o120000: "link", 0o160000: "dir"}
SUBMODULE_MODE = 0o160000
MAX_LOADED_TREES = 5_000
"""Folders that are read ahead."""
MAX_LOOSE_BYTES = 4 * 1024 * 1024
"""Larger objects are left to git."""
MAX_QUESTIONS = 500
"""Names in one request: with more, git and we would wait for each other."""


is_object_id = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?").fullmatch


class MissingObjectError(ElsewhereError):
    """An object that this clone does not have."""


class TreeNode(NamedTuple):
    """The file, folder, link or submodule at a path of a tree."""

    kind: EntryKind
    hash: str
    submodule: bool = False


class CommitObject(NamedTuple):
    """The needed fields of a commit."""

    tree: str
    subject: str


class GitObjects:
    """Reads objects of one repository; trees are cached, since the folders of two revisions are mostly the same."""

    def __init__(self, root: str, *flags: str) -> None:
        """`flags` are further ones of git itself, for a repository that is not found as a checkout is."""
        self.root, self.flags = root, flags
        self.loose: str | None = None
        """The folder of objects. Those outside packs may be read without git."""
        self.trees: dict[str, dict[str, TreeNode]] = {}
        self.process: subprocess.Popen[bytes] | None = None
        self.timer: Timer | None = None

    def __enter__(self) -> "GitObjects":
        """Nothing is started before the first question."""
        return self

    def __exit__(self, *_: object) -> None:
        """End git."""
        self.close()

    def commit(self, revision: Revision) -> CommitObject:
        """A commit's tree and the first line of its message; one that can't be read is an error."""
        try:
            head, _, message = self.read(revision.commit).decode("utf-8", "replace").partition("\n\n")
        except OSError as problem:
            raise ConfigError(f"{revision.name[:80]!r} can't be read: {problem}.") from None
        what, _, tree = head.partition("\n")[0].partition(" ")
        if what != "tree":
            raise ConfigError(f"{revision.name[:80]!r} can't be read: its commit is damaged.", hint="Run `git fsck`.")
        return CommitObject(tree, message.partition("\n")[0].strip())

    def tree(self, name: str) -> dict[str, TreeNode]:
        """The entries of a folder, from its git object."""
        if name not in self.trees:
            self.trees[name] = _parse_tree(self.read(name), len(name) // 2)
        return self.trees[name]

    def read(self, name: str) -> bytes:
        """The content of a git object. A missing or too large one is an OSError."""
        return self.find(name)[1]

    def find(self, name: str) -> tuple[str, bytes]:
        """The hash and the content of a git object; its name is a hash, or any name of git's on one line."""
        content = self._read_loose(name)
        if content is not None:
            return name, content
        self._ask([name])
        return self._read_answer(name)

    def _read_loose(self, name: str) -> bytes | None:
        """An object that is a file of its own, without git; of a pack, or where anything is unusual, nothing."""
        if self.loose is None or not is_object_id(name):
            return None
        try:
            data = read_file(f"{self.loose}/{name[:2]}/{name[2:]}", MAX_LOOSE_BYTES)
            unpacker = zlib.decompressobj()
            content = unpacker.decompress(data, MAX_LOOSE_BYTES)
        except (OSError, zlib.error):
            return None
        head, _, body = content.partition(b"\0")
        kind, _, size = head.partition(b" ")
        return body if kind in (b"blob", b"tree", b"commit") and size == b"%d" % len(body) else None

    def load_trees(self, top: str, skipped: Container[str] = ()) -> None:
        """Read a folder and those below it, each level with one question; folders of these names are skipped."""
        level = [top]
        while level and len(self.trees) < MAX_LOADED_TREES:
            wanted = [name for name in dict.fromkeys(level) if name not in self.trees][:MAX_QUESTIONS]
            loose = {name: data for name in wanted if (data := self._read_loose(name)) is not None}
            self._ask(packed := [name for name in wanted if name not in loose])
            for name in (*loose, *packed):
                with suppress(OSError):  # the next read reports the reason
                    data = loose[name] if name in loose else self._read_answer(name)[1]
                    self.trees[name] = _parse_tree(data, len(name) // 2)
                if packed and self.process is None:
                    return
            trees = [self.trees[name] for name in wanted if name in self.trees]
            nodes = [item for tree in trees for item in tree.items() if item[0] not in skipped]
            level = [node.hash for _, node in nodes if node.kind == "dir" and not node.submodule]

    def _ask(self, names: Sequence[str]) -> None:
        """Ask the git process for objects by their names."""
        if not names:
            return
        if self.process is not None and self.process.poll() is not None:
            self.close()  # its time was over between two questions
        process = self.process or self._start()
        assert process.stdin is not None
        with suppress(OSError):  # it has ended: then there is no answer either
            process.stdin.write(b"".join(os.fsencode(name) + b"\n" for name in names))
            process.stdin.flush()

    def _read_answer(self, name: str) -> tuple[str, bytes]:
        process = self.process or self._start()
        assert process.stdout is not None
        head = process.stdout.readline().split()
        if len(head) != 3:
            if not head:
                self.close()
            message = "this clone does not have it" if head else "git did not answer"
            raise MissingObjectError(f"{message} (object {name[:12]})")
        size = int(head[2])
        if size > MAX_FILE_BYTES:
            self.close()  # rather than read it to its end
            raise TooLargeError(f"it has {size:,} bytes, over the limit of {MAX_FILE_BYTES:,}")
        return head[0].decode(), process.stdout.read(size + 1)[:size]

    def _start(self) -> "subprocess.Popen[bytes]":
        quiet = subprocess.DEVNULL
        command = git_command(self.root, *self.flags, "cat-file", "--batch")
        try:
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=quiet, env=git_environment()
            )
        except OSError:
            raise missing_git_error() from None
        self.timer = Timer(MAX_GIT_SECONDS, self.process.kill)
        self.timer.daemon = True
        self.timer.start()
        return self.process

    def close(self) -> None:
        """End git, if it runs; a later question starts it again."""
        process, self.process = self.process, None
        if self.timer is not None:
            self.timer.cancel()
        if process is not None:
            process.kill()
            with suppress(OSError):
                process.communicate()


def _parse_tree(data: bytes, width: int) -> dict[str, TreeNode]:
    """The entries of a tree object. Names that no checkout would write are skipped: a damaged tree may contain any."""
    nodes: dict[str, TreeNode] = {}
    at = 0
    while at < len(data):
        space, end = data.find(b" ", at), data.find(b"\0", at)
        if not at < space < end or data[at:space].strip(b"01234567") or len(data) < end + 1 + width:
            raise OSError("the folder is damaged in git")
        mode, name = int(data[at:space], 8) & 0o170000, os.fsdecode(data[space + 1 : end])
        at = end + 1 + width
        if mode in ENTRY_KINDS and "/" not in name and name.lower() not in ("", ".", "..", ".git"):
            nodes.setdefault(name, TreeNode(ENTRY_KINDS[mode], data[end + 1 : at].hex(), mode == SUBMODULE_MODE))
    return nodes
