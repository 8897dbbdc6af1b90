"""The anchors of files as they are kept on disk: their path, their bytes, loaded, read and written."""

import os
import stat
import sys
from array import array
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any
from zlib import crc32

import msgspec

from ...agents.survey_project import list_project_folders
from ...discover.discover import ResolvedProject
from ...discover.disk.open_file import NO_FOLLOW, READ_FLAGS
from ...discover.disk.paths import choose_user_folder
from ...discover.disk.write_file import write_file
from .anchor_index import NO_ANCHORS, FileAnchors, IndexedFile, SourceIndex, make_anchors
from .candidate_files import CandidateFiles, read_candidate
from .words_and_anchors import HEAD, RUN, STEP

MAGIC = b"overture tap index 4\n"
ROWS = ("keys", "words", "heads")
"""What is kept as numbers of one size; all else is kept as JSON."""
RULES = [sys.byteorder, RUN, STEP, HEAD, array("I").itemsize]
"""Where one of them is another, the numbers mean something else."""


class _Head(msgspec.Struct):
    """What stands before the rows."""

    rules: list[Any]
    files: list[IndexedFile]
    digests: list[str]
    counts: dict[str, list[int]]
    sizes: dict[str, int]
    """Bytes of each row."""


def encode_index(index: FileAnchors) -> bytes:
    """An index in the bytes that are saved on disk."""
    rows = {name: bytes(getattr(index, name)) for name in ROWS}
    sizes = {name: len(row) for name, row in rows.items()}
    counts = {name: list(getattr(index, name)) for name in index._fields[2:] if name not in ROWS}
    head = msgspec.json.encode(_Head(RULES, list(index.files), list(index.digests), counts, sizes))
    data = b"".join((len(head).to_bytes(8, "big"), head, *rows.values()))
    return MAGIC + crc32(data).to_bytes(4, "big") + data


def decode_index(data: bytes) -> FileAnchors | None:
    """The index that was kept; None where it is broken, or written by other rules."""
    begin = len(MAGIC) + 4
    view = memoryview(data)[begin:]
    if len(view) < 8 or data[:begin] != MAGIC + crc32(view).to_bytes(4, "big"):
        return None
    end = 8 + int.from_bytes(view[:8], "big")
    try:
        head = msgspec.json.decode(view[8:end], type=_Head)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        return None
    if (head.rules, tuple(head.sizes)) != (RULES, ROWS):
        return None
    rows = {name: array("I") for name in ROWS}
    for name, size in head.sizes.items():
        rows[name].frombytes(view[end : end + size])
        end += size
    return FileAnchors(head.files, head.digests, **head.counts, **rows)


MAX_INDEX_BYTES = 1 << 30


def make_index_path(environment: Mapping[str, str], home: str, top: str) -> str:
    """Where the anchors of a project's files are kept."""
    base = choose_user_folder(environment, home, ".cache", "XDG_CACHE_HOME")
    name = blake2b(f"{top}\n{home}".encode("utf-8", "surrogateescape"), digest_size=10).hexdigest()
    return f"{base}/overture/tap/files-{name}.index"


def read_index(path: str) -> FileAnchors | None:
    """The index that was kept; None where there is none, where it is broken, or where it is not the user's own."""
    try:
        handle = os.open(path, READ_FLAGS | NO_FOLLOW)
    except (OSError, ValueError):
        return None
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(handle)
        own = found.st_uid == os.getuid() and not found.st_mode & 0o022
        if not (own and stat.S_ISREG(found.st_mode) and found.st_size < MAX_INDEX_BYTES):
            return None
        return decode_index(file.read())


def write_index(path: str, index: FileAnchors) -> str | None:
    """Save an index in place of the previous one; the problem if that fails, and the index is rebuilt each time."""
    try:
        write_file(path, encode_index(index), mode=0o600, folders=0o700, durable=False)
    except OSError as problem:
        return f"can't save the file index: {(problem.strerror or str(problem)).lower()}; it is rebuilt each time"
    return None


def load_index(project: ResolvedProject, files: CandidateFiles, cached: bool) -> SourceIndex:
    """The anchors of all files; those of files that have not changed since are taken from disk."""
    path = make_index_path(project.world.environment(), project.home, list_project_folders(project)[0])

    def read(path: str) -> str | None:
        return read_candidate(project.world, files.real[path], path)

    old = (read_index(path) if cached else None) or NO_ANCHORS
    anchors = make_anchors(files.files, read, old)
    return SourceIndex(anchors, read, write_index(path, anchors) if cached and anchors is not old else None)
