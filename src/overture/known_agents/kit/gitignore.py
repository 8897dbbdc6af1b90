"""Which files and folders git ignores, by the `.gitignore` files of a project."""

import posixpath

from ...discover.file_reader import FileReader
from ...discover.globs import matches_glob
from ...discover.paths import contains_path
from ...discover.place import Place
from ...discover.real_paths import Sighting
from .imports import RawText, make_raw_text


def is_gitignored(reader: FileReader, scope: Place, path: str) -> bool:
    """Whether the last matching line ignores the file itself, as goose asks; lines for folders are not consulted."""
    first = scope.above.index(scope.root) if scope.root else len(scope.above) - 1
    ignored = False
    for folder in scope.above[first:]:
        real = reader.real_or(folder)
        if contains_path(real, path):
            below = posixpath.relpath(path, real)
            for line in _read_ignore_lines(reader, posixpath.join(folder, ".gitignore")):
                if not line.endswith("/") and matches_glob(line.removeprefix("!"), below):
                    ignored = not line.startswith("!")
    return ignored


def is_folder_gitignored(reader: FileReader, scope: Place, folder: str) -> bool:
    """Whether git ignores a folder below the working directory, or one on the way to it.

    The last matching line of the deepest `.gitignore` counts; nothing below an ignored folder is included again.
    """
    here = scope.project
    ignored: list[tuple[str, list[str]]] = []
    for step in posixpath.relpath(folder, here).split("/"):
        ignored.append((here, _read_ignore_lines(reader, posixpath.join(here, ".gitignore"))))
        here = posixpath.join(here, step)
        below = ((posixpath.relpath(here, top), lines) for top, lines in ignored if lines)
        matching = [line for path, lines in below for line in lines if _matches_folder(line, path)]
        if matching and not matching[-1].startswith("!"):
            return True
    return False


def _matches_folder(line: str, folder: str) -> bool:
    """Whether a line of `.gitignore` matches a folder; `a/**` matches what is below `a`."""
    pattern = line.removeprefix("!").rstrip("/")
    return matches_glob(f"{pattern}/*" if pattern.endswith("/**") else pattern, folder)


def _read_ignore_lines(reader: FileReader, path: str) -> list[str]:
    result = reader.look_at(path)
    raw: RawText | None = reader.peek(result, make_raw_text) if isinstance(result, Sighting) else None
    lines = [line.rstrip() for line in raw.text.splitlines()] if raw else []
    # A blank at the beginning belongs to the name.
    spelled = (line.replace(" ", "[ ]") if line.startswith(" ") else line for line in lines)
    return [line for line in spelled if line and not line.startswith("#")]
