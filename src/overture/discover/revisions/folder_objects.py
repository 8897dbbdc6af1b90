"""Reads a folder without git as a tree: its files as they lie on disk, and none of what links point to."""

import hashlib
import os

from ..disk.open_file import open_real_path, read_handle
from ..disk.scan_folders import SKIPPED_FOLDERS
from ..disk.world import MAX_FILE_BYTES
from ..stored.recorded_questions import entry_kind
from .git_objects import TreeNode

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
        """What a folder holds."""
        return self.trees[name]

    def read(self, name: str) -> bytes:
        """The content of a file, or where a link leads."""
        path = self.paths[name]
        if os.path.islink(path):
            return os.fsencode(os.readlink(path))
        return read_handle(open_real_path(path), MAX_FILE_BYTES)

    def _scan(self, folder: str) -> str:
        """The name of a folder, which follows from the names of all that it holds."""
        nodes: dict[str, TreeNode] = {}
        with os.scandir(folder) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
        for entry in found:
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


def _digest(*words: str) -> str:
    return hashlib.sha1("\0".join(words).encode("utf-8", "surrogateescape"), usedforsecurity=False).hexdigest()
