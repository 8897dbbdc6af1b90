"""Reads a tarball or a plain folder as a tree of objects: nothing is unpacked, and no member can lead out of it."""

import hashlib
import lzma
import os
import posixpath
import tarfile
import zlib
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from ..disk.open_file import NOT_REGULAR, TooLargeError, read_file
from ..disk.real_world import entry_kind
from ..disk.scan_folders import SKIPPED_FOLDERS
from ..disk.world import MAX_FILE_BYTES, EntryKind
from .git_objects import MissingObjectError, TreeNode

ARCHIVE_ENDINGS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
ARCHIVE_ERRORS = (tarfile.TarError, lzma.LZMAError, zlib.error, EOFError, ValueError)
MAX_ARCHIVE_MEMBERS = 200_000
MAX_CACHED_BYTES = 64 * 1024 * 1024
"""Bytes of small members that are cached: going back in a compressed archive means unpacking it from its start."""
MAX_CACHED_MEMBER_BYTES = 256 * 1024


class ArchiveMember(NamedTuple):
    """A member, and how to read it."""

    path: str
    kind: EntryKind
    read: Callable[[], bytes]
    size: int = 0


class ArchiveObjects:
    """Members by their number. The one folder around everything, as in GitHub's tarballs, is dropped."""

    def __init__(self, path: str) -> None:
        """Read the members of an archive, and give each its place in the tree."""
        self.readers: list[Callable[[], bytes]] = []
        self.trees: dict[str, dict[str, TreeNode]] = {"0": {}}
        self.folders = {"": "0"}
        self._file: Any = None
        room = MAX_CACHED_BYTES
        try:
            if not os.path.isfile(path):  # to open a FIFO is to wait for a writer
                raise OSError(NOT_REGULAR)
            self._file = tarfile.open(path)  # noqa: SIM115  closed by `close`
            for member in _list_tar(self._file):
                if len(self.readers) >= MAX_ARCHIVE_MEMBERS:
                    raise OSError(f"it holds over {MAX_ARCHIVE_MEMBERS:,} files")
                if member.size <= min(MAX_CACHED_MEMBER_BYTES, room):
                    data = member.read()
                    room -= len(data)
                    member = member._replace(read=partial(bytes, data))
                self._add(member)
        except ARCHIVE_ERRORS as problem:
            raise OSError(f"the archive is damaged: {problem}") from None
        only = [node for node in self.trees["0"].values() if node.kind == "dir"]
        self.top = only[0].hash if len(only) == 1 == len(self.trees["0"]) else "0"

    def tree(self, name: str) -> dict[str, TreeNode]:
        """The entries of a folder of the archive."""
        return self.trees[name]

    def read(self, name: str) -> bytes:
        """The content of a member of the archive, or the target of a link."""
        try:
            return self.readers[int(name, 16)]()
        except ARCHIVE_ERRORS as problem:
            raise OSError(f"the archive is damaged: {problem}") from None

    def close(self) -> None:
        """Close the archive."""
        if self._file is not None:
            self._file.close()

    def _add(self, member: ArchiveMember) -> None:
        """Give a member its place; one with the name `../x`, or the name of another, has none."""
        steps = posixpath.normpath(f"/{member.path}").strip("/").split("/")
        if ".." in member.path.split("/") or ".git" in steps or not steps[-1]:
            return
        if steps[0] == "repositories" and steps[3:] == ["HEAD"] and steps[2].endswith(".git"):
            raise OSError("it is an export of an organization: unpack it, and name its folder")
        here = self.folders[""]
        for at, step in enumerate(steps[:-1], 1):
            path = "/".join(steps[:at])
            if path not in self.folders:
                self._add_folder(self.trees[here], step, path)
            here = self.folders[path]
        if member.kind == "dir":
            if "/".join(steps) not in self.folders:
                self._add_folder(self.trees[here], steps[-1], "/".join(steps))
            return
        self.trees[here][steps[-1]] = TreeNode(member.kind, f"{len(self.readers):x}")
        self.readers.append(member.read)

    def _add_folder(self, above: dict[str, TreeNode], name: str, path: str) -> None:
        number = f"{len(self.folders):x}"
        self.folders[path], self.trees[number] = number, {}
        above[name] = TreeNode("dir", number)


def _list_tar(archive: tarfile.TarFile) -> Iterator[ArchiveMember]:
    """The members of a tar archive."""
    for member in archive:
        if member.isdir():
            yield ArchiveMember(member.name, "dir", bytes)
        elif member.issym():
            yield ArchiveMember(member.name, "link", partial(os.fsencode, member.linkname))
        elif member.isfile() or member.islnk():
            size = MAX_FILE_BYTES if member.islnk() else member.size  # a hard link has no bytes of its own
            yield ArchiveMember(member.name, "file", partial(_read_tar, archive, member), size)


def _read_tar(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    """The content of an archive's member, within the limit of bytes."""
    try:
        file = archive.extractfile(member)
    except KeyError:
        file = None
    if file is None:
        raise OSError("it is a link to what the archive does not hold")
    if member.islnk():
        return file.read(MAX_FILE_BYTES)
    if member.size > MAX_FILE_BYTES:
        raise TooLargeError(f"it has {member.size:,} bytes, over the limit of {MAX_FILE_BYTES:,}")
    data = file.read(member.size)
    if len(data) < member.size:
        raise OSError("the archive ends within it")
    return data


MAX_FOLDER_ENTRIES = 200_000
"""Entries of a folder without git: a larger one is no project."""


class FolderObjects:
    """Files by a name that changes when they do: a digest of path, size and time."""

    def __init__(self, root: str) -> None:
        """Read the plain folder at `root` as a tree of objects."""
        self.root = os.path.realpath(root)
        self.paths: dict[str, str] = {}
        self.trees: dict[str, dict[str, TreeNode] | str] = {}
        """The entries of each folder, or why it can't be read."""
        self.top = self._scan(self.root)

    def tree(self, name: str) -> dict[str, TreeNode]:
        """The entries of a folder without git; an unreadable one counts as missing."""
        nodes = self.trees[name]
        if isinstance(nodes, str):
            raise MissingObjectError(nodes)
        return nodes

    def read(self, name: str) -> bytes:
        """The content of a file in a folder without git, or the target of a link."""
        path = self.paths[name]
        if os.path.islink(path):
            return os.fsencode(os.readlink(path))
        return read_file(path, MAX_FILE_BYTES)

    def _scan(self, top: str) -> str:
        """The name of a folder as an object, derived from the names of all its entries."""
        listings: dict[str, dict[str, TreeNode] | str] = {}
        folders = [top]
        for folder in folders:
            try:
                nodes = listings[folder] = self._list_folder(folder)
            except OSError as problem:
                if folder == top:
                    raise
                listings[folder] = f"the folder can't be read: {(problem.strerror or str(problem)).lower()}"
                continue
            if len(self.paths) > MAX_FOLDER_ENTRIES:
                raise OSError(f"it holds over {MAX_FOLDER_ENTRIES:,} files and is not a repository")
            below = (name for name, node in nodes.items() if node.kind == "dir" and not node.submodule)
            folders += [posixpath.join(folder, name) for name in below]
        name = ""
        for folder in reversed(folders):  # each has its name before the one above it
            content = listings[folder]
            words = [content] if isinstance(content, str) else [f"{each} {n.hash}" for each, n in content.items()]
            name = _hash_words(folder, *words)
            self.trees[name] = content
            above, _, own = folder.rpartition("/")
            if folder != top and isinstance(beside := listings[above or "/"], dict):
                beside[own] = TreeNode("dir", name)
        return name

    def _list_folder(self, folder: str) -> dict[str, TreeNode]:
        """The entries of a folder, without those that no search enters; folders get their names later."""
        nodes: dict[str, TreeNode] = {}
        with os.scandir(folder) as entries:
            found = sorted(entries, key=lambda entry: entry.name)
        for entry in found:
            kind = entry_kind(entry)
            if kind == "dir" and entry.name not in SKIPPED_FOLDERS:
                nodes[entry.name] = TreeNode(kind, "0", os.path.lexists(f"{entry.path}/.git"))
            elif kind in ("file", "link"):
                status = entry.stat(follow_symlinks=False)
                name = _hash_words(entry.path, str(status.st_size), str(status.st_mtime_ns))
                self.paths[name] = entry.path
                nodes[entry.name] = TreeNode(kind, name)
            if len(self.paths) > MAX_FOLDER_ENTRIES:
                break
        return nodes


def _hash_words(*words: str) -> str:
    """The name of a folder's entry as an object: a digest of its path, size and time."""
    return hashlib.sha1("\0".join(words).encode("utf-8", "surrogateescape"), usedforsecurity=False).hexdigest()
