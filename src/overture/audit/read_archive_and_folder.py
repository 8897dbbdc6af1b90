"""Reads a tarball or a plain folder as a tree: nothing is unpacked, and no member can lead out of it."""

import hashlib
import lzma
import os
import posixpath
import tarfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from ..discover.files import MAX_FILE_BYTES, NOT_REGULAR, EntryKind, TooLargeError, entry_kind, read_file
from ..discover.scan_folders import SKIPPED_FOLDERS
from ..discover.tree_files import Tree, TreeNode

ARCHIVE_ENDINGS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
ARCHIVE_ERRORS = (tarfile.TarError, lzma.LZMAError, zlib.error, EOFError, ValueError)
MAX_ENTRIES = 200_000
"""Files of an archive, or of a folder without git: a larger one is no project."""
MAX_CACHED_BYTES = 64 * 1024 * 1024
"""Bytes of small members that are cached: going back in a compressed archive means unpacking it from its start."""
MAX_CACHED_MEMBER_BYTES = 256 * 1024


@contextmanager
def open_archive(path: str) -> Iterator[Tree]:
    """The members of a tarball. The one folder around everything, as in GitHub's, is dropped."""
    if not os.path.isfile(path):  # to open a FIFO is to wait for a writer
        raise OSError(NOT_REGULAR)
    with _explain_damage():
        archive = tarfile.open(path)  # noqa: SIM115  closed below
    with archive:
        readers: list[Callable[[], bytes]] = []
        with _explain_damage():
            folders = _list_archive(archive, readers)

        def read(number: str) -> bytes:
            with _explain_damage():
                return readers[int(number, 16)]()

        yield Tree(folders, read)


@contextmanager
def _explain_damage() -> Iterator[None]:
    try:
        yield
    except ARCHIVE_ERRORS as problem:
        raise OSError(f"the archive is damaged: {problem}") from None


def _list_archive(archive: tarfile.TarFile, readers: list[Callable[[], bytes]]) -> dict[str, dict[str, TreeNode]]:
    """The entries of each folder; the hash of a file is the place of its reader."""
    folders: dict[str, dict[str, TreeNode]] = {"": {}}
    room = MAX_CACHED_BYTES
    for member in archive:
        steps = posixpath.normpath(f"/{member.name}").strip("/").split("/")
        kind: EntryKind = "dir" if member.isdir() else "link" if member.issym() else "file"
        if ".." in member.name.split("/") or ".git" in steps or not steps[-1]:
            continue
        if kind == "file" and not (member.isfile() or member.islnk()):  # a device or a FIFO
            continue
        if steps[0] == "repositories" and steps[3:] == ["HEAD"] and steps[2].endswith(".git"):
            raise OSError("it is an export of an organization: unpack it, and name its folder")
        if len(readers) >= MAX_ENTRIES:
            raise OSError(f"it holds over {MAX_ENTRIES:,} files")
        nodes = _make_folders(folders, steps if kind == "dir" else steps[:-1])
        if kind == "dir":
            continue
        read = partial(os.fsencode, member.linkname) if kind == "link" else partial(_read_member, archive, member)
        if kind == "file" and not member.islnk() and member.size <= min(MAX_CACHED_MEMBER_BYTES, room):
            data = read()
            room -= len(data)
            read = partial(bytes, data)
        nodes[steps[-1]] = TreeNode(kind, f"{len(readers):x}")
        readers.append(read)
    only = [name for name, node in folders[""].items() if node.kind == "dir"]
    if len(only) == 1 == len(folders[""]):
        folders = {path[len(only[0]) + 1 :]: nodes for path, nodes in folders.items() if path}
    return folders


def _make_folders(folders: dict[str, dict[str, TreeNode]], steps: list[str]) -> dict[str, TreeNode]:
    """The entries of a folder, made with those above it: an archive need not list them."""
    nodes, path = folders[""], ""
    for step in steps:
        path = f"{path}/{step}" if path else step
        nodes[step] = TreeNode("dir", "0")
        nodes = folders.setdefault(path, {})
    return nodes


def _read_member(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    """The content of an archive's member, within the limit of bytes."""
    try:
        file = archive.extractfile(member)
    except KeyError:
        file = None
    if file is None:
        raise OSError("it is a link to what the archive does not hold")
    if member.islnk():  # it has no bytes of its own
        return file.read(MAX_FILE_BYTES)
    if member.size > MAX_FILE_BYTES:
        raise TooLargeError(f"it has {member.size:,} bytes, over the limit of {MAX_FILE_BYTES:,}")
    data = file.read(member.size)
    if len(data) < member.size:
        raise OSError("the archive ends within it")
    return data


def read_folder(root: str) -> tuple[str, Tree]:
    """The files of a plain folder, and a digest that changes when one of them does, by its size and time."""
    root = os.path.realpath(root)
    digest = hashlib.sha1(os.fsencode(root), usedforsecurity=False)
    folders: dict[str, dict[str, TreeNode]] = {}
    unreadable: dict[str, str] = {}
    files: list[str] = []
    inner: list[str] = []
    waiting = [""]
    for folder in waiting:
        try:
            with os.scandir(posixpath.join(root, folder) if folder else root) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError as problem:
            if not folder:
                raise
            unreadable[folder] = f"the folder can't be read: {(problem.strerror or str(problem)).lower()}"
            digest.update(os.fsencode(f"{folder}\0{unreadable[folder]}\0"))
            continue
        nodes = folders[folder] = {}
        for entry in entries:
            path, kind, facts = posixpath.join(folder, entry.name), entry_kind(entry), ""
            if kind == "dir" and entry.name not in SKIPPED_FOLDERS:
                is_repository = os.path.lexists(f"{entry.path}/.git")
                nodes[entry.name] = TreeNode(kind, "0", is_repository)
                (inner if is_repository else waiting).append(path)
                facts = str(is_repository)
            elif kind in ("file", "link"):
                status = entry.stat(follow_symlinks=False)
                nodes[entry.name] = TreeNode(kind, f"{len(files):x}")
                files.append(entry.path)
                facts = f"{status.st_size} {status.st_mtime_ns}"
            digest.update(os.fsencode(f"{path}\0{facts}\0"))
            if len(files) > MAX_ENTRIES:
                raise OSError(f"it holds over {MAX_ENTRIES:,} files and is not a repository")

    def read(number: str) -> bytes:
        path = files[int(number, 16)]
        return os.fsencode(os.readlink(path)) if os.path.islink(path) else read_file(path, MAX_FILE_BYTES)

    return digest.hexdigest(), Tree(folders, read, tuple(inner), unreadable)
