"""Finds the commit that a repository is at without starting git, where that is simple: thousands are asked."""

import os
import re
from functools import partial

from ..disk.read_file import read_limited
from ..disk.real_world import RealWorld
from ..disk.repository import find_shared_folder, git_path, own_folder, read_pointer
from .git_objects import is_object_id

PLAIN_NAME = re.compile(r"(?!.*\.\.)[\w./+-]+")
"""Names of branches and tags; `HEAD~2` and others are for git itself."""
MAX_SYMBOLIC_REFS = 5
MAX_PACKED_REFS_BYTES = 64 * 1024 * 1024
REF_FOLDERS = ("refs/", "refs/tags/", "refs/heads/", "refs/remotes/")
"""Where git looks for the name of a revision, in this order."""
WORLD = RealWorld()


def find_commit(path: str, revision: str = "HEAD", *, bare: bool = False) -> str | None:
    """The object that a revision is, of an annotated tag the tag; None where only git can say."""
    if is_object_id(revision):
        return revision
    own, shared = find_git_folders(path, bare=bare)
    if revision == "HEAD":
        return _follow(own, shared, "HEAD")
    if not PLAIN_NAME.fullmatch(revision):
        return None
    found = map(partial(_follow, own, shared), (f"{folder}{revision}" for folder in REF_FOLDERS))
    return next(filter(None, found), None)


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
