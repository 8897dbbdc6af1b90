"""Stamps change when code does that results follow from: ours, and that of tokenizers."""

import os
import sys
from collections.abc import Iterator
from functools import cache
from importlib.machinery import PathFinder

from ...version import __version__
from .signed_result_store import blake2b

PACKAGE = os.path.abspath(__file__).rsplit(os.sep, 3)[0]
INSTALLED = ("site-packages", "dist-packages")
"""Folders whose files are not edited one by one: they change all at once."""
TOKENIZER_PACKAGES = ("splintr", "tiktoken")
"""The packages that may count: after any change in one of them, everything is counted anew."""
VOCABULARY_FILES = {
    "o200k": "fb374d419588a4632f3f557e76b4b70aebbca790",
    "cl100k": "9b5ad71b2ce5302211f9c61530b329a4922fc6a4",
}
"""What tiktoken calls the file of a vocabulary: the SHA-1 of the address that it comes from."""
VOCABULARY_VARIABLES = ("TIKTOKEN_CACHE_DIR", "DATA_GYM_CACHE_DIR")
"""The first that is set names the folder of these files."""
VOCABULARY_FOLDER = "data-gym-cache"
"""Their folder where none is set, in that of temporary files."""


@cache
def stamp_code() -> bytes:
    """What changes when our code does: in a checkout its files, elsewhere the release; and Python's own release."""
    if any(f"{os.sep}{name}{os.sep}" in PACKAGE for name in INSTALLED):
        files = [_stamp_file(__file__)]
    else:
        files = sorted(_stamp_sources(PACKAGE))
    return blake2b(repr((__version__, sys.hexversion, files)).encode("utf-8", "surrogatepass")).digest()


def _stamp_sources(folder: str) -> Iterator[tuple[str, int, int]]:
    """The size and the time of every source and data file of a package."""
    with os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith((".py", ".toml", ".md", ".json", ".bin")):
                status = entry.stat()
                yield entry.path, status.st_size, status.st_mtime_ns
            elif "." not in entry.name and entry.name not in ("__pycache__", "static"):
                yield from _stamp_sources(entry.path)


def stamp_tokenizers() -> bytes:
    """A value that changes when a tokenizer is installed, removed, or replaced by another release."""
    stamps = [
        _stamp_file(f"{folder}/{file}") for folder in _list_vocabulary_folders() for file in VOCABULARY_FILES.values()
    ]
    for package in TOKENIZER_PACKAGES:
        # None marks a package that must not be imported.
        spec = PathFinder.find_spec(package) if sys.modules.get(package, package) is not None else None
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            try:
                with os.scandir(folder) as entries:
                    stamps += sorted(_stamp_file(entry.path) for entry in entries)
            except OSError:  # a package in a zip file
                stamps.append(_stamp_file(os.path.dirname(folder)))
    return repr(stamps).encode("utf-8", "surrogatepass")


def find_named_vocabulary_folder() -> str | None:
    """The folder of vocabularies from the environment; an empty name means that there is none."""
    return next((os.environ[name] for name in VOCABULARY_VARIABLES if name in os.environ), None)


def _list_vocabulary_folders() -> list[str]:
    """Where vocabularies may be: one that is named, or each folder that Python may take for that of temporary files."""
    named = find_named_vocabulary_folder()
    if named is not None:
        return [named]
    temporary = [os.environ.get(name, "") for name in ("TMPDIR", "TEMP", "TMP")]
    return [f"{folder}/{VOCABULARY_FOLDER}" for folder in (*temporary, "/tmp", "/var/tmp", "/usr/tmp", ".")]


def _stamp_file(path: str) -> tuple[str, int, int]:
    """The stamp of one file of code: its size and time."""
    try:
        status = os.stat(path)
    except OSError:
        return path, -1, -1
    return path, status.st_size, status.st_mtime_ns
