"""Paths as a person reads them: from a folder, from home with `~`, or in full, and never playing with the terminal."""

import posixpath
import re

from msgspec import Struct

from .invisible import escape_to_line

PATH = r"(?<![\w.~/*])/(?:[^\s/,;:`]+/)*[^\s/,;:`]+"
"""A path in a sentence; of one with a blank in it, only the folder of the printer is recognized."""
AS_IT_IS = r'"[^"]*"|overture [a-z]+ \S+'
"""A value for a file of settings, and a command to paste: a path in them has to lead there from anywhere."""
MAX_PARENT_STEPS = 3
"""Folders upward that a path is written with; one that is farther away is written in full."""


def is_inside(path: str, root: str) -> bool:
    """Whether a path is below a folder."""
    return bool(root) and path.startswith(root.rstrip("/") + "/")


def readable_path(path: str) -> str:
    """A path as it can be printed: bytes of a name that are not UTF-8 become U+FFFD."""
    return path if path.isascii() else path.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


class PathPrinter(Struct, frozen=True):
    """Writes paths from a folder: the working directory, or, with no `parents`, the root of a project."""

    folder: str
    home: str = ""
    parents: int = MAX_PARENT_STEPS
    typed: frozenset[str] = frozenset()
    """Paths as the user typed them: outside the folder they are printed unchanged."""

    def __call__(self, path: str, width: int | None = None) -> str:
        """A path for a person, on one line; with a width, a long one loses its beginning."""
        shown = escape_to_line(readable_path(self.relative(path)))
        return shown if width is None else shorten_path(shown, width)

    def relative(self, path: str) -> str:
        """The path from the printer's folder or from home, for a program: with every character that it has."""
        if not path.startswith("/"):
            return path
        relative_path = posixpath.relpath(path, self.folder) if self.folder else path
        outside = relative_path in ("..", path) or relative_path.startswith("../")
        if not outside:
            return path if relative_path == "." and not self.parents else relative_path
        above = self.parents > 0 and is_inside(self.folder, posixpath.dirname(path))
        if is_inside(path, self.home) and not above:
            return f"~/{path[len(self.home.rstrip('/')) + 1 :]}"
        far = f"{relative_path}/".startswith("../" * (self.parents + 1))
        return path if far or path in self.typed else relative_path

    def within(self, sentence: str) -> str:
        """A sentence that names paths, with those as a person reads them."""
        return escape_to_line(readable_path(self.relative_within(sentence)))

    def relative_within(self, sentence: str) -> str:
        """The same sentence for a program."""
        folder = self.folder.rstrip("/")
        below = rf"(?<![\w.~/*-]){re.escape(folder)}/" if folder else "(?!)"
        return re.sub(rf"{AS_IT_IS}|(?P<below>{below})|(?P<path>{PATH})", self._replace_match, sentence)

    def _replace_match(self, found: re.Match[str]) -> str:
        """A path in a sentence as a person reads it."""
        if found["below"] is not None:
            return ""
        return found[0] if found["path"] is None else self.relative(found[0])


def make_root_printer(root: str, home: str = "") -> PathPrinter:
    """Writes paths from the root of a project, those outside in full or with `~`."""
    return PathPrinter(root, home, parents=0)


def shorten_path(path: str, width: int) -> str:
    """As much of the end of a path as there is room for, behind its indent."""
    if len(path) <= width:
        return path
    blanks = len(path) - len(path.lstrip())
    return f"{path[:blanks]}…{path[len(path) - width + blanks + 1 :]}"
