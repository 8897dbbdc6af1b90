"""The .gitignore files from the repository's root down to the working directory -> whether git ignores a file."""

import posixpath

from ...disk.reader import Reader, Sighting
from ...disk.walk import at_or_above
from ...formats.path_patterns import matches
from .folders_of_step import Ground
from .imports import Raw, raw_text


def is_gitignored(reader: Reader, ground: Ground, path: str) -> bool:
    """Whether the last line that fits the file itself leaves it out; lines for folders alone are not asked."""
    first = ground.above.index(ground.root) if ground.root else len(ground.above) - 1
    ignored = False
    for folder in ground.above[first:]:
        real = reader.real_or(folder)
        if at_or_above(real, path):
            below = posixpath.relpath(path, real)
            for line in _lines(reader, posixpath.join(folder, ".gitignore")):
                if not line.endswith("/") and matches(line.removeprefix("!"), below):
                    ignored = not line.startswith("!")
    return ignored


def is_folder_gitignored(reader: Reader, ground: Ground, folder: str) -> bool:
    """Whether git ignores a folder below the working directory, or one on the way to it."""
    first = ground.above.index(ground.root) if ground.root else len(ground.above) - 1
    for top in ground.above[first:]:
        lines = _lines(reader, posixpath.join(top, ".gitignore"))
        steps = posixpath.relpath(folder, top).split("/")
        for count in range(1, len(steps) + 1 if lines else 0):
            fitting = [line for line in lines if matches(line.lstrip("!").rstrip("/"), "/".join(steps[:count]))]
            if fitting and not fitting[-1].startswith("!"):
                return True
    return False


def _lines(reader: Reader, path: str) -> list[str]:
    seen = reader.look_at(path, "/")
    raw: Raw | None = reader.peek(seen, raw_text) if isinstance(seen, Sighting) else None
    lines = [line.strip() for line in raw.text.splitlines()] if raw else []
    return [line for line in lines if line and not line.startswith("#")]
