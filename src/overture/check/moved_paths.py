"""Finds in git's history where the paths moved that files name and that are missing."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property, partial

from ..discover.disk.real_world import RealWorld
from ..discover.disk.repository import stamp_history
from ..discover.stored.recall_or_compute import is_stored, recall_or_compute
from ..discover.stored.recorded_questions import record_into
from ..discover.stored.signed_result_store import current_store

KIND = "renames"
"""Of the stored answers."""

MAX_PATHS = 200
"""Paths for which git is run."""
MAX_COMMITS = "200"
"""Commits that touched them, the latest first."""
MAX_MOVES = 4
"""How often one file may have been moved."""


class MovedPaths(Mapping[str, str]):
    """Missing paths and the new name of each, for which git still looks: whoever reads them first waits for it."""

    def __init__(self, find: Callable[[], dict[str, str]]) -> None:
        """Keep what waits for git, until somebody reads a path."""
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


def start_finding_moves(root: str, gone: Iterable[str], there: Collection[str]) -> Mapping[str, str]:
    """As `find_moved_paths`; in a command that stores the answer, git walks through the history beside other work."""
    wanted = sorted(gone)[:MAX_PATHS]
    history = stamp_history(RealWorld(), root) if wanted else None
    if history is None or current_store() is None or is_stored(KIND, _describe_walk(root, history, wanted)):
        return find_moved_paths(root, wanted, there)
    try:
        wait = _start_listing_renames(root, wanted)
    except OSError:
        return {}
    return MovedPaths(lambda: _find_moves(root, wanted, there, wait))


def find_moved_paths(root: str, gone: Iterable[str], there: Collection[str]) -> dict[str, str]:
    """The paths of `gone`, below the root, that git has moved, and the new name of each, which has to be `there`.

    If git fails, or is slow in a long history, no move is known: the paths are still missing.
    """
    wanted = sorted(gone)[:MAX_PATHS]
    return _find_moves(root, wanted, there, lambda: _start_listing_renames(root, wanted)()) if wanted else {}


def _find_moves(
    root: str, wanted: list[str], there: Collection[str], list_renames: Callable[[], dict[str, str]]
) -> dict[str, str]:
    """The new names of the wanted paths; `list_renames` answers for these paths themselves."""
    below = tuple([f"{path}/" for path in wanted])
    moves: dict[str, str] = {}
    asked, paths = set[str](), list(wanted)
    for _ in range(MAX_MOVES):
        try:
            renames = _start_listing_renames(root, paths)() if asked else list_renames()
        except OSError:
            break
        moves = {**renames, **moves}
        asked.update(paths)
        # Git lists all renames of a commit; a walk through the history takes long, so only wanted files are followed.
        ends = {_follow_file(old, moves) for old in moves if old in wanted or old.startswith(below)}
        paths = sorted(ends.difference(there, asked))
        if not paths:
            break
    return {path: new for path in wanted if (new := _follow(path, moves)) and new in there}


def _describe_walk(root: str, history: tuple[object, ...], paths: list[str]) -> bytes:
    """What an answer of git follows from."""
    return repr((root, history, paths)).encode()


def _start_listing_renames(root: str, paths: list[str]) -> Callable[[], dict[str, str]]:
    """Start git, unless its answer is stored. The returned function waits for it, and has to be called."""
    history = stamp_history(RealWorld(), root)
    if history is None:
        return _start_git_log(root, paths)
    data = _describe_walk(root, history, paths)
    if is_stored(KIND, data):
        return partial(recall_or_compute, KIND, data, dict[str, str], dict)
    with record_into(None):  # it follows from the history alone
        wait = _start_git_log(root, paths)
    return partial(recall_or_compute, KIND, data, dict[str, str], wait)


def _start_git_log(root: str, paths: list[str]) -> Callable[[], dict[str, str]]:
    """Start git, which lists every rename, the latest first."""
    from ..discover.run_git import start_git

    words = ("log", "-M", "--full-diff", "--diff-filter=R", "--name-status", "--format=", "-z", "--relative", "-n")
    literal = (f":(top,literal){path}" for path in paths)
    return partial(_read_renames, start_git((*words, MAX_COMMITS, "--", *literal), root, root))


def _read_renames(wait: Callable[[], bytes | None]) -> dict[str, str]:
    """Every rename, by the old name; the latest counts."""
    parts = (wait() or b"").decode("utf-8", "replace").lstrip("\0").split("\0")
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
