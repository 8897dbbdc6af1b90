"""Opens a repository as a world of its own, of any kind: a checkout, a bare repository, a folder, an archive."""

import os
import re
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from functools import partial
from typing import Literal

from ...errors import ConfigError
from ..disk.open_file import read_limited
from ..disk.real_world import RealWorld
from ..disk.repository import find_git_elsewhere, find_shared_folder, git_path, own_folder, read_pointer
from ..disk.scan_folders import SKIPPED_FOLDERS
from ..run_git import run_git
from .folder_and_archive_objects import ArchiveObjects, FolderObjects
from .git_objects import GitObjects, is_object_id
from .snapshot_world import SnapshotWorld

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
    """The commit of the repository to open as a snapshot, and its tree, which is loaded."""
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
    """Where a snapshot may read objects without git: git refuses repositories of other users, and so do we."""
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
    if answer.code and revision != "HEAD":
        return ConfigError(f"{revision!r:.80} names no commit")
    if answer.code and not _find_branch(path, flags):
        return ConfigError("it has no commits yet")
    if answer.code and run_git(path, *flags, "rev-parse", "--verify", "--quiet", "HEAD").code:
        hint = f"Name another: {path}@{_find_branch(path, flags)}."
        return ConfigError("HEAD names a branch without commits.", hint=hint)
    return ConfigError("its commit or the tree of it can't be read: the repository is damaged; run `git fsck`")


def _find_branch(path: str, flags: Sequence[str]) -> str:
    """The first branch or tag of a repository; empty if it has none."""
    return run_git(path, *flags, "for-each-ref", "--count=1", "--format=%(refname:short)").out.strip()


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
    """The object that a ref of the repository leads to, read from git's own files."""
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
    """The object of a ref in the repository's packed-refs; empty if it has none there."""
    try:
        data = read_limited(WORLD, path, MAX_PACKED_REFS_BYTES)
    except OSError:
        return ""
    end = data.find(b" " + os.fsencode(ref) + b"\n")
    return data[data.rfind(b"\n", 0, max(end, 0)) + 1 : end].decode("ascii", "replace") if end > 0 else ""
