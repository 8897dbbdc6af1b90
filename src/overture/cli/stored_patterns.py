"""Stores the programs of compiled patterns beside the bytecode: `re` takes a tenth of a first `check` to compile them.

The file is made of our own code alone, as bytecode is, and is beside the bytecode: a user who can write there can
already change what runs. If it can't be read or written, patterns are compiled as usual.
"""

import marshal
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager, suppress

from ..discover.disk.open_file import open_path, read_handle
from ..discover.stored.signed_result_store import is_store_off
from ..text.lazy_pattern import COMPILED, PROGRAMS, PatternProgram, write_program

MAX_PROGRAMS = 2_000
"""More are of earlier versions of ours: then they are all written anew."""
MAX_PATTERN_BYTES = 8 * 1024 * 1024
CHECKSUM_BYTES = 4


@contextmanager
def stored_patterns() -> Iterator[None]:
    """What runs inside need not compile what was compiled before."""
    path = find_pattern_file()
    if path is None:
        yield
        return
    read_patterns(path)
    try:
        yield
    finally:
        if COMPILED and not sys.dont_write_bytecode:
            write_patterns(path)


def find_pattern_file() -> str | None:
    """The file of the programs for this Python; None if it stores no bytecode, or the cache is disabled."""
    bytecode = __spec__.cached
    if bytecode is None or sys.implementation.name != "cpython" or is_store_off(os.environ):
        return None
    return bytecode.removesuffix(".pyc") + ".patterns"


def read_patterns(path: str) -> None:
    """Loads the programs of a file; one of another Python, or a broken one, has none."""
    with suppress(OSError, ValueError, EOFError, TypeError):
        data = read_handle(open_path(path), MAX_PATTERN_BYTES)
        if zlib.crc32(data[CHECKSUM_BYTES:]) != int.from_bytes(data[:CHECKSUM_BYTES], "big"):
            return
        version, programs = marshal.loads(data[CHECKSUM_BYTES:])
        if version == sys.version:
            PROGRAMS.update({key: PatternProgram(*program) for key, program in programs})


def write_patterns(path: str) -> None:
    """Store the known programs and those of the patterns that were compiled; the file is replaced as a whole."""
    from ..discover.disk.write_file import write_file

    with suppress(Exception):  # `re` may work in another way in a later Python: no command fails because of that
        known = PROGRAMS if len(PROGRAMS) + len(COMPILED) <= MAX_PROGRAMS else {}
        programs = [*known.items(), *((key, write_program(*key)) for key in dict.fromkeys(COMPILED))]
        data = marshal.dumps((sys.version, [(key, tuple(program)) for key, program in programs]))
        checksum = zlib.crc32(data).to_bytes(CHECKSUM_BYTES, "big")
        write_file(path, checksum + data, mode=0o644, durable=False)  # as bytecode: every user who runs it reads it
