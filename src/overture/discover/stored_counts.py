"""Counts that were counted before, so that a command need not load a tokenizer to say them again."""

import os
import sys
from collections.abc import Callable
from functools import cache
from importlib.machinery import PathFinder

from ..errors import ConfigError
from ..tokens.counter import Counter
from .disk.result_store import ResultStore

PACKAGES = ("splintr", "tiktoken")
"""The packages that may count: whatever changes in one of them, all is counted anew."""


def make_stored_counter(
    name: str, additive: bool, vocabulary: str, load: Callable[[], Counter], store: ResultStore
) -> Counter:
    """A counter that asks the store first, and then the tokenizer; the tokenizer itself where nothing is stored.

    That a tokenizer has passed its self-test is stored for its files as they are. Texts are counted whole, as far as
    they can be: few large pieces are looked up faster than many lines.
    """
    files = _stamp_files(vocabulary)
    tested = store.make_key("tokenizer", name.encode(), files)
    if not (about := store.get(tested)):
        counter = load()
        if not counter.exact:
            return counter
        about = counter.about.encode()
        store.put(tested, about)

    @cache
    def count(text: str) -> int:
        key = store.make_key("tokens", name.encode(), files, text.encode("utf-8", "surrogatepass"))
        if (known := store.get(key)) is not None:
            return int(known)
        counter = load()
        if not counter.exact:
            store.put(tested, b"")  # the next command tries it again, and estimates
            raise ConfigError(f"The tokenizer {name!r} can't be loaded any more.", hint="Run the command again.")
        tokens = counter(text)
        store.put(key, b"%d" % tokens)
        return tokens

    return Counter(name, count, exact=True, additive=additive, about=about.decode(), by_line=False)


def _stamp_files(vocabulary: str) -> bytes:
    """What changes when a tokenizer is installed, removed, or replaced by another release."""
    stamps: list[object] = [_stamp_file(vocabulary)]
    for package in PACKAGES:
        # None stands there for a package that must not be imported.
        spec = PathFinder.find_spec(package) if sys.modules.get(package, package) is not None else None
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            with os.scandir(folder) as entries:
                stamps += [(folder, *_stamp_file(entry.path)) for entry in sorted(entries, key=lambda each: each.name)]
    return repr(stamps).encode("utf-8", "surrogatepass")


def _stamp_file(path: str) -> tuple[object, ...]:
    try:
        found = os.stat(path)
    except OSError:
        return (path,)
    return path, found.st_size, found.st_mtime_ns
