"""What a project has: its paths, what git ignores or has moved, its commands; and which named files are missing."""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from fnmatch import translate
from posixpath import normpath
from typing import NamedTuple

import msgspec

from ..discovery.globs import SKIPPED_FOLDERS
from ..discovery.paths import contains_path
from ..discovery.reader import Sighting
from ..discovery.world import World, read_limited
from ..lazy import lazy
from .input import CheckedFile
from .mentions import FileMention, find_command_mentions, find_file_mentions

MAX_FILE_BYTES = 1024 * 1024
"""Bytes of a file of the project that is read for what it ignores or defines."""
MAX_PATTERN_CHARS = 200
"""Characters of a pattern that git ignores by."""
MAX_PATTERNS = 2_000
"""Maximum number of such patterns; with more there are no findings about missing files."""


class ProjectTree:
    """The files and folders below a root. Links are named, and not followed."""

    def __init__(self, world: World, root: str) -> None:
        """They are listed when one is needed."""
        self.world, self.root = world, root.rstrip("/")
        self.whole = True
        """Whether everything was listed."""

    @lazy
    def paths(self) -> frozenset[str]:
        """Every path below the root, relative to it."""
        paths: list[str] = []
        todo = [""]
        while todo:
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
        path = f"/{path.strip('/').lower()}"
        return any(f"/{found.lower()}".endswith(path) for found in self.by_name.get(path.rpartition("/")[2], ()))

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
            return read_limited(self.world, f"{self.root}/{path}", MAX_FILE_BYTES, self.root).decode("utf-8", "replace")
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


FOLDERS_WITHOUT_IMPORTS = re.compile(
    r"/\.(?:clinerules|cline|roo|roorules|kilo|kilocode|windsurf|devin|kiro|continue|junie|augment|cursor)(?:/|$)"
)
"""Folders of agents that take `@path` for text, or for a path from the root."""


def find_missing_paths(
    tree: ProjectTree, pages: Iterable[CheckedFile], cwd: str, sight: Callable[[str], Sighting | None]
) -> Mapping[str, frozenset[str]]:
    """By page, the names of files that are not there, each as `FileMention.key` has it."""
    missing: dict[str, frozenset[str]] = {}
    for page in pages:
        named = {each.key: each for each in find_file_mentions(page)}
        # Beside the page; for a link, also beside its target.
        sighting = sight(page.path) if named else None
        bases = tuple(dict.fromkeys(path.rpartition("/")[0] for path in (page.path, sighting.real if sighting else "")))
        absent = frozenset(key for key, each in named.items() if not _is_there(tree, page, each, bases, cwd))
        if absent:
            missing[page.path] = absent
    return missing


def _is_there(tree: ProjectTree, page: CheckedFile, each: FileMention, bases: tuple[str, ...], cwd: str) -> bool:
    """Whether a file is there, or can't be known to be gone."""
    # An import begins at the folder of its file.
    is_import = each.kind == "import" and not FOLDERS_WITHOUT_IMPORTS.search(page.path)
    begin = bases if is_import else (*bases, tree.root or "/", cwd)
    paths = [normpath(f"{folder.rstrip('/')}/{each.target}") for folder in begin if folder]
    if any(not contains_path(tree.root or "/", path) or _exists(tree.world, path) for path in paths):
        return True
    if each.kind == "link" and any(_exists(tree.world, f"{path}.md") for path in paths):
        return True
    if not tree.paths or not tree.whole or tree.ignores(each.target):
        return True
    if each.kind != "path":
        return False
    rest = each.target.rstrip("/").partition("/")[2]  # the first step may be the project's own name
    is_anywhere = tree.has(each.target) or ("/" in rest and tree.has(rest))
    return is_anywhere or not is_of_project(tree, each.target, bases, page.kind == "skill")


def _exists(world: World, path: str) -> bool:
    try:
        return world.look(path) is not None
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


MAX_MOVED_PATHS = 200
"""Paths for which git is run."""
MAX_COMMITS = "200"
"""Commits that touched them, the latest first."""
MAX_HISTORY_SECONDS = 0.15
"""Seconds for a hint where a missing path went: a check is not worth more of anybody's time for it."""
MAX_MOVES = 4
"""How often one file may have been moved."""


def find_moved_paths(root: str, gone: Iterable[str], there: Collection[str]) -> dict[str, str]:
    """The paths of `gone`, below the root, that git has moved, and the new name of each, which has to be `there`.

    If git fails, or is slow in a long history, no move is known: the paths are still missing.
    """
    wanted = sorted(gone)[:MAX_MOVED_PATHS]
    below = tuple([f"{path}/" for path in wanted])
    moves: dict[str, str] = {}
    asked, paths = set[str](), wanted
    for _ in range(MAX_MOVES):
        if not paths:
            break
        moves = {**_list_renames(root, paths), **moves}
        asked.update(paths)
        # Git lists all renames of a commit; a walk through the history takes long, so only wanted files are followed.
        ends = {_follow_file(old, moves) for old in moves if old in wanted or old.startswith(below)}
        paths = sorted(ends.difference(there, asked))
    return {path: new for path in wanted if (new := _follow(path, moves)) and new in there}


def _list_renames(root: str, paths: list[str]) -> dict[str, str]:
    """Every rename in commits that touched these paths, by the old name; the latest counts."""
    from ..discovery.git import ask_git

    words = ("log", "-M", "--full-diff", "--diff-filter=R", "--name-status", "--format=", "-z", "--relative", "-n")
    try:
        answer = ask_git(
            (*words, MAX_COMMITS, "--", *(f":(top,literal){path}" for path in paths)),
            root,
            root,
            seconds=MAX_HISTORY_SECONDS,
        )
    except OSError:
        return {}
    parts = (answer or b"").decode("utf-8", "replace").lstrip("\0").split("\0")
    renames: dict[str, str] = {}
    for old, new in zip(parts[1::3], parts[2::3], strict=False):
        renames.setdefault(old, new)
    return renames


def _follow(path: str, moves: dict[str, str]) -> str | None:
    """Where a moved path leads in the end. A folder leads where the first of its files went under the same name."""
    if path in moves:
        return _follow_file(path, moves)
    for old in moves:
        rest, new = old.removeprefix(f"{path}/"), _follow_file(old, moves)
        if rest != old and new.endswith(f"/{rest}"):
            return new.removesuffix(f"/{rest}")
    return None


def _follow_file(path: str, moves: dict[str, str]) -> str:
    for _ in range(MAX_MOVES):
        path = moves.get(path, path)
    return path


RULE = re.compile(r"^([^\s:=#][^:=#\n]*+)::?(?![=:])", re.MULTILINE)
PHONY = re.compile(r"^\.PHONY\s*:(.*(?:\\\n.*)*)", re.MULTILINE)
INCLUDES = re.compile(r"^-?s?include\s+(.*)$", re.MULTILINE)
RECIPE = re.compile(r"^@?([A-Za-z_][\w-]*)(?:[^\n:]|:=)*:(?!=)", re.MULTILINE)
ALIAS = re.compile(r"^alias\s+([\w-]+)\s*:=", re.MULTILINE)
MODULE = re.compile(r"^mod\b", re.MULTILINE)


def parse_package(text: str) -> set[str]:
    """The scripts of a package.json."""
    data = msgspec.json.decode(text.removeprefix("\ufeff"))
    scripts = data.get("scripts") if isinstance(data, dict) else None
    return set(scripts) if isinstance(scripts, dict) else set()


def parse_make(text: str) -> set[str]:
    """The targets of a Makefile; `%` matches anything, and a computed target matches every name."""
    names: set[str] = set()
    for match in RULE.findall(text):
        names.update(match.split())
    for match in PHONY.findall(text):
        names.update(match.replace("\\\n", " ").split())
    if any("$" in name and not name.strip("$(){}").isupper() for name in names) or "$(eval" in text:
        return {"*"}
    for match in INCLUDES.findall(text):
        if not match.strip().endswith((".mk", ".mak", "Makefile")):
            return {"*"}
    return {name.replace("%", "*") if name != "%" else "*" for name in names if not name.startswith((".PHONY", "$"))}


def parse_just(text: str) -> set[str]:
    """The recipes and aliases of a justfile."""
    return {*RECIPE.findall(text), *ALIAS.findall(text), *({"*"} if MODULE.search(text) else ())}


ANY_NAME = "*"


class Runner(NamedTuple):
    """Where a runner's names are defined, and what takes them out of such a file."""

    files: tuple[str, ...]
    names: Callable[[str], set[str]]
    """With `*` for what can't be known."""


RUNNERS: Mapping[str, Runner] = {
    "npm": Runner(("package.json",), parse_package),
    "make": Runner(("Makefile", "makefile", "GNUmakefile", "*.mk", "*.mak", "Makefile.*"), parse_make),
    "just": Runner(("justfile", "Justfile", ".justfile", "*.just"), parse_just),
}


def find_defined_commands(tree: ProjectTree, pages: Iterable[CheckedFile]) -> Mapping[str, frozenset[str]]:
    """By runner, the names that it defines anywhere in the project; a runner without any is omitted."""
    runners = {each.runner for page in pages for each in find_command_mentions(page)}
    commands: dict[str, frozenset[str]] = {}
    for name in sorted(runners & RUNNERS.keys()):
        files = tree.named(*RUNNERS[name].files)
        known = frozenset(each for path in files for each in _read_names(tree, RUNNERS[name], path))
        if known and tree.whole and ANY_NAME not in known:
            commands[name] = known
    return commands


def _read_names(tree: ProjectTree, runner: Runner, path: str) -> set[str]:
    """The names that one file defines; of one that can't be read, anything may be."""
    text = tree.read(path)
    try:
        return {ANY_NAME} if text is None else runner.names(text)
    except (ValueError, RecursionError):
        return {ANY_NAME}
