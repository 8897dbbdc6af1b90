"""Where the index of a project's files is kept, and how it is read and written there."""

import os
import stat
from collections.abc import Mapping
from hashlib import blake2b

from ...discover.disk.write_file import write_file
from ...discover.stored.user_folders import choose_user_folder
from ..index.index import Index, decode_index, encode_index

NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


MAX_INDEX_BYTES = 1 << 30


def make_index_path(environment: Mapping[str, str], home: str, top: str) -> str:
    """Where the index of a project is kept."""
    base = choose_user_folder(environment, home, ".cache", "XDG_CACHE_HOME")
    name = blake2b(f"{top}\n{home}".encode("utf-8", "surrogateescape"), digest_size=10).hexdigest()
    return f"{base}/overture/tap/files-{name}.index"


def read_index(path: str) -> Index | None:
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
        return decode_index(file.read())


def write_index(path: str, index: Index) -> str | None:
    """Keep an index in place of the one before it; says what was wrong where it can't be kept: it is made anew then."""
    try:
        write_file(path, encode_index(index), mode=0o600, folders=0o700)
    except OSError as problem:
        return f"can't save the file index: {(problem.strerror or str(problem)).lower()}; it is rebuilt each time"
    return None
