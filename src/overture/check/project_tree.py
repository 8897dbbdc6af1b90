"""The paths of a project: what git lists, ignores and has moved; without git, what its folders hold."""

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from posixpath import basename, dirname, join, normpath, relpath

from ..discovery.globs import MAX_TRACKED_BYTES, SKIPPED_FOLDERS, matches_glob
from ..discovery.world import World, read_limited
from ..lazy import lazy

MAX_READ_BYTES = 1024 * 1024
MAX_HISTORY_SECONDS = 0.1
"""Seconds for a hint where missing files went: nobody should wait longer for it."""


class ProjectTree:
    """The files below a root, whose paths are relative to it. Nothing outside is looked at."""

    def __init__(self, world: World, root: str) -> None:
        self.world, self.root = world, root.rstrip("/")
        self.whole = True
        """Whether every folder could be listed."""
        self.listing: Future[frozenset[str]] | None = None

    def locate(self, path: str) -> str:
        return normpath(f"{self.root}/{path}")

    def start_listing(self) -> None:
        """List the files while the caller does something else."""
        with ThreadPoolExecutor(1) as pool:
            self.listing = pool.submit(self._list_files)
            pool.shutdown(wait=False)

    @lazy
    def files(self) -> frozenset[str]:
        """Every file, link and submodule that is there; of a repository, those that git does not ignore."""
        return self.listing.result() if self.listing else self._list_files()

    def _list_files(self) -> frozenset[str]:
        rows = self._ask_git("ls-files", "-z", "-t", "--cached", "--deleted", "--others", "--exclude-standard")
        if rows:  # where git lists nothing, everything may be ignored
            return frozenset(row[2:] for row in rows) - {row[2:] for row in rows if row[0] == "R"}
        paths, folders = list[str](), ["."]
        for folder in folders:
            try:
                names = self.world.names(self.locate(folder))
            except OSError:
                self.whole = False
                continue
            paths += [normpath(join(folder, name)) for name, kind in names if kind != "dir"]
            below = (name for name, kind in names if kind == "dir" and name not in SKIPPED_FOLDERS)
            folders += [normpath(join(folder, name)) for name in below]
        return frozenset(paths)

    def _ask_git(self, *words: str, stdin: bytes = b"", seconds: float | None = None) -> list[str] | None:
        """The parts of git's answer; None where there is no git, or no answer."""
        from ..discovery.git import ask_git

        with suppress(OSError):
            top, most = self.root or "/", MAX_TRACKED_BYTES
            answer = self.world.is_machine and ask_git(words, top, None, stdin=stdin, seconds=seconds, max_bytes=most)
            return os.fsdecode(answer).split("\0")[:-1] if isinstance(answer, bytes) else None
        return None

    @lazy
    def folders(self) -> frozenset[str]:
        folders = {"."}
        for path in self.files:
            while (path := path.rpartition("/")[0]) and path not in folders:
                folders.add(path)
        return frozenset(folders)

    @lazy
    def by_name(self) -> dict[str, list[str]]:
        """All paths by the last step of each, in small letters."""
        paths: defaultdict[str, list[str]] = defaultdict(list)
        for path in (*self.files, *self.folders):
            paths[path.rpartition("/")[2].lower()].append(path)
        return paths

    @lazy
    def modules(self) -> frozenset[str]:
        """What modules are imported as: `src/x` for `src/x.ts` and `src/x.test.ts`, and `src/x.js` for `src/x.ts`."""
        ends = ((path, path.find(".", path.rfind("/") + 2)) for path in self.files)
        stems = {part for path, at in ends if at > 0 for part in (path[:at], path[: path.rfind(".")])}
        return frozenset(
            (*stems, *(f"{path.rpartition('.')[0]}.js" for path in self.files if path.endswith((".ts", ".tsx"))))
        )

    def has(self, path: str, hops: int = 20) -> bool:
        """Whether a path is there, or can't be known to be gone: below a link that leads out, or in a submodule."""
        if path in self.files or path in self.folders or path.startswith(("../", "/")):
            return True
        above = next((each for each in list_above(path) if each in self.files), None)
        if above is None:
            return False
        entry = self.world.find(self.locate(above))
        if entry is None or entry.kind != "link" or not hops:
            return entry is None or entry.kind == "dir" or not hops
        target = self.world.target(self.locate(above))
        return self.has(normpath(join(dirname(above), target, relpath(path, above))), hops - 1)

    def list_ends(self, path: str) -> list[str]:
        """The paths that end with this one."""
        return [each for each in self.by_name.get(basename(path).lower(), ()) if each.endswith(f"/{path}")]

    def find_spelling(self, paths: Iterable[str]) -> str | None:
        """The path that differs from one of these in letter case only."""
        small = {path.lower() for path in paths}
        alike = (each for path in sorted(small) for each in self.by_name.get(basename(path), ()))
        return next((each for each in alike if each.lower() in small), None)

    def read(self, path: str) -> str | None:
        """The text of a file; None if it is unreadable or large, or a link out of the project."""
        with suppress(OSError):
            data = read_limited(self.world, self.locate(path), MAX_READ_BYTES, self.root or "/")
            return data.decode("utf-8", "replace")
        return None

    def list_ignored(self, paths: Iterable[str]) -> set[str]:
        """Which of these paths git ignores, as files or as folders."""
        inside = {path for path in paths if not path.startswith("..")}
        # Git refuses to answer if one of them is below a link or a submodule.
        asked = sorted(path for path in inside if self.files.isdisjoint((path, *list_above(path))))
        names = os.fsencode("".join(f"{path}\0{path}/\0" for path in asked))
        # The user's own rules count on one machine only.
        words = ("-c", f"core.excludesFile={os.devnull}", "check-ignore", "-z", "--stdin", "--no-index")
        answer = self._ask_git(*words, stdin=names) if asked else []
        if answer is not None:
            return {path.rstrip("/") for path in answer}
        known = {".": False}
        return {path for path in asked if self._is_ignored(path, known)}

    def _is_ignored(self, path: str, known: dict[str, bool]) -> bool:
        """The same of one path where git can't be asked: of the lines that match, the last one decides."""
        if path not in known:
            last = ""
            for folder in reversed([*list_above(path)]):
                for line in self._ignore_lines.get(folder, ()):
                    pattern = line.removeprefix("!").rstrip("/")
                    last = line if matches_glob(pattern, relpath(path, folder)) else last
            known[path] = self._is_ignored(dirname(path) or ".", known) or last[:1] not in ("", "!")
        return known[path]

    @lazy
    def _ignore_lines(self) -> dict[str, list[str]]:
        """By folder, the lines of its .gitignore."""
        paths = [path for path in self.files if basename(path) == ".gitignore"]
        lines = {dirname(path) or ".": (self.read(path) or "").splitlines() for path in paths}
        return {folder: [each.rstrip() for each in rows if each.strip("/* \t#")] for folder, rows in lines.items()}

    def find_moves(self, paths: Sequence[str]) -> dict[str, str]:
        """Where git's history moved these files, as far as it can be read in a moment."""
        words = ("log", "-M", "--full-diff", "--diff-filter=R", "--name-status", "--format=", "-z", "--relative")
        specs = ("-n200", "--", *(f":(top,literal){path}" for path in paths))
        rows = (self._ask_git(*words, *specs, seconds=MAX_HISTORY_SECONDS) if paths else None) or []
        moves: dict[str, str] = {}
        for old, new in zip(rows[1::3], rows[2::3], strict=False):
            moves.setdefault(old, moves.get(new, new))  # the latest commit comes first
        return {path: moves[path] for path in paths if moves.get(path) in self.files}


def list_above(path: str) -> Iterator[str]:
    """The folders above a path, nearest first, and the root, `.`."""
    while path := dirname(path):
        yield path
    yield "."
