"""Reads git objects by hash from one running `git cat-file --batch`."""

import os
import re
import subprocess
import zlib
from collections.abc import Container, Sequence
from contextlib import suppress
from threading import Timer
from typing import NamedTuple

from ...errors import ConfigError
from .. import run_git
from ..disk.open_file import NO_FOLLOW, READ_FLAGS, ElsewhereError, TooLargeError, read_handle
from ..disk.world import MAX_FILE_BYTES, EntryKind
from .find_revision import Revision

ENTRY_KINDS: dict[int, EntryKind] = {0o040000: "dir", 0o100000: "file", 0o120000: "link", 0o160000: "dir"}
SUBMODULE_MODE = 0o160000
MAX_LOADED_TREES = 5_000
"""Folders that are read ahead."""
MAX_LOOSE_BYTES = 4 * 1024 * 1024
"""Larger objects are left to git."""
MAX_QUESTIONS = 500
"""Names that are asked for at once: with more, git and we would wait for each other."""


is_object_id = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?").fullmatch


class MissingObjectError(ElsewhereError):
    """An object that this clone does not have."""


class TreeNode(NamedTuple):
    """What lies at a path of a tree."""

    kind: EntryKind
    hash: str
    submodule: bool = False


class CommitObject(NamedTuple):
    """A commit, as far as it is needed."""

    tree: str
    subject: str


class GitObjects:
    """Reads objects of one repository; trees are kept, since the folders of two revisions are mostly the same."""

    def __init__(self, root: str, *flags: str) -> None:
        """`flags` are further ones of git itself, for a repository that is not found as a checkout is."""
        self.root, self.flags = root, flags
        self.loose: str | None = None
        """The folder of objects, where those that are no part of a pack may be read without git."""
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
        """What a folder holds."""
        if name not in self.trees:
            self.trees[name] = _parse_tree(self.read(name), len(name) // 2)
        return self.trees[name]

    def read(self, name: str) -> bytes:
        """The content of an object. One that is not there, or is too large, is an OSError."""
        return self.find(name)[1]

    def find(self, name: str) -> tuple[str, bytes]:
        """The hash and the content of what a name leads to; a name is a hash, or whatever git knows on one line."""
        found = self._read_loose(name)
        if found is not None:
            return name, found
        self._ask([name])
        return self._read_answer(name)

    def _read_loose(self, name: str) -> bytes | None:
        """An object that is a file of its own, without git; of a pack, or where anything is unusual, nothing."""
        if self.loose is None or not is_object_id(name):
            return None
        try:
            data = read_handle(os.open(f"{self.loose}/{name[:2]}/{name[2:]}", READ_FLAGS | NO_FOLLOW), MAX_LOOSE_BYTES)
            unpacker = zlib.decompressobj()
            content = unpacker.decompress(data, MAX_LOOSE_BYTES)
        except (OSError, zlib.error):
            return None
        head, _, body = content.partition(b"\0")
        kind, _, size = head.partition(b" ")
        return body if kind in (b"blob", b"tree", b"commit") and size == b"%d" % len(body) else None

    def load_trees(self, top: str, skipped: Container[str] = ()) -> None:
        """Read a folder and those below it, each level with one question; folders of these names are left out."""
        level = [top]
        while level and len(self.trees) < MAX_LOADED_TREES:
            wanted = [name for name in dict.fromkeys(level) if name not in self.trees][:MAX_QUESTIONS]
            loose = {name: data for name in wanted if (data := self._read_loose(name)) is not None}
            self._ask(packed := [name for name in wanted if name not in loose])
            for name in (*loose, *packed):
                with suppress(OSError):  # whoever asks for it again is told why
                    data = loose[name] if name in loose else self._read_answer(name)[1]
                    self.trees[name] = _parse_tree(data, len(name) // 2)
                if packed and self.process is None:
                    return
            found = [self.trees[name] for name in wanted if name in self.trees]
            nodes = [item for tree in found for item in tree.items() if item[0] not in skipped]
            level = [node.hash for _, node in nodes if node.kind == "dir" and not node.submodule]

    def _ask(self, names: Sequence[str]) -> None:
        if not names:
            return
        process = self.process or self._start()
        assert process.stdin is not None
        with suppress(OSError):  # it has ended: then there is no answer either
            process.stdin.write(b"".join(name.encode() + b"\n" for name in names))
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
        command = run_git.git_command(self.root, *self.flags, "cat-file", "--batch")
        try:
            self.process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=quiet, env=run_git.git_environment()
            )
        except OSError:
            raise run_git.missing_git_error() from None
        self.timer = Timer(run_git.MAX_GIT_SECONDS, self.process.kill)
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
    """The entries of a tree object. What no checkout would write is passed over: a damaged tree names what it likes."""
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
