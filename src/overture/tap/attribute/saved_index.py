"""The indexes of files as they are kept on disk: their paths, their bytes, loaded, read and written."""

import os
import stat
import sys
from array import array
from collections.abc import Mapping
from functools import partial
from hashlib import blake2b
from typing import Any, TypeVar
from zlib import crc32

import msgspec

from ...agents.survey_project import list_project_folders
from ...discover.discover import ResolvedProject
from ...discover.disk.paths import choose_user_folder
from ...discover.disk.write_file import write_file
from .anchor_index import NO_ANCHORS, FileAnchors, IndexedFile, make_anchors
from .candidate_files import CandidateFiles, read_candidate
from .word_index import NOTHING, Index, SourceIndex
from .words_and_anchors import HEAD, RUN, STEP

MAGIC = b"overture tap index 3\n"
ROWS = {
    FileAnchors: {"keys": "I", "words": "I", "heads": "I"},
    Index: {
        "words": "I", "lines": "I", "sums": "I", "bodies": "I", "escapes": "B", "values": "I", "value_ends": "Q",
    },
}  # fmt: skip
"""What is kept as numbers of one size; all else is kept as JSON."""
RULES = [sys.byteorder, RUN, STEP, HEAD, array("I").itemsize]
"""Where one of them is another, the numbers mean something else."""
Kind = TypeVar("Kind", FileAnchors, Index)


class _Head(msgspec.Struct):
    """What stands before the rows."""

    rules: list[Any]
    kind: str
    files: list[IndexedFile]
    digests: list[str]
    counts: dict[str, list[int]]
    sizes: dict[str, int]
    """Bytes of each row."""


def encode_index(index: FileAnchors | Index) -> bytes:
    """An index in the bytes that are saved on disk."""
    kinds = ROWS[type(index)]
    rows = {name: bytes(getattr(index, name)) for name in kinds}
    sizes = {name: len(row) for name, row in rows.items()}
    counts = {name: list(getattr(index, name)) for name in index._fields[2:] if name not in kinds}
    files, digests = list(index.files), list(index.digests)
    head = msgspec.json.encode(_Head(RULES, type(index).__name__, files, digests, counts, sizes))
    data = b"".join((len(head).to_bytes(8, "big"), head, *rows.values()))
    return MAGIC + crc32(data).to_bytes(4, "big") + data


def decode_index(data: bytes, kind: type[Kind]) -> Kind | None:
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
    kinds = ROWS[kind]
    if (head.rules, head.kind, head.sizes.keys()) != (RULES, kind.__name__, kinds.keys()):
        return None
    rows: dict[str, Any] = {}
    for name, size in head.sizes.items():
        rows[name] = array(kinds[name])
        rows[name].frombytes(view[end : end + size])
        end += size
    return kind(files=head.files, digests=head.digests, **head.counts, **rows)


NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
MAX_INDEX_BYTES = 1 << 30


def make_index_path(environment: Mapping[str, str], home: str, top: str) -> str:
    """Where the anchors of a project's files are kept."""
    base = choose_user_folder(environment, home, ".cache", "XDG_CACHE_HOME")
    name = blake2b(f"{top}\n{home}".encode("utf-8", "surrogateescape"), digest_size=10).hexdigest()
    return f"{base}/overture/tap/files-{name}.index"


def make_words_path(index_path: str) -> str:
    """Where the words of files are kept that were compared with a text."""
    return f"{index_path.removesuffix('.index')}.words"


def read_index(path: str, kind: type[Kind]) -> Kind | None:
    """The index that was kept; None where there is none, where it is broken, or where it is not the user's own."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | NO_LINK)
    except (OSError, ValueError):
        return None
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(handle)
        own = found.st_uid == os.getuid() and not found.st_mode & 0o022
        if not (own and stat.S_ISREG(found.st_mode) and found.st_size < MAX_INDEX_BYTES):
            return None
        return decode_index(file.read(), kind)


def write_index(path: str, index: FileAnchors | Index) -> str | None:
    """Save an index in place of the previous one; the problem if that fails, and the index is rebuilt each time."""
    try:
        write_file(path, encode_index(index), mode=0o600, folders=0o700, durable=False)
    except OSError as problem:
        return f"can't save the file index: {(problem.strerror or str(problem)).lower()}; it is rebuilt each time"
    return None


def load_index(project: ResolvedProject, files: CandidateFiles, cached: bool) -> SourceIndex:
    """The anchors of all files, and the words of those that were compared with a text before."""
    index_path = make_index_path(project.world.environment(), project.home, list_project_folders(project)[0])

    def read(path: str) -> str | None:
        return read_candidate(project.world, files.real[path], path)

    if not cached:
        return SourceIndex(make_anchors(files.files, read), read)
    old = read_index(index_path, FileAnchors) or NO_ANCHORS
    anchors = make_anchors(files.files, read, old)
    words_path = make_words_path(index_path)
    source_index = SourceIndex(
        anchors, read, read_index(words_path, Index) or NOTHING, partial(write_index, words_path)
    )
    if anchors is not old:
        source_index.problem = write_index(index_path, anchors)
    return source_index
