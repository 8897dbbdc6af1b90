"""Opens a repository as a tree of files, of any kind: a checkout, a bare repository, a plain folder, a tarball.

Nothing is checked out or unpacked, and no member of an archive can lead out of it.
"""

import hashlib
import lzma
import os
import posixpath
import tarfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

from ..discovery.files import MAX_FILE_BYTES, NOT_REGULAR, EntryKind, TooLargeError, entry_kind, read_file
from ..discovery.globs import SKIPPED_FOLDERS
from ..discovery.place import find_git_elsewhere
from ..discovery.tree_files import GitObjects, MissingObjectError, Tree, TreeFiles, TreeFolders, TreeNode, parse_commit
from ..discovery.world import TOP, World
from ..errors import ConfigError

SnapshotKind = Literal["checkout", "bare", "folder", "archive"]
BARE_FLAGS = ("-c", "safe.bareRepository=all")
"""A bare repository that the user names is meant; git still refuses one of another user."""
ARCHIVE_ENDINGS = (".tar", ".tar.gz", ".tgz", ".tar.bz2", ".tar.xz")
ARCHIVE_ERRORS = (tarfile.TarError, lzma.LZMAError, zlib.error, EOFError, ValueError)
MAX_ENTRIES = 200_000
"""Files of an archive, or of a folder without git: a larger one is no project."""
MAX_CACHED_BYTES = 64 * 1024 * 1024
"""Bytes of small members that are cached: going back in a compressed archive means unpacking it from its start."""
MAX_CACHED_MEMBER_BYTES = 256 * 1024


def find_identity(path: str, kind: SnapshotKind, revision: str) -> str | None:
    """A value that changes with the content: the commit, if there is one; None if nothing can be read."""
    try:
        if kind == "folder":
            return _read_folder(path)[0]
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
        identity, tree = _read_folder(path)
        yield identity, TreeFiles(TOP, tree)
    elif kind == "archive":
        with _open_archive(path) as tree:
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
    if kind == "checkout" and (elsewhere := find_git_elsewhere(World(), path)) is not None:
        raise ConfigError(f"its .git leads to {elsewhere[1]!r}, which does not name this folder")
    return GitObjects(path, BARE_FLAGS if kind == "bare" else (), alone=True)


def _find_commit(objects: GitObjects, revision: str) -> tuple[str, bytes]:
    if "\n" in revision:
        raise ConfigError(f"{revision!r:.80} names no commit")
    return objects.find(f"{revision}^{{commit}}")


def _explain_unreadable(objects: GitObjects, revision: str, problem: OSError) -> ConfigError:
    """Why there is no commit or no tree, in git's own words if it has any."""
    look_up = ("rev-parse", "--verify", "--quiet")
    answer = objects.run(*look_up, f"{revision}^{{commit}}")
    messages = [line for line in answer.err.splitlines() if line.strip() and not line.startswith("hint:")]
    if messages:
        return ConfigError(f"git can't read it: {messages[0].removeprefix('fatal: ').removeprefix('error: ')}")
    if answer.code and revision != "HEAD":
        return ConfigError(f"{revision!r:.80} names no commit")
    if answer.code and objects.run(*look_up, "HEAD").code:
        branch = objects.run("for-each-ref", "--count=1", "--format=%(refname:short)").text.strip()
        if not branch:
            return ConfigError("it has no commits yet")
        return ConfigError("HEAD names a branch without commits.", hint=f"Name another: {objects.root}@{branch}.")
    return ConfigError(f"{problem}; run `git fsck`" if isinstance(problem, MissingObjectError) else str(problem))


@contextmanager
def _open_archive(path: str) -> Iterator[Tree]:
    """The members of a tarball. The one folder around everything, as in GitHub's, is dropped."""
    if not os.path.isfile(path):  # to open a FIFO is to wait for a writer
        raise OSError(NOT_REGULAR)
    with _explain_damage():
        archive = tarfile.open(path)  # noqa: SIM115  closed below
    with archive:
        members: list[tarfile.TarInfo] = []
        cached: dict[int, bytes] = {}
        with _explain_damage():
            folders = _list_archive(archive, members, cached)

        def read(number: str) -> bytes:
            at = int(number, 16)
            with _explain_damage():
                return cached[at] if at in cached else _read_member(archive, members[at])

        yield Tree(folders, read)


@contextmanager
def _explain_damage() -> Iterator[None]:
    try:
        yield
    except ARCHIVE_ERRORS as problem:
        raise OSError(f"the archive is damaged: {problem}") from None


def _list_archive(
    archive: tarfile.TarFile, members: list[tarfile.TarInfo], cached: dict[int, bytes]
) -> TreeFolders:  # fmt: skip
    """The entries of each folder; the hash of a file is its place among the members."""
    folders: TreeFolders = {"": {}}
    room = MAX_CACHED_BYTES
    for member in archive:
        steps = posixpath.normpath(f"/{member.name}").strip("/").split("/")
        kind: EntryKind = "dir" if member.isdir() else "link" if member.issym() else "file"
        is_other = not (member.isdir() or member.issym() or member.isfile() or member.islnk())  # a device or a FIFO
        if is_other or ".." in member.name.split("/") or ".git" in steps or not steps[-1]:
            continue
        if steps[0] == "repositories" and steps[3:] == ["HEAD"] and steps[2].endswith(".git"):
            raise OSError("it is an export of an organization: unpack it, and name its folder")
        if len(members) >= MAX_ENTRIES:
            raise OSError(f"it holds over {MAX_ENTRIES:,} files")
        nodes, path = folders[""], ""
        for step in steps if kind == "dir" else steps[:-1]:  # an archive need not list its folders
            path = f"{path}/{step}" if path else step
            nodes[step] = TreeNode("dir", "0")
            nodes = folders.setdefault(path, {})
        if kind == "dir":
            continue
        nodes[steps[-1]] = TreeNode(kind, f"{len(members):x}")
        if member.isfile() and member.size <= min(MAX_CACHED_MEMBER_BYTES, room):
            room -= member.size
            cached[len(members)] = _read_member(archive, member)
        members.append(member)
    only = [name for name, node in folders[""].items() if node.kind == "dir"]
    if len(only) == 1 == len(folders[""]):
        folders = {path[len(only[0]) + 1 :]: nodes for path, nodes in folders.items() if path}
    return folders


def _read_member(archive: tarfile.TarFile, member: tarfile.TarInfo) -> bytes:
    """The content of an archive's member, or the target of its link, within the limit of bytes."""
    if member.issym():
        return os.fsencode(member.linkname)
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


def _read_folder(root: str) -> tuple[str, Tree]:
    """The files of a plain folder, and a digest that changes when one of them does, by its size and time."""
    root = os.path.realpath(root)
    digest = hashlib.sha1(os.fsencode(root), usedforsecurity=False)
    folders: TreeFolders = {}
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
                nodes[entry.name] = TreeNode(kind, "0")
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
