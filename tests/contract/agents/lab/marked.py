"""The marked files of a world, and what of each is found in a text."""

from dataclasses import dataclass, field
from pathlib import Path

from ..worlds import ALL_PLACES, MARK
from ..worlds.tree import mark


@dataclass(frozen=True)
class MarkedFile:
    """A file, its lines, and those of them that carry marks."""

    path: str
    lines: tuple[str, ...]
    marks: dict[str, int] = field(compare=False)
    """Each mark, and the number of its line."""

    @property
    def is_skill(self) -> bool:
        """Whether it lies where skills do."""
        return "/skills/" in self.path or "/skill/" in self.path or self.path.endswith("/SKILL.md")


def marked_files(folder: Path) -> dict[str, MarkedFile]:
    """The files of a world by the name in their marks; a text under several names is the one's that its marks name."""
    found: dict[str, MarkedFile] = {}
    for path in sorted(path for path in folder.rglob("*") if path.is_file() and not path.is_symlink()):
        if ".git" in path.parts or path.stat().st_size > 2_000_000:
            continue
        text = path.read_text(encoding="utf-8-sig", errors="replace")
        marks = {each.group(): each for each in MARK.finditer(text)}
        if marks:
            numbers = {name: int(each[2]) for name, each in marks.items()}
            name = path.relative_to(folder).as_posix()
            owner = next(iter(marks.values()))[1]
            if owner not in found or owner == own_mark(name):
                found[owner] = MarkedFile(name, tuple(text.splitlines()), numbers)
    return found


def own_mark(path: str) -> str:
    """The name in the marks of a file that was written for its path."""
    inside = {place: folder for place, folder in ALL_PLACES.items() if path.startswith(f"{folder}/")}
    place = max(inside, key=lambda name: len(inside[name]))
    found = MARK.match(mark(place, path.removeprefix(f"{inside[place]}/"), 1))
    return found[1] if found else ""


@dataclass
class Arrived:
    """What of a file is in a text."""

    file: MarkedFile
    first: int
    """Where its first mark stands."""
    whole: set[int] = field(default_factory=set)
    """The marked lines that are there whole."""
    times: int = 1
    """How often its first mark that is there is there."""

    @property
    def cut(self) -> int | None:
        """The last line that arrived whole, None where the last is there."""
        last = max(self.whole, default=0)
        return last if last < max(self.file.marks.values()) else None

    @property
    def gone(self) -> list[int]:
        """Marked lines before the last that arrived, which did not."""
        last = max(self.whole, default=0)
        return sorted(line for line in set(self.file.marks.values()) if line < last and line not in self.whole)


def arrived(text: str, files: dict[str, MarkedFile]) -> list[Arrived]:
    """The files of which a text holds marks, in the order of their first marks."""
    found: dict[str, Arrived] = {}
    firsts: dict[str, str] = {}
    for each in MARK.finditer(text):
        file = files.get(each[1])
        if file is None:
            continue
        seen = found.setdefault(each[1], Arrived(file, each.start(), times=0))
        seen.times += firsts.setdefault(each[1], each.group()) == each.group()
        if _is_whole(text, each.start(), each.group(), file):
            seen.whole.add(int(each[2]))
    return list(found.values())


def _is_whole(text: str, at: int, mark_there: str, file: MarkedFile) -> bool:
    """Whether the rest of a mark's line stands behind it; what stands before it may be framing or its own key."""
    line = file.lines[int(mark_there[-4:]) - 1]
    # What is not UTF-8 is read in different ways: only what stands before it is compared.
    rest = line[line.index(mark_there) :].partition("\ufffd")[0].rstrip()
    return text.startswith(rest, at)
