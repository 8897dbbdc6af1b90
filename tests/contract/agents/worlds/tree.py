"""Writes the files of a world; each line that can carries a mark, which names its file and its line."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from .places import ALL_PLACES, PLACES

MARK = re.compile(r"MARK-([A-Za-z0-9_.]+)-(\d{4})")


def mark(place: str, name: str, line: int) -> str:
    """What a line of a file carries, so that a request tells where its text is from."""
    slug = re.sub(r"[^A-Za-z0-9.]+", "_", name).strip("_")
    return f"MARK-{place}.{slug}-{line:04d}"


class Tree:
    """A world while it is written."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for path in PLACES.values():
            (folder / path).mkdir(parents=True, exist_ok=True)

    def path(self, place: str, name: str) -> Path:
        """A path of the world; its folder is made where it is missing."""
        path = self.folder / ALL_PLACES[place] / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def text(self, place: str, name: str, text: str) -> None:
        """Write a file as it stands."""
        self.path(place, name).write_text(text, encoding="utf-8", newline="")

    def lines(self, place: str, name: str, lines: Iterable[str], stem: str = "") -> None:
        """Write lines; `{mark}` in one becomes the mark of its file (or of `stem`) and its number."""
        numbered = enumerate(lines, 1)
        marked = [line.replace("{mark}", mark(place, stem or name, number)) for number, line in numbered]
        self.text(place, name, "".join(f"{line}\n" for line in marked))

    def small(self, place: str, name: str, front: Mapping[str, str] | None = None) -> None:
        """Write three marked lines, below frontmatter where there is some."""
        self.lines(place, name, [*frontmatter(front), *(["{mark} a line of a small file"] * 3)])

    def everywhere(self, names: Iterable[str], places: Iterable[str]) -> None:
        """Write the same small files into several places."""
        kept = tuple(names)
        for place in places:
            for name in kept:
                self.small(place, name)

    def large(self, place: str, name: str, size: int, fill: str = "x") -> None:
        """Write `size` characters in lines of 64, their ends counted."""
        starts = (mark(place, name, number) for number in range(1, size // 64 + 1))
        self.text(place, name, "".join(f"{start} {fill * (62 - len(start))}\n" for start in starts))

    def link(self, place: str, name: str, target: str) -> None:
        """Write a link; what an agent reads through it carries the marks of its target."""
        self.path(place, name).symlink_to(target)


def frontmatter(front: Mapping[str, str] | None) -> list[str]:
    """Frontmatter as lines; values stand as they are given."""
    if front is None:
        return []
    given = "\n".join(f"{key}: {value}" if value else f"{key}:" for key, value in front.items())
    return ["---", *given.splitlines(), "---"]
