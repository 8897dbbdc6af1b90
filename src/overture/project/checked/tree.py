"""What lies in a project, all of it, listed when somebody first asks: its names, and what git ignores."""

from collections import defaultdict
from collections.abc import Iterator
from fnmatch import fnmatchcase

from ...discover.disk.world import World, read_up_to
from ...lazy import lazy

SKIPPED = frozenset((".git", "node_modules", ".venv", "venv", "__pycache__", ".hg", ".svn", ".tox", ".mypy_cache"))
"""Folders that hold nothing of the project's own."""
MOST = 150_000
"""Entries in all: of a larger project nothing is said to be missing."""
LARGEST = 256 * 1024


class Tree:
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
        while todo and len(found) < MOST:
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
                if kind == "dir" and name not in SKIPPED:
                    todo.append(f"{base}{name}")
        self.whole = self.whole and not todo
        return frozenset(found)

    @lazy
    def by_name(self) -> dict[str, list[str]]:
        """The paths, by the last step of each, with and without its ending, in small letters: some disks know no others."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for path in self.paths:
            name = path.rpartition("/")[2].lower()
            found[name].append(path)
            stem = name.partition(".")[0]
            if stem and stem != name:
                found[stem].append(path)
        return found

    def has(self, path: str) -> bool:
        """Whether a path, or one that ends so, lies anywhere in the project."""
        steps = path.strip("/").lower().split("/")
        stem = steps[-1]
        folder = "/".join(steps[:-1])
        return any(_ends(found.rpartition("/")[0].lower(), folder) for found in self.by_name.get(stem, ()))

    def named(self, *patterns: str) -> Iterator[str]:
        """The files whose name is one of these, sorted: those nearest to the root first."""
        wide = [pattern for pattern in patterns if "*" in pattern]
        ends = [name for name in self.by_name if any(fnmatchcase(name, each.lower()) for each in wide)]
        near = {path for name in (*ends, *map(str.lower, patterns)) for path in self.by_name.get(name, ())}
        hits = [path for path in near if any(fnmatchcase(path.rpartition("/")[2], each) for each in patterns)]
        yield from sorted(hits, key=lambda path: (path.count("/"), path))

    def read(self, path: str) -> str | None:
        """The text of a file; None where it can't be read, or is large."""
        try:
            return read_up_to(self.world, f"{self.root}/{path}", LARGEST).decode("utf-8", "replace")
        except OSError:
            return None

    @lazy
    def ignored(self) -> tuple[str, ...]:
        """What git ignores here, by the last step of each pattern."""
        texts = [self.read(path) or "" for path in self.named(".gitignore")]
        lines = (line.strip() for text in texts for line in text.splitlines())
        patterns = (line.rstrip("/").rpartition("/")[2] for line in lines if line and line[0] not in "#!")
        return tuple(dict.fromkeys(each for each in patterns if each.strip("*")))

    def ignores(self, path: str) -> bool:
        """Whether git may ignore a path: somebody makes it, and it need not be here."""
        steps = path.strip("/").split("/")
        return any(fnmatchcase(step, pattern) for step in steps for pattern in self.ignored)


def _ends(path: str, end: str) -> bool:
    return not end or path == end or path.endswith(f"/{end}")
