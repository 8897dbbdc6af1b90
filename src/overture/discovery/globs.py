"""Patterns of paths, such as `src/**/*.py` and `*.{ts,tsx}`, and the search for files by patterns or names."""

import os
import posixpath
import re
from collections.abc import Callable, Iterator
from fnmatch import translate
from functools import lru_cache
from typing import NamedTuple

from ..model.diagnostic import warning
from ..text.path_printer import readable_path
from .files import Entries
from .paths import contains_path
from .reader import FileReader
from .world import World

SKIPPED_FOLDERS = frozenset((
    ".git", ".hg", ".svn", ".tox", ".mypy_cache", ".venv", "venv", "__pycache__", "node_modules", "bower_components",
    "site-packages",
))  # fmt: skip
"""Folders that others, or programs, write: nothing in them is the project's own."""
MAX_TRACKED_BYTES = 64 * 1024 * 1024  # bytes of the list of tracked files, about a million paths
MAX_PATTERN_CHARS = 1000
MAX_ALTERNATIVES = 200  # patterns that braces expand to
MAX_PATTERN_FOLDERS = 2000  # folders that are searched below a pattern
MAX_TOUCHED_DEPTH = 64
BRACES = re.compile(r"\{([^{}]*)\}")
WILDCARDS = frozenset("*?[")  # what makes a step of a pattern more than a name
ODD = re.compile(r"(?:^|/)\.{0,2}(?:/|$)")  # a step of a name that no plain path has

StepTests = list[Callable[[str], object]]  # a test for each step of a path, one after the other
Glob = list[list[StepTests]]  # the alternatives of a pattern, each split at its `**`


def matches_glob(pattern: str, path: str) -> bool:
    """Whether the pattern matches a path, relative and with `/`; a broken pattern matches none."""
    compiled = compile_pattern(pattern)
    steps = path.removeprefix("./").split("/")
    return not isinstance(compiled, str) and any(_fits(parts, steps) for parts in compiled)


def matches_from_base(pattern: str, path: str) -> bool:
    """Whether the pattern matches a whole path, from its beginning; `!` matches any other path."""
    named = pattern.strip()
    if named.startswith("!"):
        return len(named) > 1 and not matches_from_base(named[1:], path)
    if not named or named.startswith("/") or named.endswith("/"):
        return False
    return matches_glob(f"/{named.removeprefix('./')}", path)


def matches_relative(pattern: str, path: str) -> bool:
    """As `matches_glob`; a pattern that begins with `/` matches nothing."""
    return not pattern.strip().startswith("/") and matches_glob(pattern, path)


def matches_as_ignored(pattern: str, path: str) -> bool:
    """Whether git would ignore a path by the pattern: it names a file, or a folder above it, at any depth.

    Only with a `/` inside does it begin where the path does; `/**` at its end matches what the folder matches.
    """
    named = pattern.strip().removesuffix("/**").rstrip("/")
    if not named or named.startswith(("./", "!")):
        return False
    anchored = named.lstrip("/") if "/" in named else f"**/{named}"
    steps = path.split("/")
    return any(matches_glob(f"/{anchored}", "/".join(steps[:count])) for count in range(1, len(steps) + 1))


@lru_cache(maxsize=4096)
def compile_pattern(pattern: str) -> Glob | str:
    """The pattern in the form that is compared, or what is wrong with it.

    Without a `/` it applies in every folder; with one at its end, to everything below.
    """
    text = pattern.strip().removeprefix("./")
    if not text:
        return "it is empty"
    if len(text) > MAX_PATTERN_CHARS:
        return f"it has {len(text):,} characters"
    text = text.lstrip("/") if text.startswith("/") else text if "/" in text.rstrip("/") else f"**/{text}"
    try:
        return [_compile(f"{each}**" if each.endswith("/") else each) for each in _expand_braces(text)]
    except ValueError as problem:
        return str(problem)


def _expand_braces(text: str) -> list[str]:
    """`a.{b,c}` as `a.b` and `a.c`."""
    texts = [text]
    while BRACES.search(texts[0]):  # the innermost first: then all of the texts have the same braces
        parts = [(each, match) for each in texts if (match := BRACES.search(each))]
        choices = [f"{t[: m.start()]}{choice}{t[m.end() :]}" for t, m in parts for choice in m[1].split(",")]
        texts = list(dict.fromkeys(choices))
        if len(texts) > MAX_ALTERNATIVES:
            raise ValueError("its braces expand to too many paths")
    if "{" in texts[0]:
        raise ValueError("a `{` is not closed")
    return texts


def _compile(text: str) -> list[StepTests]:
    parts: list[StepTests] = [[]]
    for step in text.split("/"):
        if step.count("[") > step.count("]"):
            raise ValueError("a `[` is not closed")
        if len(step) > 1 and not step.strip("*"):
            parts.append([])
        else:  # most are plain names: to compile an expression takes longer
            parts[-1].append(step.__eq__ if WILDCARDS.isdisjoint(step) else re.compile(translate(step)).match)
    return parts


def _fits(parts: list[StepTests], steps: list[str]) -> bool:
    """Whether a path has the first part at its start, the last at its end, the others in this order between them."""

    def fits_at(tests: StepTests, at: int) -> bool:
        return all([test(step) for test, step in zip(tests, steps[at : at + len(tests)], strict=True)])

    first, last = parts[0], parts[-1]
    at, end = len(first), len(steps) - len(last)
    if len(parts) == 1:
        return end == 0 and fits_at(first, 0)
    if at > end or not fits_at(first, 0) or not fits_at(last, end):
        return False
    for part in parts[1:-1]:  # the first place where it fits leaves the most room for the next
        while at + len(part) <= end and not fits_at(part, at):
            at += 1
        at += len(part)
    return at <= end


# The paths on the disk that a name or a pattern stands for.


def list_named_paths(
    reader: FileReader, folder: str, name: str, home: str, *, any_case: bool, dotted: str
) -> list[str]:  # fmt: skip
    """The paths that a name matches; of `a|b` the first that exists. A missing path is returned too.

    `dotted` sets which names may begin with a dot: "none", those of "files", or "all".
    """
    names = name.split("|")
    named = [join_name(folder, each, home) for each in names]
    if "*" in name:
        matching: list[str] = []
        for top, rest in (split_pattern(folder, each, home) for each in names):
            pattern = f"/{rest.casefold() if any_case else rest}"
            below = _list_files_below(reader, top, dotted, deep="**" in rest or "/" in rest)
            found = [path for path in below if matches_glob(pattern, path.casefold() if any_case else path)]
            matching += [f"{top.rstrip('/')}/{path}" for path in sorted(found)]
        return matching
    if not any_case:
        return [next(filter(reader.world.exists, named), named[0])] if len(named) > 1 else named
    for path in named:
        top, _, last = path.rpartition("/")
        same = _list_spellings(reader.world, top or "/").get(last.casefold(), ())
        if same:  # as written, if both exist
            return [f"{top}/{last if last in same else min(same)}"]
    return named[:1]


def _list_spellings(world: World, folder: str) -> dict[str, list[str]]:
    """The names in a folder by what they are in any letter case."""
    names = world.recall(("spellings", folder), dict[str, list[str]])
    for name, _ in () if names else world.list(folder):
        names.setdefault(name.casefold(), []).append(name)
    return names


def split_pattern(folder: str, name: str, home: str) -> tuple[str, str]:
    """The folder below which a name with `*` looks, and the pattern from there on.

    A `*` in the folder's own path is a letter as any other.
    """
    fixed = name[: name.partition("*")[0].rfind("/") + 1]
    if not fixed:
        return folder, name
    return join_name(folder, fixed if fixed in ("/", "~/") else fixed[:-1], home), name[len(fixed) :]


def list_files_within(reader: FileReader, folder: str, name: str, home: str) -> list[str]:
    """All files in the folder of that name and below it, by the letters of their paths; a linked folder has none."""
    top = join_name(folder, name, home)
    entry = reader.world.find(top)
    if entry is None or entry.kind != "dir":
        return []
    files = [f"{top}/{path}" for path in _list_files_below(reader, top, "all", linked=False)]
    return sorted(files, key=lambda path: path.split("/"))


def list_touched_folders(top: str, touching: tuple[str, ...]) -> list[str]:
    """The folders below one that lead to the files in play, outermost first."""
    folders: dict[str, None] = {}
    start = top.rstrip("/")
    for inner in map(posixpath.dirname, touching):
        if inner != top and contains_path(top, inner):
            folder = start
            for step in inner[len(start) + 1 :].split("/")[:MAX_TOUCHED_DEPTH]:
                folder = f"{folder}/{step}"
                folders[folder] = None
    return [*folders]


def join_name(folder: str, name: str, home: str) -> str:
    """The path of a name in a folder, which is a plain path already; `~/…` is under home, `/…` is itself."""
    if name.startswith("~/"):
        folder, name = home, name[2:]
    path = name if name.startswith("/") else f"{folder.rstrip('/')}/{name}"
    return posixpath.normpath(path) if ODD.search(name) else path


def _list_files_below(
    reader: FileReader, top: str, dotted: str, *, deep: bool = True, linked: bool = True
) -> Iterator[str]:
    """The files below a folder, relative to it; each real folder is entered once, a linked one only if `linked`."""
    todo, visited = [""], {reader.real_or(top)}
    for searched, below in enumerate(todo):
        if searched == MAX_PATTERN_FOLDERS:
            message = f"more than {MAX_PATTERN_FOLDERS:,} folders: deeper folders were not searched"
            note = warning("rule-folders", message, readable_path(top))
            reader.diagnostics += [] if note in reader.diagnostics else [note]
            return
        for name, kind in reader.world.list(posixpath.join(top, below) if below else top):
            path = f"{below}/{name}" if below else name
            if name.startswith(".") and dotted == "none":
                continue
            if kind != "dir" and (kind != "link" or not reader.world.is_folder(f"{top}/{path}")):
                yield path
            elif deep and (dotted == "all" or not name.startswith(".")) and (linked or kind == "dir"):
                real = reader.real_or(f"{top}/{path}")
                if real not in visited:
                    visited.add(real)
                    todo.append(path)


# Everything below a folder that has certain names.


class FolderScan(NamedTuple):
    """The names that a scan looks for, and where."""

    exact: frozenset[str]
    any_case: frozenset[str]  # names in small letters that are looked for in any letter case
    skipped: frozenset[str]  # names of folders that are not scanned
    shallow: frozenset[str]  # names of folders that are scanned without those below them
    max_folders: int
    ask_git_after: int = 0  # after so many folders, git is asked for its tracked files in the others; 0: never
    unknown: int = 0  # folders to scan if git is asked and tracks no file; 0: no separate limit

    def enters(self, name: str) -> bool:
        return (name[0] != "." or name == ".github") and name not in self.skipped


class ScanResult(NamedTuple):
    """The entries that were found."""

    folders: list[tuple[str, Entries]]  # each folder that holds something wanted, with those entries
    max_folders: int | None = None  # the number of scanned folders, if there are more; None: all were scanned
    tracked: bool | None = None
    """True: folders further down are included only if git tracks a file in them; False: git tracks none."""


def scan_folders(world: World, top: str, scan: FolderScan) -> ScanResult:
    """Look into every folder below, those nearer to the top first. Links are not entered, nor most hidden folders."""
    todo, folders = [(top, True)], list[tuple[str, Entries]]()
    max_folders, tracked = scan.max_folders, None
    for at, (folder, deeper) in enumerate(todo):
        if at == scan.ask_git_after > 0 and world.is_machine:
            if (known := _find_tracked_folders(top, scan)) is not None:
                visited = {each for each, _ in todo[:at]}
                # Git lists where to look; only the disk knows what was written or removed there since.
                rest = ((each, scan_folder(world, scan, each)[0]) for each in known if each not in visited)
                return ScanResult([*folders, *(each for each in rest if each[1])], None, True)
            max_folders, tracked = min(max_folders, scan.unknown or max_folders), False
        if at == max_folders:
            return ScanResult(folders, max_folders, tracked)
        wanted, below = scan_folder(world, scan, folder)
        if wanted:
            folders.append((folder, wanted))
        if deeper:
            todo += [(f"{folder.rstrip('/')}/{name}", name not in scan.shallow) for name in below]
    return ScanResult(folders, None, tracked)


def scan_folder(world: World, scan: FolderScan, folder: str) -> tuple[Entries, list[str]]:
    """The entries of a folder with these names, and the subfolders to scan."""
    entries = world.list(folder)  # a folder that may not be listed has no readable files
    exact, any_case, lengths = scan.exact, scan.any_case, {len(name) for name in scan.any_case}
    # Tens of thousands of names pass here: make no call that is not needed.
    wanted = [e for e in entries if e[0] in exact or (len(e[0]) in lengths and e[0].casefold() in any_case)]
    return wanted, [name for name, kind in entries if kind == "dir" and scan.enters(name)]


def _find_tracked_folders(top: str, scan: FolderScan) -> list[str] | None:
    """The folders with wanted files that git tracks; None: there is no repository, no answer, or no tracked file."""
    from .git import ask_git

    try:
        answer = ask_git(("ls-files", "-z"), top, None, max_bytes=MAX_TRACKED_BYTES)
    except OSError:
        return None
    folders: dict[str, None] = {}
    for path in os.fsdecode(answer or b"").split("\0")[:-1]:
        steps = path.split("/")
        is_wanted = steps[-1] in scan.exact or steps[-1].casefold() in scan.any_case
        for at, step in enumerate(steps if is_wanted or not scan.exact.isdisjoint(steps) else ()):
            if step in scan.exact or (is_wanted and at == len(steps) - 1):
                folders["/".join([top.rstrip("/"), *steps[:at]])] = None
            if not scan.enters(step):
                break
    return [*folders] if answer else None
