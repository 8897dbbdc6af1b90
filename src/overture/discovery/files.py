"""Files are what is read, wherever it is: on the disk, in a revision, with changes on top, or in memory."""

import errno
import os
import posixpath
import re
import stat
import time
from contextlib import suppress
from typing import Literal, NamedTuple, Protocol

from .paths import contains_path

EntryKind = Literal["file", "dir", "link", "other"]
Entries = list[tuple[str, EntryKind]]  # names in a folder, each with what it is
ENTRY_KINDS: dict[int, EntryKind] = {stat.S_IFREG: "file", stat.S_IFDIR: "dir", stat.S_IFLNK: "link"}
MAX_FILE_BYTES = 64 * 1024 * 1024  # larger files are not loaded: no model could read them
MAX_LINK_HOPS = 40
NOT_REGULAR = "it is not a regular file"
LFS_POINTER = re.compile(
    rb"version https://git-lfs\.github\.com/spec/v1\n(?:.*\n)*?oid sha256:([0-9a-f]{64})\nsize (\d+)\n"
)
MAX_POINTER_BYTES = 1024
# Without O_NONBLOCK a FIFO would hang us.
READ_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)


class TooLargeError(OSError):
    """A file beyond its limit."""


class OutsideError(OSError):
    """A file outside the folder that must contain it."""


class ElsewhereError(OSError):
    """A file whose content is in another store."""


class FileEntry(NamedTuple):
    """A file, folder or link at a path, not following links."""

    kind: EntryKind
    id: tuple[int, ...]  # the same for two names of one file
    stamp: tuple[int, ...]  # changes when the content does
    stable: bool = True  # whether it was last written long enough ago that a further write would change the stamp
    size: int = 0


class Files(Protocol):
    """A tree of files. Links in the folders of a path are followed; a method raises OSError and nothing else."""

    def look(self, path: str) -> FileEntry | None:
        """The entry at a path, or None. A link at its end is not followed."""

    def names(self, path: str) -> Entries:
        """The entries of a folder, sorted by name."""

    def read(self, path: str, max_bytes: int = MAX_FILE_BYTES, *, is_real: bool = False) -> bytes:
        """The content of a regular file of at most so many bytes, and of nothing else.

        `is_real`: the path had no links when it was checked; one that was put there since is an error.
        """

    def target(self, path: str) -> str:
        """The target of a link, as written."""

    def real(self, path: str) -> str:
        """The path with all links followed. A loop or a missing target is an OSError."""


def read_file(path: str, max_bytes: int = MAX_FILE_BYTES, *, is_real: bool = False) -> bytes:
    """The content of a regular file of the disk; with `is_real`, only if no link was put on the way meanwhile."""
    try:
        handle = os.open(path, READ_FLAGS)
    except ValueError:  # a NUL in the path
        raise make_path_error(path) from None
    except OSError as problem:
        raise OSError(NOT_REGULAR) if problem.errno == errno.ENXIO else problem from None  # ENXIO: a socket
    try:
        status = os.fstat(handle)
        if is_real and not (os.path.realpath(path) == path and os.path.samestat(os.lstat(path), status)):
            raise OutsideError("it was replaced while it was read")
        if not stat.S_ISREG(status.st_mode):
            raise OSError("it is a directory" if stat.S_ISDIR(status.st_mode) else NOT_REGULAR)
        if status.st_size > max_bytes:
            raise TooLargeError(f"it has {status.st_size:,} bytes, over the limit of {max_bytes:,}")
        return read_all(handle, max_bytes)
    finally:
        os.close(handle)


def read_all(handle: int, max_bytes: int) -> bytes:
    """All of an open file; one that goes on beyond `max_bytes`, as a file that grows, is not read to its end."""
    pieces: list[bytes] = []
    remaining = max_bytes + 1
    while remaining > 0 and (piece := os.read(handle, min(remaining, 64 * 1024))):
        pieces.append(piece)
        remaining -= len(piece)
    if remaining <= 0:
        raise TooLargeError(f"it is over the limit of {max_bytes:,} bytes")
    return b"".join(pieces)


def entry_kind(entry: "os.DirEntry[str]") -> EntryKind:
    """The kind of a folder's entry, not following links."""
    if entry.is_file(follow_symlinks=False):  # as most are
        return "file"
    if entry.is_dir(follow_symlinks=False):
        return "dir"
    return "link" if entry.is_symlink() else "other"


def refuse_pointer(data: bytes) -> bytes:
    """The content of a file, unless it only says where the content is."""
    if len(data) < MAX_POINTER_BYTES and (pointer := LFS_POINTER.match(data)):
        start, size = pointer[1][:12].decode(), int(pointer[2])
        raise ElsewhereError(f"it is a Git LFS pointer (sha256 {start}, {size:,} bytes), not the file")
    return data


class DiskFiles:
    """The files of this machine."""

    read = staticmethod(read_file)

    def look(self, path: str) -> FileEntry | None:
        try:
            status = os.lstat(path)
        except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: a NUL in the path
            return None
        stamp = (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino, status.st_dev)
        stable = time.time_ns() - status.st_mtime_ns > 100_000_000
        kind = ENTRY_KINDS.get(stat.S_IFMT(status.st_mode), "other")
        return FileEntry(kind, (status.st_dev, status.st_ino), stamp, stable, status.st_size)

    def names(self, path: str) -> Entries:
        try:
            with os.scandir(path) as entries:
                return sorted((entry.name, entry_kind(entry)) for entry in entries)
        except ValueError:  # a NUL in the path
            raise make_path_error(path) from None

    def target(self, path: str) -> str:
        return os.readlink(path)

    def real(self, path: str) -> str:
        try:
            return os.path.realpath(path, strict=True)
        except RecursionError:  # a link to a link to a link: Python calls itself for each
            raise make_path_error(path, errno.ELOOP) from None


class VirtualFiles:
    """Files that are not on the disk. A subclass says what is at a real path: one whose folders are no links."""

    remembers = True  # whether nothing in them changes: that a folder is no link is then found out once

    def __init__(self) -> None:
        self.plain_folders: set[str] = set()

    def at(self, real: str) -> FileEntry | None:
        raise NotImplementedError

    def list(self, real: str) -> Entries:
        """The entries of a folder, in any order."""
        raise NotImplementedError

    def content(self, real: str, max_bytes: int) -> bytes:
        raise NotImplementedError

    def leads(self, real: str) -> str:
        raise NotImplementedError

    def look(self, path: str) -> FileEntry | None:
        try:
            return self.at(self.follow(path, last=False))
        except (FileNotFoundError, NotADirectoryError):
            return None

    def names(self, path: str) -> Entries:
        real = self.real(path)
        entry = self.at(real)
        if entry is None or entry.kind != "dir":
            raise make_path_error(path, errno.ENOTDIR)
        return sorted(self.list(real))

    def read(self, path: str, max_bytes: int = MAX_FILE_BYTES, *, is_real: bool = False) -> bytes:
        real = self.real(path)
        entry = self.at(real)
        if entry is None or entry.kind != "file":
            raise OSError("it is a directory" if entry and entry.kind == "dir" else NOT_REGULAR)
        data = self.content(real, max_bytes)
        if len(data) > max_bytes:
            raise TooLargeError(f"it has {len(data):,} bytes, over the limit of {max_bytes:,}")
        return data

    def target(self, path: str) -> str:
        real = self.follow(path, last=False)
        entry = self.at(real)
        if entry is None or entry.kind != "link":
            raise make_path_error(path, errno.EINVAL)
        return self.leads(real)

    def real(self, path: str) -> str:
        return self.follow(path)

    def follow(self, path: str, *, last: bool = True) -> str:
        """A path with the links in its folders followed; with `last`, also one at its end."""
        todo, here, hops = path.split("/")[::-1], "", 0
        while todo:
            step = todo.pop()
            if step in ("", "."):
                continue
            child = here.rpartition("/")[0] if step == ".." else f"{here}/{step}"
            if step == ".." or child in self.plain_folders or not (todo or last):
                here = child
                continue
            entry = self.at(child)
            if entry is None:
                raise make_path_error(path)
            if entry.kind != "link":
                here = child
                if entry.kind == "dir" and self.remembers:
                    self.plain_folders.add(child)
                continue
            hops += 1
            if hops > MAX_LINK_HOPS:
                raise make_path_error(path, errno.ELOOP)
            target = self.leads(child)
            here = "" if target.startswith("/") else here
            todo += target.split("/")[::-1]
        return here or "/"


class FilesWithin(VirtualFiles):
    """Other files as if some folders, and what leads to them, were all that is there."""

    def __init__(self, files: Files, *folders: str) -> None:
        """`folders` are real paths."""
        self.files, self.folders = files, folders

    def at(self, real: str) -> FileEntry | None:
        return self.files.look(real) if self._holds(real) else None

    def list(self, real: str) -> Entries:
        return [row for row in self.files.names(real) if self._holds(posixpath.join(real, row[0]))]

    def content(self, real: str, max_bytes: int) -> bytes:
        return self.files.read(real, max_bytes, is_real=True)

    def leads(self, real: str) -> str:
        return self.files.target(real)

    def follow(self, path: str, *, last: bool = True) -> str:
        """The path with links followed, wherever they lead."""
        folder, name = posixpath.split(posixpath.normpath(path))
        return self.files.real(path) if last else posixpath.join(self.files.real(folder or "/"), name)

    def _holds(self, real: str) -> bool:
        return any(contains_path(top, real) or contains_path(real, top) for top in self.folders)


def make_path_error(path: str, code: int = errno.ENOENT) -> OSError:
    """The system's error for a path, by its number."""
    return OSError(code, os.strerror(code), path)


def describe_os_error(problem: OSError) -> str:
    """Why a file can't be used, in words."""
    if isinstance(problem, FileNotFoundError):
        return "it was deleted meanwhile, or is a broken symlink"
    if problem.errno == errno.ELOOP:
        return "it is a symlink loop"
    return problem.strerror.lower() if problem.strerror else str(problem)


def explain_unusable_path(files: Files, path: str, problem: OSError) -> str:
    """Why an existing path can't be used."""
    return (isinstance(problem, FileNotFoundError) and describe_dead_link(files, path)) or describe_os_error(problem)


def describe_dead_link(files: Files, path: str) -> str | None:
    """`it is a link to X, which is not there`, if the path is such a link."""
    targets: list[str] = []
    end = path
    with suppress(OSError):  # at the end of the chain there is no link
        while len(targets) < MAX_LINK_HOPS:
            targets.append(files.target(end))
            end = posixpath.normpath(posixpath.join(posixpath.dirname(end), targets[-1]))
    on_the_way = f"which leads to {end}, " if len(targets) > 1 else ""
    return f"it is a symlink to {targets[0]}, {on_the_way}which does not exist" if targets else None
