"""The paths of a project: all of them, what git ignores, and those that files name and that are missing."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from fnmatch import translate
from posixpath import normpath
from typing import NamedTuple

from ..discover.disk.file_reader import FileReader, find_wrong_encoding
from ..discover.disk.look_at_paths import Sighting
from ..discover.disk.open_file import read_file_within, read_limited
from ..discover.disk.paths import contains_path
from ..discover.disk.scan_folders import SKIPPED_FOLDERS
from ..discover.disk.world import World
from ..lazy import lazy
from ..model.diagnostic import Diagnostic
from ..text.path_printer import readable_path
from .findings_and_input import CheckedFile
from .mentioned_files import FileMention, find_file_mentions

MAX_ENTRIES = 150_000
"""Entries in all: a larger project has no findings about missing files."""
MAX_FILE_BYTES = 1024 * 1024
"""Bytes of a file that is read; a larger page has been reported by those who load it."""
MAX_PATTERN_CHARS = 200
"""Characters of a pattern that git ignores by."""
MAX_PATTERNS = 2_000
"""Maximum number of such patterns; with more there are no findings about missing files."""


class ProjectTree:
    """The files and folders below a root. Links are named, and not followed."""

    def __init__(self, world: World, root: str) -> None:
        """The paths of the project below a root; they are listed when one is needed."""
        self.world, self.root = world, root.rstrip("/")
        self.whole = True
        """Whether everything was listed."""

    @lazy
    def paths(self) -> frozenset[str]:
        """Every path below the root, relative to it."""
        paths: list[str] = []
        todo = [""]
        while todo and len(paths) < MAX_ENTRIES:
            folder = todo.pop()
            try:
                names = self.world.names(f"{self.root}/{folder}".rstrip("/") or "/")
            except OSError:
                # An unreadable folder may hold the named file.
                self.whole = False
                continue
            base = f"{folder}/" if folder else ""
            for name, kind in names:
                paths.append(f"{base}{name}")
                if kind == "dir" and name not in SKIPPED_FOLDERS:
                    todo.append(f"{base}{name}")
        self.whole = self.whole and not todo
        return frozenset(paths)

    @lazy
    def by_name(self) -> dict[str, list[str]]:
        """The paths by the last step of each, in small letters: some disks know no others."""
        paths: defaultdict[str, list[str]] = defaultdict(list)
        for path in self.paths:
            paths[path.rpartition("/")[2].lower()].append(path)
        return paths

    def has(self, path: str) -> bool:
        """Whether the project has a path, or one that ends so."""
        folder, _, name = path.strip("/").lower().rpartition("/")
        return any(_ends_with(found.rpartition("/")[0].lower(), folder) for found in self.by_name.get(name, ()))

    def find_by_letters(self, path: str) -> str | None:
        """The only path whose letter case alone is another."""
        same = [each for each in self.by_name.get(path.rpartition("/")[2].lower(), ()) if each.lower() == path.lower()]
        return same[0] if len(same) == 1 and same[0] != path else None

    def find_by_name(self, path: str) -> str | None:
        """The only path with the same last step: perhaps the file was moved."""
        same = self.by_name.get(path.rpartition("/")[2].lower(), [])
        return same[0] if len(same) == 1 else None

    def named(self, *patterns: str) -> Iterator[str]:
        """The files whose name is one of these, sorted: those nearest to the root first."""
        wanted = re.compile("|".join(translate(each) for each in patterns))
        small = re.compile(wanted.pattern, re.IGNORECASE)
        candidates = (path for name, paths in self.by_name.items() if small.match(name) for path in paths)
        hits = [path for path in candidates if wanted.match(path.rpartition("/")[2])]
        yield from sorted(hits, key=lambda path: (path.count("/"), path))

    def read(self, path: str) -> str | None:
        """The text of a file of the project; None if it is unreadable or large."""
        try:
            return read_file_within(self.world, f"{self.root}/{path}", self.root, MAX_FILE_BYTES).decode(
                "utf-8", "replace"
            )
        except OSError:
            return None

    @lazy
    def ignored(self) -> re.Pattern[str]:
        """What git ignores here, by the last step of each pattern."""
        texts = [self.read(path) or "" for path in self.named(".gitignore")]
        lines = (line.strip() for text in texts for line in text.splitlines())
        patterns = (line.rstrip("/").rpartition("/")[2] for line in lines if line and line[0] not in "#!")
        unique = dict.fromkeys(each for each in patterns if each.strip("*") and len(each) <= MAX_PATTERN_CHARS)
        if len(unique) > MAX_PATTERNS:
            # Who ignores so much may ignore anything.
            return re.compile("")
        return re.compile("|".join(translate(each) for each in unique) or r"(?!)")

    def ignores(self, path: str) -> bool:
        """Whether git may ignore a path: it is generated, and need not exist here."""
        return any(self.ignored.match(step) for step in path.strip("/").split("/"))


def _ends_with(path: str, end: str) -> bool:
    return not end or path == end or path.endswith(f"/{end}")


class FileAccess(NamedTuple):
    """What reading a page takes: the reader, the folder that links may not leave, and home."""

    reader: FileReader
    root: str
    home: str

    def sight(self, path: str) -> Sighting | None:
        """The regular file at a path of the project, if it may be read."""
        result = self.reader.look_at(path, self.root if contains_path(self.root, path) else self.home)
        return result if isinstance(result, Sighting) else None

    def text(self, sighting: Sighting) -> tuple[str, Diagnostic | None] | None:
        """The text of a project's file on disk, and what is not UTF-8 in it; None if it is unreadable or too large."""
        try:
            data = read_limited(self.reader.world, sighting.real, MAX_FILE_BYTES)
        except OSError:
            return None
        return data.decode("utf-8", "replace"), find_wrong_encoding(data, readable_path(sighting.path))

    def names(self, folder: str) -> dict[str, str]:
        """What a folder of the project holds; one that can't be listed holds nothing."""
        try:
            return dict(self.reader.world.names(folder))
        except OSError:
            return {}


MAX_LOOKED_UP_NAMES = 5_000
"""Names that are looked up, of all pages together."""
FOLDERS_WITHOUT_IMPORTS = re.compile(
    r"/\.(?:clinerules|cline|roo|roorules|kilo|kilocode|windsurf|devin|kiro|continue|junie|augment|cursor)(?:/|$)"
)
"""Folders of agents that take `@path` for text, or for a path from the root."""


def find_missing_paths(
    access: FileAccess, tree: ProjectTree, pages: Iterable[CheckedFile], cwd: str
) -> Mapping[str, frozenset[str]]:
    """By page, the names of files that are not there, each as `Mention.key` has it."""
    missing: dict[str, frozenset[str]] = {}
    remaining = MAX_LOOKED_UP_NAMES
    for page in pages:
        if page.kind == "readme":
            continue
        named = {each.key: each for each in find_file_mentions(page) if each.kind != "anchor"}
        bases = _find_base_folders(access, page)
        looked_up = [*named.items()][:remaining]
        absent = frozenset(key for key, each in looked_up if not _is_there(access, tree, page, each, bases, cwd))
        remaining -= len(named)
        if absent:
            missing[page.path] = absent
    return missing


def _find_base_folders(access: FileAccess, page: CheckedFile) -> tuple[str, ...]:
    """The folder of a page; for a link, also that of its target."""
    sighting = access.sight(page.path)
    real = sighting.real.rpartition("/")[0] if sighting else ""
    return tuple(dict.fromkeys((page.path.rpartition("/")[0], real)))


def _is_there(
    access: FileAccess, tree: ProjectTree, page: CheckedFile, each: FileMention, bases: tuple[str, ...], cwd: str
) -> bool:
    """Whether a file is there, or can't be known to be gone."""
    # An import begins at the folder of its file.
    is_import = each.kind == "import" and not FOLDERS_WITHOUT_IMPORTS.search(page.path)
    begin = bases if is_import else (*bases, access.root, cwd)
    paths = [normpath(f"{folder.rstrip('/')}/{each.target}") for folder in begin if folder]
    if any(not contains_path(access.root, path) or _exists(access, path) for path in paths):
        return True
    if each.kind == "link" and any(_exists(access, f"{path}.md") for path in paths):
        return True
    if not tree.paths or not tree.whole or tree.ignores(each.target):
        return True
    return each.kind == "path" and (
        _is_anywhere(tree, each.target) or not is_of_project(tree, each.target, bases, page.kind == "skill")
    )


def _is_anywhere(tree: ProjectTree, target: str) -> bool:
    """Whether it exists anywhere, perhaps without its first step: that may be the project's own name."""
    rest = target.rstrip("/").partition("/")[2]
    return tree.has(target) or ("/" in rest and tree.has(rest))


def _exists(access: FileAccess, path: str) -> bool:
    try:
        return access.reader.world.look(path) is not None
    except OSError:
        return True


SKILL_FOLDERS = ("references", "scripts", "assets", "reference", "resources")
"""Folders that skills have beside them."""


def is_of_project(tree: ProjectTree, target: str, bases: tuple[str, ...], skill: bool) -> bool:
    """Whether a path begins like one of this project, or like a file beside a skill: else it is of another."""
    first, _, rest = target.partition("/")
    below = tuple(base.removeprefix(tree.root).strip("/") for base in bases)
    if first in tree.paths or any(f"{base}/{first}".strip("/") in tree.paths for base in below):
        return True
    # A skill may be written for any project; other files are written for this one.
    return first in SKILL_FOLDERS if skill else "/" in rest and tree.has(f"{first}/{rest.partition('/')[0]}")
