"""Asking git so that it runs no program that the repository names, writes nothing, and does not take long."""

import os
import subprocess
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from signal import SIGKILL
from threading import Timer

from ..model.state.git import shortened
from .disk.walk import folders

SECONDS = 2.0
"""A git that takes longer is left alone."""
MOST = 8 * 1024 * 1024
"""Bytes of an answer that are read: about a hundred thousand paths are counted."""
ROOM = 1 << 20
"""Bytes that it may say before somebody reads them: else it would stop, and wait."""
KEPT = ("GIT_CONFIG", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_EXEC_PATH")
"""Variables that are the user's own. Others name a repository, as GIT_DIR in a hook of another one, or write traces."""
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
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",  # what an older git, which does not know the line above, would fetch with
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}


def ask_git(words: tuple[str, ...], folder: str, top: str | None, *, compares: bool = False) -> bytes | None:
    """What git answers; None where there is no repository. It does not look above `top`.

    `compares`: it looks into files, and so would run the filters that the repository's own settings name.
    """
    return start_git(words, folder, top, compares=compares)()


def start_git(
    words: tuple[str, ...], folder: str, top: str | None, *, compares: bool = False
) -> Callable[[], bytes | None]:
    """Ask git, and go on meanwhile; what is given back waits for its answer, and has to be called."""
    environment = _environment(top, find_repository(folder))
    settings = _without_filters(folder, environment) if compares else SAFE
    return _start(words, folder, {**environment, **_settings(settings)})


def find_repository(folder: str) -> str | None:
    """The nearest folder with a `.git` that git would take for one: a link to elsewhere, or a folder with a HEAD."""
    for each in reversed(folders(folder, None)):
        path = f"{each.rstrip('/')}/.git"
        if os.path.isfile(path) or os.path.lexists(f"{path}/HEAD"):
            return each
    return None


def own_variables() -> dict[str, str]:
    """The process's variables, without those that lead git elsewhere."""
    return {name: value for name, value in os.environ.items() if name.startswith(KEPT) or not name.startswith("GIT_")}


def _environment(top: str | None, root: str | None) -> dict[str, str]:
    """The process's variables, without those that lead git elsewhere. Its files lie in `root`, whatever it says."""
    above = os.path.dirname(top) if top else ""
    bounds = {"GIT_CEILING_DIRECTORIES": above, "GIT_WORK_TREE": root or ""}
    return {**own_variables(), **QUIET, **{name: value for name, value in bounds.items() if value}}


def _settings(values: Mapping[str, str]) -> dict[str, str]:
    """Settings as variables. Unlike `-c KEY=VALUE` they take any key."""
    rows = list(values.items())
    keys = {f"GIT_CONFIG_KEY_{index}": key for index, (key, _) in enumerate(rows)}
    given = {f"GIT_CONFIG_VALUE_{index}": value for index, (_, value) in enumerate(rows)}
    return {"GIT_CONFIG_COUNT": str(len(rows)), **keys, **given}


def _without_filters(folder: str, environment: Mapping[str, str]) -> dict[str, str]:
    """The safe settings, and every filter of the repository's own emptied: a status would run it."""
    asked = ("config", "--list", "-z", "--show-scope", "--name-only")
    listed = _start(asked, folder, {**environment, **_settings(SAFE)})()
    words = (listed or b"").decode("utf-8", "surrogateescape").split("\0")
    own = [key for scope, key in zip(words[::2], words[1::2], strict=False) if scope in ("local", "worktree")]
    filters = [key for key in own if key.startswith("filter.")]
    return {**SAFE, **{key: "false" if key.endswith(".required") else "" for key in filters}}


def _start(words: tuple[str, ...], folder: str, environment: Mapping[str, str]) -> Callable[[], bytes | None]:
    """A git at work, and what waits for it."""
    try:
        process = subprocess.Popen(
            ["git", "--no-pager", "--no-replace-objects", *words], cwd=folder, env=environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
            pipesize=ROOM,
        )  # fmt: skip
    except FileNotFoundError:
        raise FileNotFoundError("it is not installed") from None
    return partial(_answer, process)


def _answer(process: "subprocess.Popen[bytes]") -> bytes | None:
    """What git answers; None where there is no repository."""
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
