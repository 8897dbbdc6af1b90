"""What git says of a folder. It is asked so that it runs no program that the repository names, and writes nothing."""

import os
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import suppress
from signal import SIGKILL
from threading import Timer

from ..model.diagnostic import Diagnostic, warning
from ..model.state.git import COMMITS, LISTED, Commit, Git, shortened
from .disk.reader import readable
from .disk.walk import folders
from .disk.world import World

FAILED = "git-failed"
"""The code of what keeps git from saying anything."""
SECONDS = 2.0
"""A git that takes longer is left alone."""
MOST = 8 * 1024 * 1024
"""Bytes of an answer that are read: about a hundred thousand paths are counted."""
KEPT = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM", "GIT_EXEC_PATH")
"""Variables that stay: where the user's own settings lie. Others, as GIT_DIR in a hook, speak of another folder."""
SAFE = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "log.showSignature": "false",
    "protocol.allow": "never",
    "i18n.logOutputEncoding": "UTF-8",
    "safe.bareRepository": "explicit",
}
"""What counts in place of the repository's own settings: no monitor, hook, signature program or download."""
QUIET = {
    "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_LAZY_FETCH": "1", "GIT_ALLOW_PROTOCOL": "none", "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}  # fmt: skip
STATUS = ("status", "--porcelain=v2", "--branch", "-z", "--no-renames", "--ignore-submodules=all")
LOG = ("log", f"-{COMMITS}", "-z", "--format=%h %s", "--no-color", "--no-show-signature", "--no-mailmap")


def find_git(
    world: World, folder: str, top: str | None, known: Git | None
) -> tuple[Git | None, tuple[Diagnostic, ...]]:
    """What git says, or what keeps it from saying it. `known` is what it said before."""
    try:
        return world.git(folder, top, known), ()
    except OSError as problem:
        said = problem.strerror or str(problem)
        way = "install it" if isinstance(problem, FileNotFoundError) else "mend it"
        note = f"git can't be asked: {said}; {way}, or set features.git.enabled = false"
        return None, (warning(FAILED, note, readable(folder)),)


def read_git(folder: str, top: str | None, known: Git | None) -> Git | None:
    """The facts; None where there is no repository. What goes wrong is an OSError."""
    environment = _environment(top)
    answer = _ask(STATUS, folder, {**environment, **_settings(_without_filters(folder, environment))})
    if answer is None:
        return None
    head, branch, lines = _status(answer)
    commits: tuple[Commit, ...] = ()
    if head is not None and known is not None and known.head == head:
        commits = known.commits
    elif head is not None:
        commits = tuple(_commits(_ask(LOG, folder, {**environment, **_settings(SAFE)}) or b""))
    more = max(0, len(lines) - LISTED)
    return Git(_root(folder), branch, head, tuple(map(shortened, lines[:LISTED])), more, commits)


def _environment(top: str | None) -> dict[str, str]:
    """The process's variables, without those that lead git elsewhere."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("GIT_") or name in KEPT}
    above = os.path.dirname(top) if top else ""
    return {**plain, **QUIET, **({"GIT_CEILING_DIRECTORIES": above} if above else {})}


def _settings(values: Mapping[str, str]) -> dict[str, str]:
    """Settings as variables. Unlike `-c KEY=VALUE` they take any key."""
    rows = list(values.items())
    keys = {f"GIT_CONFIG_KEY_{index}": key for index, (key, _) in enumerate(rows)}
    given = {f"GIT_CONFIG_VALUE_{index}": value for index, (_, value) in enumerate(rows)}
    return {"GIT_CONFIG_COUNT": str(len(rows)), **keys, **given}


def _without_filters(folder: str, environment: Mapping[str, str]) -> dict[str, str]:
    """The safe settings, and every filter of the repository's own emptied: a status would run it."""
    listed = _ask(("config", "--list", "-z", "--show-scope", "--name-only"), folder, {**environment, **_settings(SAFE)})
    words = (listed or b"").decode("utf-8", "surrogateescape").split("\0")
    own = [key for scope, key in zip(words[::2], words[1::2], strict=False) if scope in ("local", "worktree")]
    filters = [key for key in own if key.startswith("filter.")]
    return {**SAFE, **{key: "false" if key.endswith(".required") else "" for key in filters}}


def _ask(words: tuple[str, ...], folder: str, environment: Mapping[str, str]) -> bytes | None:
    """What git answers; None where there is no repository."""
    try:
        process = subprocess.Popen(
            ["git", "--no-pager", "--no-replace-objects", *words], cwd=folder, env=environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
        )  # fmt: skip
    except FileNotFoundError:
        raise FileNotFoundError("it is not installed") from None
    slow = Timer(SECONDS, _end, (process,))
    slow.start()
    with process:
        assert process.stdout is not None and process.stderr is not None
        answer = process.stdout.read(MOST)
        said = process.stderr.read(1000) if len(answer) < MOST else b""
        late = not slow.is_alive()
        slow.cancel()
        _end(process)
    if late:
        raise OSError(f"it took longer than {SECONDS:g} seconds")
    if process.returncode and len(answer) < MOST:
        _check(said.decode("utf-8", "replace"))
        return None
    return answer


def _check(said: str) -> None:
    """Whether there is merely no repository; else what git complained of is an error."""
    if not said.startswith("fatal: not a git repository"):
        line = said.strip().partition("\n")[0].removeprefix("fatal: ").removeprefix("error: ")
        raise OSError(f"it said `{shortened(line)}`" if line else "it failed without a word")


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End it, and whatever it started: none of them may hold its answer open."""
    with suppress(OSError):
        os.killpg(process.pid, SIGKILL)


def _status(answer: bytes) -> tuple[str | None, str | None, list[str]]:
    """The commit, the branch and the changed paths, in the words of `git status --short`."""
    head = branch = None
    lines: list[str] = []
    for row in answer.split(b"\0"):
        text = row.decode("utf-8", "replace")
        if text.startswith("# branch.oid ") and not text.endswith("(initial)"):
            head = text[13:]
        elif text.startswith("# branch.head ") and not text.endswith(" (detached)"):
            branch = text[14:]
        elif line := _line(text):
            lines.append(line)
    return head, branch, lines


def _line(text: str) -> str | None:
    """`1 .M N... 100644 … a.py` as ` M a.py`, `? b.py` as `?? b.py`."""
    fields = {"1": 8, "u": 10}
    kind = text[:1]
    if kind == "?":
        return f"?? {text[2:]}"
    words = text.split(" ", fields.get(kind, 0))
    return f"{words[1].replace('.', ' ')} {words[-1]}" if kind in fields and len(words) > fields[kind] else None


def _commits(answer: bytes) -> Iterator[Commit]:
    for row in answer.decode("utf-8", "replace").split("\0"):
        id, _, subject = row.partition(" ")
        if id:
            yield Commit(id, shortened(subject))


def _root(folder: str) -> str:
    """The nearest folder with a `.git`, as git takes it."""
    above = reversed(folders(folder, None))
    return readable(next((each for each in above if os.path.lexists(f"{each.rstrip('/')}/.git")), folder))
