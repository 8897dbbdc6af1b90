"""A piece of a random tree: one file or link, which may be left out without changing the others."""

from pathlib import PurePosixPath
from random import Random
from typing import Any, NamedTuple

from ..places import PLACES
from ..tree import Tree, mark

Kit = dict[str, Any]
"""What an agent's trees are drawn from."""


class Piece(NamedTuple):
    """A file with its lines, or a link."""

    place: str
    name: str
    lines: tuple[str, ...] = ()
    link: str = ""
    end: str = "\n"
    encoding: str = "utf-8"
    size: int = 0

    @property
    def mark(self) -> str:
        """What its marks have in common: no two pieces of a tree may share it."""
        return mark(self.place, self.name, 0)

    @property
    def path(self) -> str:
        """Where it lies in the folder of the world."""
        return f"{PLACES[self.place]}/{self.name}"


def write_piece(tree: Tree, piece: Piece) -> None:
    """Write it, unless something is in its way: two pieces may want one path, or one lies below another."""
    folder = tree.folder / piece.path
    above = [folder, *folder.parents[: len(PurePosixPath(piece.path).parts)]]
    if folder.exists() or any(each.is_symlink() or (each != folder and each.is_file()) for each in above):
        return
    path = tree.path(piece.place, piece.name)
    if piece.link:
        path.symlink_to(piece.link)
    elif piece.size:
        tree.large(piece.place, piece.name, piece.size)
    else:
        numbered = enumerate(piece.lines, 1)
        marked = [line.replace("{mark}", mark(piece.place, piece.name, number)) for number, line in numbered]
        text = "".join(f"{line}{piece.end}" for line in marked).replace("{folder}", str(tree.folder))
        path.write_bytes(text.encode(piece.encoding))


def spelled(rng: Random, lines: list[str]) -> dict[str, Any]:
    """The lines, mostly in plain UTF-8; now and then as other systems and editors leave them, or empty."""
    lines = list(lines)
    given: dict[str, Any] = {"lines": lines}
    drawn = rng.random()
    if drawn < 0.04:
        given["end"] = "\r\n"
    elif drawn < 0.07:
        given["encoding"] = "utf-8-sig"
    elif drawn < 0.09:
        given["encoding"], lines[-1:] = "latin-1", [f"{lines[-1]} caf\xe9 au lait"]
    elif drawn < 0.12:
        given["lines"] = rng.choice(([], ["", "  "], ["<!-- only a comment -->"], ["---", "a: b", "---"]))
    return {**given, "lines": tuple(given["lines"])}
