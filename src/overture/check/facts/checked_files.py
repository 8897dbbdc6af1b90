"""Finds the files that rules look at: those of the prompt, of other tools, imports, skills, the README."""

from collections.abc import Iterable, Iterator
from fnmatch import fnmatchcase
from posixpath import normpath
from typing import NamedTuple

from ...discover.disk.file_reader import FileReader
from ...discover.disk.look_at_paths import Sighting
from ...discover.disk.open_file import read_limited
from ...discover.disk.paths import contains_path, find_folders, list_walk_folders
from ...known_agents.other_tools import INSTRUCTION_STEPS
from ...model.state.discovery import Discovery
from ...text.path_printer import readable_path
from ..rule import CheckedFile, CheckedFileKind
from .mentioned_files import find_mentions

MAX_FILE_BYTES = 1024 * 1024
"""Bytes of a page; a larger one has been reported by those who load it."""
MAX_FILES = 400
"""Pages in all."""
MAX_TOTAL_CHARS = 16 * 1024 * 1024
"""Characters of all pages together."""
MAX_IMPORT_DEPTH = 5
README_NAMES = ("readme.md", "readme", "readme.markdown", "readme.txt")


class FileAccess(NamedTuple):
    """What reading a page takes: the reader, the folder that links may not leave, and home."""

    reader: FileReader
    root: str
    home: str

    def sight(self, path: str) -> Sighting | None:
        """The regular file at a path, if it may be read."""
        result = self.reader.look_at(path, self.root if contains_path(self.root, path) else self.home)
        return result if isinstance(result, Sighting) else None

    def text(self, sighting: Sighting) -> str | None:
        """Its text as it lies on disk; None where it can't be read, or is too large."""
        try:
            return read_limited(self.reader.world, sighting.real, MAX_FILE_BYTES).decode("utf-8", "replace")
        except OSError:
            return None

    def names(self, folder: str) -> dict[str, str]:
        """What a folder holds; one that can't be listed holds nothing."""
        try:
            return dict(self.reader.world.names(folder))
        except OSError:
            return {}


class FileCollection:
    """The pages so far, each file once, under the first of its names."""

    def __init__(self, access: FileAccess) -> None:
        self.access = access
        self.pages: dict[str, CheckedFile] = {}
        self.left = MAX_TOTAL_CHARS

    def take(self, path: str, kind: CheckedFileKind, *, read: bool) -> None:
        """Read a page, unless it is here already or there are enough."""
        if len(self.pages) >= MAX_FILES or self.left <= 0:
            return
        sighting = self.access.sight(path)
        if sighting is None or sighting.real in self.pages:
            return
        text = self.access.text(sighting)
        if text is not None:
            self.left -= len(text)
            self.pages[sighting.real] = CheckedFile(readable_path(path), text, kind, read)


def find_checked_files(
    access: FileAccess, found: Discovery, cwd: str, below: Iterable[str] = ()
) -> tuple[CheckedFile, ...]:
    """All pages: those that the prompt was made of come first; `below` are those of folders below the working one."""
    shelf = FileCollection(access)
    for file in (*found.state.workspace_files, *found.state.context_files):
        shelf.take(file.path, _find_kind(file.path), read=True)
    for skill in found.state.skills:
        shelf.take(skill.location, "skill", read=True)
    chain = [folder for folder in list_walk_folders(cwd, None) if contains_path(access.root, folder)]
    for folder in chain:
        for path in _list_instruction_files(access, folder):
            shelf.take(path, _find_kind(path), read=False)
    for path in below:
        shelf.take(path, _find_kind(path), read=False)
    _take_imports(shelf, access)
    for path in _list_other_skills(access, found):
        shelf.take(path, "skill", read=False)
    for name in [name for name in access.names(access.root) if name.lower() in README_NAMES][:1]:
        shelf.take(f"{access.root}/{name}", "readme", read=False)
    return tuple(shelf.pages.values())


def _find_kind(path: str) -> CheckedFileKind:
    """A file in a folder of rules is one of many, and often for some files only."""
    return "rule" if "/rules/" in path or "/instructions/" in path or "/steering/" in path else "instructions"


def _list_instruction_files(access: FileAccess, folder: str) -> Iterator[str]:
    """What any tool reads in a folder."""
    listing = access.names(folder)
    for pattern in dict.fromkeys(
        pattern for step in listing if step in INSTRUCTION_STEPS for pattern in INSTRUCTION_STEPS[step]
    ):
        below, _, last = pattern.rpartition("/")
        parent = f"{folder.rstrip('/')}/{below}" if below else folder.rstrip("/")
        if "*" not in last:
            yield f"{parent}/{last}"
        else:
            yield from (f"{parent}/{name}" for name in access.names(parent) if fnmatchcase(name, last))


def _take_imports(shelf: FileCollection, access: FileAccess) -> None:
    """What pages import, and what those import, so far as it lies in the project."""
    new = list(shelf.pages.values())
    for _ in range(MAX_IMPORT_DEPTH):
        before = len(shelf.pages)
        for page in new:
            folder = page.path.rpartition("/")[0]
            for each in find_mentions(page):
                path = normpath(f"{folder}/{each.target}")
                if each.kind == "import" and contains_path(access.root, path):
                    shelf.take(path, "import", read=False)
        new = list(shelf.pages.values())[before:]


def _list_other_skills(access: FileAccess, found: Discovery) -> Iterator[str]:
    """The skills in places where the recipe does not look, and those that it left out."""
    for look in found.looked_at:
        if look.what != "skill" or look.outcome in ("absent", "off", "loaded"):
            continue
        if look.path.endswith("/SKILL.md"):
            yield look.path
        elif look.outcome == "unread":
            for skills_folder in find_folders(access.reader.world, look.path):
                yield from _list_skills_below(access, skills_folder, 2)


def _list_skills_below(access: FileAccess, folder: str, levels: int) -> Iterator[str]:
    for name, kind in access.names(folder).items():
        if kind in ("dir", "link") and not name.startswith("."):
            inner = access.names(f"{folder}/{name}")
            if "SKILL.md" in inner:
                yield f"{folder}/{name}/SKILL.md"
            elif levels > 1 and kind == "dir":
                yield from _list_skills_below(access, f"{folder}/{name}", levels - 1)
