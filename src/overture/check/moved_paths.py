"""Finds in git's history where the paths moved that files name and that are missing."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property

from ..discover.run_git import ask_git

MAX_PATHS = 200
"""Paths for which git is run."""
MAX_COMMITS = "200"
"""Commits that touched them, the latest first."""
MAX_MOVES = 4
"""How often one file may have been moved."""


class MovedPaths(Mapping[str, str]):
    """Missing paths and the new name of each, which are looked for when somebody reads them."""

    def __init__(self, find: Callable[[], dict[str, str]]) -> None:
        self._find = find

    @cached_property
    def _paths(self) -> dict[str, str]:
        return self._find()

    def __getitem__(self, path: str) -> str:
        return self._paths[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


def find_moved_paths(root: str, gone: Iterable[str], there: Collection[str]) -> dict[str, str]:
    """The paths of `gone`, below the root, that git has moved, and the new name of each, which has to be `there`.

    If git fails, or is slow in a long history, no move is known: the paths are still missing.
    """
    wanted = sorted(gone)[:MAX_PATHS]
    below = tuple([f"{path}/" for path in wanted])
    moves: dict[str, str] = {}
    asked, paths = set[str](), wanted
    for _ in range(MAX_MOVES):
        if not paths:
            break
        try:
            renames = _list_renames(root, paths)
        except OSError:
            break
        moves = {**renames, **moves}
        asked.update(paths)
        # Git lists all renames of a commit; a walk through the history takes long, so only wanted files are followed.
        ends = {_follow_file(old, moves) for old in moves if old in wanted or old.startswith(below)}
        paths = sorted(ends.difference(there, asked))
    return {path: new for path in wanted if (new := _follow(path, moves)) and new in there}


def _list_renames(root: str, paths: list[str]) -> dict[str, str]:
    """Every rename, by the old name; the latest counts."""
    words = ("log", "-M", "--full-diff", "--diff-filter=R", "--name-status", "--format=", "-z", "--relative", "-n")
    literal = (f":(top,literal){path}" for path in paths)
    answer = ask_git((*words, MAX_COMMITS, "--", *literal), root, root)
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
