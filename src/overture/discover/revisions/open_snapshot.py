"""Opens a repository as a world of its own, whatever it is: a checkout, a bare repository, a folder, an archive."""

import os
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from typing import Literal

from ...errors import ConfigError
from ..disk.real_world import RealWorld
from ..disk.scan_folders import SKIPPED_FOLDERS
from ..git_and_host import find_git_elsewhere
from ..run_git import run_git
from .archive_objects import ArchiveObjects
from .find_commit import find_commit, find_git_folders
from .folder_objects import FolderObjects
from .git_objects import GitObjects
from .snapshot_world import SnapshotWorld

SnapshotKind = Literal["checkout", "bare", "folder", "archive"]
BARE_FLAGS = ("-c", "safe.bareRepository=all")
"""A bare repository that somebody names is meant; git still refuses one of another user."""


def find_identity(path: str, kind: SnapshotKind, revision: str) -> str | None:
    """What changes when the content does; None where only git can say, or where there is nothing."""
    if kind in ("checkout", "bare"):
        # What a `.git` that is a file or a link may name is looked at closely before it is read.
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
    """Why there is no commit, in git's own words where it has any."""
    answer = run_git(path, *flags, "rev-parse", "--verify", "--quiet", f"{revision}^{{commit}}")
    messages = [line for line in answer.err.splitlines() if line.strip() and not line.startswith("hint:")]
    if messages:
        reason = messages[0].removeprefix("fatal: ").removeprefix("error: ")
        return ConfigError(f"git can't read it: {reason}")
    if answer.code:
        return ConfigError("it has no commits yet" if revision == "HEAD" else f"{revision!r:.80} names no commit")
    return ConfigError("its commit or the tree of it can't be read: the repository is damaged; run `git fsck`")
