"""Results of pure functions of ours that were computed before: for the same input and the same code, from the store."""

import os
import sys
from collections.abc import Callable, Iterator
from functools import cache
from typing import TypeVar

import msgspec

from ..version import __version__
from .disk.result_store import current_store

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
INSTALLED = ("site-packages", "dist-packages")
"""Folders whose files nobody edits: they change all at once."""

T = TypeVar("T")


def recall_or_compute(kind: str, data: bytes, result: type[T], compute: Callable[[], T]) -> T:
    """What the store has of that kind for these data, as the type `result`; else what `compute` gives, stored."""
    store = current_store()
    if store is None:
        return compute()
    key = store.make_key(kind, _stamp_code(), data)
    if (known := store.get(key)) is not None:
        return msgspec.json.decode(known, type=result)
    found = compute()
    try:
        store.put(key, msgspec.json.encode(found))
    except UnicodeEncodeError:  # half a surrogate pair
        return found
    return found


@cache
def _stamp_code() -> bytes:
    """What changes when our code does: in a checkout its files, elsewhere the release; and Python's own release."""
    if any(f"{os.sep}{name}{os.sep}" in PACKAGE for name in INSTALLED):
        files = [(__file__, (found := os.stat(__file__)).st_size, found.st_mtime_ns)]
    else:
        files = sorted(stamp_files(PACKAGE))
    return repr((__version__, sys.hexversion, files)).encode("utf-8", "surrogatepass")


def stamp_files(folder: str) -> Iterator[tuple[str, int, int]]:
    """The size and the time of every source and data file of a package."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith((".py", ".toml", ".md", ".json")):
                found = entry.stat()
                yield entry.path, found.st_size, found.st_mtime_ns
            elif "." not in entry.name and entry.name not in ("__pycache__", "static"):
                yield from stamp_files(entry.path)
