"""Opens a repository as a world of its own, of any kind: a checkout, a bare repository, a folder, an archive."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from ..discover.git import run_git
from ..discover.git_objects import GitObjects, parse_commit
from ..discover.repository import find_git_elsewhere
from ..discover.tree_files import MissingObjectError, TreeFiles
from ..discover.world import TOP, World
from ..errors import ConfigError
from .read_archive_and_folder import open_archive, read_folder

SnapshotKind = Literal["checkout", "bare", "folder", "archive"]
BARE_FLAGS = ("-c", "safe.bareRepository=all")
"""A bare repository that the user names is meant; git still refuses one of another user."""


def find_identity(path: str, kind: SnapshotKind, revision: str) -> str | None:
    """A value that changes with the content: the commit, if there is one; None if nothing can be read."""
    try:
        if kind == "folder":
            return read_folder(path)[0]
        if kind == "archive":
            status = os.stat(path)
            return f"{status.st_size:x}-{status.st_mtime_ns:x}-{status.st_ino:x}"
        with _open_git(path, kind) as objects:
            return _find_commit(objects, revision)[0]
    except (OSError, ConfigError):
        return None


@contextmanager
def open_snapshot(path: str, kind: SnapshotKind, revision: str) -> Iterator[tuple[str, TreeFiles]]:
    """The identity of a repository, and its files. One that can't be read is an OSError or a ConfigError."""
    if kind == "folder":
        identity, tree = read_folder(path)
        yield identity, TreeFiles(TOP, tree)
    elif kind == "archive":
        with open_archive(path) as tree:
            yield find_identity(path, kind, revision) or "", TreeFiles(TOP, tree)
    else:
        with _open_git(path, kind) as objects:
            try:
                commit, data = _find_commit(objects, revision)
                tree = objects.tree(parse_commit(data)[0])
            except OSError as problem:
                raise _explain_unreadable(objects, revision, problem) from None
            yield commit, TreeFiles(TOP, tree)


def _open_git(path: str, kind: SnapshotKind) -> GitObjects:
    if kind == "checkout" and (elsewhere := find_git_elsewhere(World(), os.path.realpath(path))) is not None:
        raise ConfigError(f"its .git leads to {elsewhere[1]!r}, which does not name this folder")
    return GitObjects(path, BARE_FLAGS if kind == "bare" else (), alone=True)


def _find_commit(objects: GitObjects, revision: str) -> tuple[str, bytes]:
    if "\n" in revision:
        raise ConfigError(f"{revision!r:.80} names no commit")
    return objects.find(f"{revision}^{{commit}}")


def _explain_unreadable(objects: GitObjects, revision: str, problem: OSError) -> ConfigError:
    """Why there is no commit or no tree, in git's own words if it has any."""
    look_up = ("rev-parse", "--verify", "--quiet")
    answer = run_git(objects.root, *objects.flags, *look_up, f"{revision}^{{commit}}")
    messages = [line for line in answer.err.splitlines() if line.strip() and not line.startswith("hint:")]
    if messages:
        return ConfigError(f"git can't read it: {messages[0].removeprefix('fatal: ').removeprefix('error: ')}")
    if answer.code and revision != "HEAD":
        return ConfigError(f"{revision!r:.80} names no commit")
    if answer.code and run_git(objects.root, *objects.flags, *look_up, "HEAD").code:
        branch = run_git(objects.root, *objects.flags, "for-each-ref", "--count=1", "--format=%(refname:short)").out
        if not branch:
            return ConfigError("it has no commits yet")
        return ConfigError(
            "HEAD names a branch without commits.", hint=f"Name another: {objects.root}@{branch.strip()}."
        )
    return ConfigError(f"{problem}; run `git fsck`" if isinstance(problem, MissingObjectError) else str(problem))
