"""Runs git so that it only answers: no program of the repository, no network, no writing, a time limit."""

import os
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from signal import SIGKILL
from threading import Timer
from typing import TYPE_CHECKING, NamedTuple

from ..errors import ConfigError
from ..model.state.agent_and_runtime import shorten_git_line
from .paths import list_walk_folders

if TYPE_CHECKING:
    import subprocess

MAX_STATUS_SECONDS = 2.0
"""Seconds until a git that takes longer is abandoned."""
MAX_ANSWER_BYTES = 8 * 1024 * 1024
"""Bytes of an answer that are read: about a hundred thousand paths are counted."""
PIPE_BYTES = 1 << 20
"""Bytes that git may write before they are read: with a smaller pipe it would stop, and wait."""
USER_VARIABLES = ("GIT_CONFIG", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_EXEC_PATH")
"""Variables that are the user's own. Others name a repository, as GIT_DIR in a hook of another one, or write traces."""
SAFE_SETTINGS = {
    "core.fsmonitor": "false",
    "core.hooksPath": os.devnull,
    "log.showSignature": "false",
    "protocol.allow": "never",
    "i18n.logOutputEncoding": "UTF-8",
    "safe.bareRepository": "explicit",
}
"""What counts in place of the repository's own settings: no monitor, hook, signature program or download."""
GIT_FLAGS = (
    "--no-pager",
    "--no-replace-objects",
    *(word for key, value in SAFE_SETTINGS.items() for word in ("-c", f"{key}={value}")),
)
GIT_VARIABLES = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",  # stops the fetches of an older git, which does not know the line above
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_ADVICE": "0",
    "LC_ALL": "C",
}
"""Variables that make git quiet, and read objects as they were committed, without replacements."""


def ask_git(
    words: tuple[str, ...], folder: str, top: str | None, *, compares: bool = False, seconds: float | None = None
) -> bytes | None:
    """The answer of git; None if there is no repository. It does not look above `top`.

    `compares`: it looks into files, and so would run the filters that the repository's own settings name.
    """
    return start_git(words, folder, top, compares=compares, seconds=seconds)()


def start_git(
    words: tuple[str, ...], folder: str, top: str | None, *, compares: bool = False, seconds: float | None = None
) -> Callable[[], bytes | None]:
    """Start git without waiting; the returned function waits for its answer, and has to be called."""
    # The folder with `.git` holds its files, whatever git reports.
    bounds = {"GIT_CEILING_DIRECTORIES": os.path.dirname(top or ""), "GIT_WORK_TREE": find_git_folder(folder) or ""}
    environment = {**git_environment(), **{name: value for name, value in bounds.items() if value}}
    settings = _make_setting_variables(_make_empty_filters(folder, environment) if compares else {})
    return _start(words, folder, {**environment, **settings}, seconds)


def find_git_folder(folder: str) -> str | None:
    """The nearest folder with a `.git` that git would take for one: a link to elsewhere, or a folder with a HEAD."""
    for each in reversed(list_walk_folders(folder, None)):
        path = f"{each.rstrip('/')}/.git"
        if os.path.isfile(path) or os.path.lexists(f"{path}/HEAD"):
            return each
    return None


def list_user_variables() -> dict[str, str]:
    """The process's variables, without those that lead git elsewhere."""
    return {
        name: value
        for name, value in os.environ.items()
        if name.startswith(USER_VARIABLES) or not name.startswith("GIT_")
    }


def _make_setting_variables(values: Mapping[str, str]) -> dict[str, str]:
    """Settings as variables. Unlike `-c KEY=VALUE` they take any key."""
    rows = list(values.items())
    keys = {f"GIT_CONFIG_KEY_{index}": key for index, (key, _) in enumerate(rows)}
    env_values = {f"GIT_CONFIG_VALUE_{index}": value for index, (_, value) in enumerate(rows)}
    return {"GIT_CONFIG_COUNT": str(len(rows)), **keys, **env_values}


def _make_empty_filters(folder: str, environment: Mapping[str, str]) -> dict[str, str]:
    """Settings with which every filter of the repository's own is empty: a status would run it."""
    listed = _start(("config", "--list", "-z", "--show-scope", "--name-only"), folder, environment)()
    if listed is not None and len(listed) >= MAX_ANSWER_BYTES:
        raise OSError("its settings are too long")  # a filter behind the limit would be run
    words = (listed or b"").decode("utf-8", "surrogateescape").split("\0")
    own = [key for scope, key in zip(words[::2], words[1::2], strict=False) if scope in ("local", "worktree")]
    filters = [key for key in own if key.startswith("filter.")]
    return {key: "false" if key.endswith(".required") else "" for key in filters}


def _start(
    words: tuple[str, ...], folder: str, environment: Mapping[str, str], seconds: float | None = None
) -> Callable[[], bytes | None]:
    """Start git, and return what waits for its answer."""
    import subprocess

    try:
        process = subprocess.Popen(
            ["git", *GIT_FLAGS, *words], cwd=folder, env=environment,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True,
            pipesize=PIPE_BYTES,
        )  # fmt: skip
    except FileNotFoundError:
        raise FileNotFoundError("it is not installed") from None
    return partial(_answer, process, seconds)


def _answer(process: "subprocess.Popen[bytes]", seconds: float | None) -> bytes | None:
    """The output of git, within the time limit; None if there is no repository."""
    seconds = MAX_STATUS_SECONDS if seconds is None else seconds
    slow = Timer(seconds, _end, (process,))
    slow.start()
    with process:
        assert process.stdout is not None and process.stderr is not None
        answer = process.stdout.read(MAX_ANSWER_BYTES)
        stderr = process.stderr.read(1000) if len(answer) < MAX_ANSWER_BYTES else b""
        late = not slow.is_alive()
        slow.cancel()
        _end(process)
    if late:
        raise OSError(f"it took longer than {seconds:g} seconds")
    if process.returncode and len(answer) < MAX_ANSWER_BYTES:
        complaint = stderr.decode("utf-8", "replace")
        if complaint.startswith("fatal: not a git repository"):
            return None
        line = complaint.strip().partition("\n")[0].removeprefix("fatal: ").removeprefix("error: ")
        raise OSError(f"it printed `{shorten_git_line(line)}`" if line else "it failed without a message")
    return answer


def _end(process: "subprocess.Popen[bytes]") -> None:
    """End git, and every process that it started: none of them may hold its answer open."""
    with suppress(OSError):
        os.killpg(process.pid, SIGKILL)


MAX_GIT_SECONDS = 60.0
"""Seconds within which git has to finish."""


class GitResult(NamedTuple):
    """The output of git."""

    code: int
    out: str
    err: str

    @property
    def reason(self) -> str:
        """Why git failed, in its own words, on one line."""
        fatal = [line for line in self.err.splitlines() if line.startswith("fatal: ")]
        return fatal[0].removeprefix("fatal: ").rstrip(".") if fatal else f"git exited with {self.code}"


def git_command(folder: str, *words: str) -> list[str]:
    """The command line of git in a folder."""
    return ["git", *GIT_FLAGS, "-C", folder, *words]


def git_environment() -> dict[str, str]:
    """The environment of git: the user's, without what would lead it to another repository or to the network."""
    return {**list_user_variables(), **GIT_VARIABLES}


def run_git(folder: str, *words: str, stdin: str = "") -> GitResult:
    """Run git to its end. A git that is missing, or takes too long, is an error."""
    import subprocess

    try:
        done = subprocess.run(
            git_command(folder, *words), input=os.fsencode(stdin), env=git_environment(), capture_output=True,
            timeout=MAX_GIT_SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise ConfigError(f"git did not answer within {MAX_GIT_SECONDS:g} seconds in {folder!r}.") from None
    except OSError:
        raise missing_git_error() from None
    answer = GitResult(done.returncode, os.fsdecode(done.stdout), os.fsdecode(done.stderr))
    if "dubious ownership" in answer.err:
        match = re.search(r"safe\.directory (.+)", answer.err)
        line = f"git config --global --add safe.directory {match[1].strip() if match else folder}"
        message = f"git refuses to read {folder!r}: it belongs to another user."
        raise ConfigError(message, hint=f"If you trust it, run `{line}`.")
    return answer


def missing_git_error() -> ConfigError:
    """The error of a machine without git."""
    return ConfigError("git is not installed, or not on PATH: install it to compare revisions.")
