"""The index of files is kept between runs in the user's cache folder, for the user alone."""

import os
import stat
from collections.abc import Mapping
from hashlib import blake2b

from ...discover.disk.write_file import write_file
from ..index.index import Index
from ..index.index_bytes import from_bytes, to_bytes

NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)
LARGEST = 1 << 30


def cache_file(environment: Mapping[str, str], home: str, top: str) -> str:
    """Where the index of a project is kept."""
    given = environment.get("XDG_CACHE_HOME", "")
    base = given if given.startswith("/") else f"{home.rstrip('/')}/.cache"
    name = blake2b(f"{top}\n{home}".encode("utf-8", "surrogateescape"), digest_size=10).hexdigest()
    return f"{base.rstrip('/')}/overture/tap/files-{name}.index"


def read_kept(path: str) -> Index | None:
    """The index that was kept; None where there is none, where it is broken, or where it is not the user's own."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | NO_LINK)
    except (OSError, ValueError):
        return None
    with os.fdopen(handle, "rb") as file:
        found = os.fstat(handle)
        own = found.st_uid == os.getuid() and not found.st_mode & 0o022
        if not (own and stat.S_ISREG(found.st_mode) and found.st_size < LARGEST):
            return None
        return from_bytes(file.read())


def keep(path: str, index: Index) -> str | None:
    """Keep an index in place of the one before it; says what was wrong where it can't be kept: it is made anew then."""
    try:
        write_file(path, to_bytes(index), mode=0o600, folders=0o700)
    except OSError as problem:
        return (
            f"the index of files can't be kept: {(problem.strerror or str(problem)).lower()}; it is made anew each time"
        )
    return None
