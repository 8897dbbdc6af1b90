"""Git, started so that it only answers: what it says, and the facts of a project."""

import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from threading import Timer
from typing import NamedTuple

from ..errors import ConfigError
from ..model.diagnostic import Diagnostic, warning
from ..model.state.agent_and_runtime import MAX_LISTED_COMMITS, MAX_LISTED_PATHS, Commit, Git, shorten_git_line
from ..text.path_printer import readable_path
from .place import find_git_elsewhere, find_git_folder
from .world import World

MAX_STATUS_SECONDS = 2.0  # seconds until a git that a prompt waits for is ended
MAX_GIT_SECONDS = 60.0  # the same where a person asked for revisions
MAX_ANSWER_BYTES = 8 * 1024 * 1024  # bytes of an answer that are read: about a hundred thousand paths are counted
GIT_FAILED = "git-failed"
OUTSIDE = "git-outside"
USER_VARIABLES = ("GIT_CONFIG", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_EXEC_PATH")
"""Variables that are the user's own. Others name a repository, as GIT_DIR in a hook of another one, or write traces."""
SAFE_SETTINGS = (
    "core.fsmonitor=false", f"core.hooksPath={os.devnull}", "log.showSignature=false", "protocol.allow=never",
    "i18n.logOutputEncoding=UTF-8", "safe.bareRepository=explicit",
)  # fmt: skip
"""What counts in place of the repository's own settings: no monitor, hook, signature program or download."""
GIT_FLAGS = ("--no-pager", "--no-replace-objects", *(word for each in SAFE_SETTINGS for word in ("-c", each)))
NOTHING = "OVERTURE_NOTHING"
"""An empty variable, for settings that have to be empty: `-c` can't name a filter with `=` in its name."""
GIT_VARIABLES = {
    "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "GIT_ADVICE": "0", "LC_ALL": "C", NOTHING: "",
    "GIT_NO_REPLACE_OBJECTS": "1", "GIT_GRAFT_FILE": os.devnull, "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",  # stops the fetches of an older git, which does not know the one before
}  # fmt: skip
"""Variables that make git quiet, and read objects as they were committed, without replacements."""


class GitAnswer(NamedTuple):
    """What git printed."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        return os.fsdecode(self.out)

    @property
    def reason(self) -> str:
        """Why git failed, in its own words, on one line."""
        lines = self.err.splitlines() or [f"git exited with {self.code}"]
        line = next((line for line in lines if line.startswith("fatal: ")), lines[0])
        return line.removeprefix("fatal: ").removeprefix("error: ").rstrip(".")


class RunningGit:
    """A git at work: it runs nothing of the repository, has no network, writes nothing, and is ended in time."""

    def __init__(
        self, folder: str, *words: str, variables: Mapping[str, str] | None = None, seconds: float | None = None,
        explains: bool = True,
    ) -> None:  # fmt: skip
        """Without `explains`, its complaints are dropped. A git that can't be started is an OSError."""
        import subprocess

        others = {n: v for n, v in os.environ.items() if n.startswith(USER_VARIABLES) or not n.startswith("GIT_")}
        pipe = subprocess.PIPE
        try:
            # In a session of its own it has no terminal, and all that it starts can be ended with it.
            self.process = subprocess.Popen(
                ["git", *GIT_FLAGS, "-C", folder, *words], env={**others, **GIT_VARIABLES, **(variables or {})},
                stdin=pipe, stdout=pipe, stderr=pipe if explains else subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
        except FileNotFoundError:
            raise FileNotFoundError("it is not installed") from None
        assert self.process.stdin is not None and self.process.stdout is not None
        self.stdin, self.stdout = self.process.stdin, self.process.stdout
        self.seconds = seconds or MAX_GIT_SECONDS
        self.timer = Timer(self.seconds, self.end)
        self.timer.daemon = True
        self.timer.start()

    def finish(self, stdin: bytes = b"", max_bytes: int | None = None) -> GitAnswer:
        """All that it prints, or so many bytes of it: then it gets no `stdin`. A git that was ended is an OSError."""
        with self.process as process:
            try:
                if max_bytes is None:
                    out, err = process.communicate(stdin)
                else:
                    self.stdin.close()
                    out = self.stdout.read(max_bytes)
                    err = process.stderr.read(1000) if process.stderr and len(out) < max_bytes else b""
                if self.timer.finished.is_set():
                    raise OSError(f"it took longer than {self.seconds:g} seconds")
            finally:
                self.end()
        return GitAnswer(process.returncode, out, (err or b"").decode("utf-8", "replace"))

    def end(self) -> None:
        """End it, and every process that it started: none of them may hold its answer open."""
        self.timer.cancel()
        if self.process.returncode is None:
            with suppress(OSError):
                os.killpg(self.process.pid, signal.SIGKILL)


def run_git(folder: str, *words: str, stdin: str = "", variables: Mapping[str, str] | None = None) -> GitAnswer:
    """What git answers a person. One that is missing, takes too long, or is refused by git itself is an error."""
    try:
        answer = RunningGit(folder, *words, variables=variables).finish(os.fsencode(stdin))
    except OSError as problem:
        raise explain_no_answer(problem) from None
    if "dubious ownership" in answer.err:
        message = f"git refuses to read {folder!r}: it belongs to another user."
        raise ConfigError(message, hint="If you trust it, run the command that `git status` prints there.")
    return answer


def explain_no_answer(problem: OSError) -> ConfigError:
    message = f"git does not answer: {problem.strerror or problem}."
    return ConfigError(message, hint="To compare revisions, git has to be on PATH.")


def ask_git(
    words: tuple[str, ...], folder: str, top: str | None, *, compares: bool = False, seconds: float | None = None,
    max_bytes: int = MAX_ANSWER_BYTES,
) -> bytes | None:  # fmt: skip
    """The answer of git; None if there is no repository. It does not look above `top`. Any failure is an OSError.

    `compares`: it looks into files, and so would run the filters that the repository's own settings name.
    """
    # The folder with `.git` holds its files, whatever git reports; a damaged one leads to no repository above it.
    holder = find_git_folder(World(), os.path.realpath(folder))
    ceilings = ":".join(os.path.dirname(each) for each in (top, holder) if each)
    bounds = {"GIT_CEILING_DIRECTORIES": ceilings, "GIT_WORK_TREE": holder}
    variables = {name: value for name, value in bounds.items() if value}
    if compares:
        listed = ask_git(("config", "--list", "-z", "--show-scope", "--name-only"), folder, top)
        if listed is not None and len(listed) >= MAX_ANSWER_BYTES:
            raise OSError("its settings are too long")  # a filter behind the limit would be run
        keys = os.fsdecode(listed or b"").split("\0")
        own = (key for scope, key in zip(keys[::2], keys[1::2], strict=False) if scope in ("local", "worktree"))
        words = (*(f"--config-env={key}={NOTHING}" for key in own if key.startswith("filter.")), *words)
    git = RunningGit(folder, *words, variables=variables, seconds=seconds or MAX_STATUS_SECONDS)
    answer = git.finish(max_bytes=max_bytes)
    if not answer.code or len(answer.out) >= max_bytes:
        return answer.out
    if answer.err.startswith("fatal: not a git repository"):
        return None
    raise OSError(f"it printed `{shorten_git_line(answer.reason)}`")


def find_git_facts(
    world: World, folder: str, top: str | None, known: Git | None, *, anywhere: bool = False
) -> tuple[Git | None, tuple[Diagnostic, ...]]:
    """The git facts of a project, or why git can't report them; `anywhere`: the user lets it read all outside."""
    elsewhere = find_git_elsewhere(world, folder)
    if elsewhere is not None and not anywhere:
        message = f"git was not run: the repository is {readable_path(elsewhere[1])}, which does not name this project"
        return None, (warning(OUTSIDE, f"{message}; to ask it, pass --read-outside", readable_path(elsewhere[0])),)
    try:
        return world.machine.git(folder, top, known), ()
    except OSError as problem:
        note = f"git can't be run: {problem.strerror or problem}; fix it, or set features.git.enabled = false"
        return None, (warning(GIT_FAILED, note, readable_path(folder)),)


def read_git_facts(folder: str, top: str | None, known: Git | None) -> Git | None:
    """The git facts of a folder; None if there is no repository. Any failure is an OSError."""
    status = ("status", "--porcelain=v2", "--branch", "-z", "--no-renames", "--ignore-submodules=all")
    log = ("log", f"-{MAX_LISTED_COMMITS}", "-z", "--format=%h %s", "--no-color", "--no-show-signature", "--no-mailmap")
    answer = ask_git(status, folder, top, compares=True)
    if answer is None:
        return None
    head, branch, lines = parse_status(answer)
    if known is not None and known.head == head:
        commits = known.commits
    else:
        commits = parse_commits(ask_git(log, folder, top) or b"") if head else ()
    root = readable_path(find_git_folder(World(), folder) or folder)
    listed = tuple(map(shorten_git_line, lines[:MAX_LISTED_PATHS]))
    return Git(root, branch, head, listed, max(0, len(lines) - MAX_LISTED_PATHS), commits)


def parse_status(answer: bytes) -> tuple[str | None, str | None, list[str]]:
    """The commit, the branch and the changed paths, as in `git status --short`: ` M a.py` for `1 .M N... … a.py`."""
    head = branch = None
    lines: list[str] = []
    for text in answer.decode("utf-8", "replace").split("\0"):
        fields = {"1": 8, "u": 10}.get(text[:1], 0)
        if text.startswith("# branch.oid ") and not text.endswith("(initial)"):
            head = text[13:]
        elif text.startswith("# branch.head ") and not text.endswith(" (detached)"):
            branch = text[14:]
        elif text.startswith("?"):
            lines.append(f"?? {text[2:]}")
        elif fields and len(words := text.split(" ", fields)) > fields:
            lines.append(f"{words[1].replace('.', ' ')} {words[-1]}")
    return head, branch, lines


def parse_commits(answer: bytes) -> tuple[Commit, ...]:
    rows = (row.partition(" ") for row in answer.decode("utf-8", "replace").split("\0"))
    return tuple(Commit(id, shorten_git_line(subject)) for id, _, subject in rows if id)


class Revision(NamedTuple):
    """A name, and the commit that it leads to."""

    name: str
    commit: str
    notes: tuple[str, ...] = ()  # what git itself remarks, e.g. that a branch and a tag have the same name
