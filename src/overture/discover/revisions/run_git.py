"""Running git so that it answers and does nothing else, whatever the repository's own settings say."""

import os
import re
import subprocess
from typing import NamedTuple

from ...errors import ConfigError

SECONDS = 60.0
"""Within this time git has to be done."""
FLAGS = (
    "--no-pager", "--no-replace-objects", "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}",
    "-c", "safe.bareRepository=explicit",
)  # fmt: skip
KEPT = ("GIT_CONFIG", "GIT_CEILING_DIRECTORIES", "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_EXEC_PATH")
"""Variables that are the user's own. Others name a repository, as in a hook of another one, or write traces."""
OURS = {
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ALLOW_PROTOCOL": "none",  # what an older git, which does not know the line above, would fetch with
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_GRAFT_FILE": os.devnull,
    "GIT_TERMINAL_PROMPT": "0",
    "LC_ALL": "C",
}


class Answer(NamedTuple):
    """What git said."""

    code: int
    out: str
    err: str

    @property
    def reason(self) -> str:
        """Why it failed, in its own words, on one line."""
        fatal = [line for line in self.err.splitlines() if line.startswith("fatal: ")]
        return fatal[0].removeprefix("fatal: ").rstrip(".") if fatal else f"git ended with {self.code}"


def git_command(folder: str, *words: str) -> list[str]:
    """The command line of git in a folder."""
    return ["git", *FLAGS, "-C", folder, *words]


def git_environment() -> dict[str, str]:
    """The environment of git: the user's, without what would lead it to another repository or to the network."""
    own = {name: value for name, value in os.environ.items() if name.startswith(KEPT) or not name.startswith("GIT_")}
    return {**own, **OURS}


def ask_git(folder: str, *words: str, given: str = "") -> Answer:
    """Run git to its end. A git that is missing, or takes too long, is an error."""
    try:
        done = subprocess.run(
            git_command(folder, *words), input=os.fsencode(given), env=git_environment(), capture_output=True,
            timeout=SECONDS, check=False,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise ConfigError(f"git did not answer within {SECONDS:g} seconds in {folder!r}.") from None
    except OSError:
        raise no_git() from None
    answer = Answer(done.returncode, os.fsdecode(done.stdout), os.fsdecode(done.stderr))
    if "dubious ownership" in answer.err:
        raise ConfigError(_not_trusted(folder, answer.err))
    return answer


def no_git() -> ConfigError:
    """The error of a machine without git."""
    return ConfigError("git is not installed, or not on PATH: install it to compare revisions.")


def _not_trusted(folder: str, said: str) -> str:
    found = re.search(r"safe\.directory (.+)", said)
    line = f"git config --global --add safe.directory {found[1].strip() if found else folder}"
    return f"git does not read {folder!r}: it belongs to another user. If you trust it, run `{line}`."
