"""The project tree lists all paths of a project once, and knows what git ignores."""

import re
from collections import defaultdict
from collections.abc import Iterator
from fnmatch import translate

from ...discover.disk.open_file import read_file_within
from ...discover.disk.scan_folders import SKIPPED_FOLDERS
from ...discover.disk.world import World
from ...lazy import lazy

MAX_ENTRIES = 150_000
"""Entries in all: of a larger project nothing is said to be missing."""
MAX_FILE_BYTES = 1024 * 1024
MAX_PATTERN_CHARS = 200
"""Characters of a pattern that git ignores by."""
MAX_PATTERNS = 2_000
"""Such patterns, beyond which nothing is said to be missing."""


class ProjectTree:
    """The files and folders below a root. Links are named, and not followed."""

    def __init__(self, world: World, root: str) -> None:
        self.world, self.root = world, root.rstrip("/")
        self.whole = True
        """Whether everything was listed."""

    @lazy
    def paths(self) -> frozenset[str]:
        """Every path below the root, relative to it."""
        found: list[str] = []
        todo = [""]
        while todo and len(found) < MAX_ENTRIES:
            folder = todo.pop()
            try:
                names = self.world.names(f"{self.root}/{folder}".rstrip("/") or "/")
            except OSError:
                # What can't be listed may hold what is named.
                self.whole = False
                continue
            base = f"{folder}/" if folder else ""
            for name, kind in names:
                found.append(f"{base}{name}")
                if kind == "dir" and name not in SKIPPED_FOLDERS:
                    todo.append(f"{base}{name}")
        self.whole = self.whole and not todo
        return frozenset(found)

    @lazy
    def by_name(self) -> dict[str, list[str]]:
        """The paths by the last step of each, in small letters: some disks know no others."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for path in self.paths:
            found[path.rpartition("/")[2].lower()].append(path)
        return found

    def has(self, path: str) -> bool:
        """Whether a path, or one that ends so, lies anywhere in the project."""
        folder, _, name = path.strip("/").lower().rpartition("/")
        return any(_ends_with(found.rpartition("/")[0].lower(), folder) for found in self.by_name.get(name, ()))

    def find_by_letters(self, path: str) -> str | None:
        """The only path whose letter case alone is another."""
        same = [each for each in self.by_name.get(path.rpartition("/")[2].lower(), ()) if each.lower() == path.lower()]
        return same[0] if len(same) == 1 and same[0] != path else None

    def find_by_name(self, path: str) -> str | None:
        """The only path with the same last step: a file that somebody has moved, perhaps."""
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
        """The text of a file; None where it can't be read, or is large."""
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
        """Whether git may ignore a path: somebody makes it, and it need not be here."""
        return any(self.ignored.match(step) for step in path.strip("/").split("/"))


def _ends_with(path: str, end: str) -> bool:
    return not end or path == end or path.endswith(f"/{end}")
