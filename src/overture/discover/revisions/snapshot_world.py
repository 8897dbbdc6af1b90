"""SnapshotWorld has the files of one tree at /project on an empty machine."""

import errno
import os

from ..disk.world import FOLDER, TOP, EntryKind, FileEntry, NeutralMachine, make_missing_error
from .git_objects import TreeNode
from .tree_worlds import TreeFiles, TreeObjects

GIT_FOLDER = f"{TOP}/.git"


class EmptyMachine(NeutralMachine):
    """A machine without files: the folder of a project, which is a repository, and nothing in it."""

    def look(self, path: str) -> FileEntry | None:
        """The folders that lead to the project, and its `.git`."""
        return FOLDER if path in ("/", TOP, GIT_FOLDER) else None

    def real(self, path: str) -> str:
        """The path itself: there are no links on an empty machine."""
        if self.look(path) is None:
            raise make_missing_error(path)
        return path

    def target(self, path: str) -> str:
        """On an empty machine nothing is a link."""
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), path)

    def names(self, path: str) -> list[tuple[str, EntryKind]]:
        """The entries of a folder of the empty machine."""
        return [(TOP[1:], "dir")] if self.real(path) == "/" else []

    def read(self, path: str) -> bytes:
        """On an empty machine there is nothing to read."""
        raise make_missing_error(path)

    read_input = read


class SnapshotWorld(TreeFiles, NeutralMachine):
    """The files of a tree at `/project`."""

    def __init__(self, tree: str, objects: TreeObjects) -> None:
        """A world with the files of one tree."""
        super().__init__(TOP, tree, objects, EmptyMachine())
        self._plain: dict[str, dict[str, TreeNode] | None] = {}

    def look(self, path: str) -> FileEntry | None:
        """The entry at a path: faster, if it is written plainly, in folders that are no links."""
        folder, _, name = path.rpartition("/")
        nodes = self._list_plainly(folder) if name not in ("", ".", "..", ".git") else None
        if nodes is None:
            return super().look(path)
        node = nodes.get(name)
        return None if node is None else self.make_entry(path, node)

    def _list_plainly(self, folder: str) -> dict[str, TreeNode] | None:
        """The entries of a folder; empty if it does not exist, None if only `_follow_links` can find out."""
        unknown = [folder]
        while unknown[-1] and unknown[-1] not in self._plain:
            unknown.append(unknown[-1].rpartition("/")[0])
        for each in reversed(unknown):
            if each not in self._plain:
                self._plain[each] = self._find_nodes(each)
        return self._plain[folder]

    def _find_nodes(self, folder: str) -> dict[str, TreeNode] | None:
        """The nodes of a folder of the snapshot; those of the folder above are known."""
        above, _, name = folder.rpartition("/")
        if folder != TOP and (not above or name in ("", ".", "..")):
            return None
        nodes = {name: self.nodes[TOP]} if folder == TOP else self._plain[above]
        node = nodes.get(name) if nodes else None
        if nodes is None or (node is not None and node.kind == "link"):
            return None
        is_folder = node is not None and node.kind == "dir" and not node.submodule
        return self._read_tree_folder(folder, node) if node is not None and is_folder else {}
