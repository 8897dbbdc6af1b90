"""Running git so that it answers and does nothing else, whatever the repository's own settings say."""

import os
import re
import subprocess
from typing import NamedTuple

from ...errors import ConfigError
from ..safe_git import QUIET, own_variables

SECONDS = 60.0
"""Within this time git has to be done."""
FLAGS = (
    "--no-pager", "--no-replace-objects", "-c", "core.fsmonitor=false", "-c", f"core.hooksPath={os.devnull}",
    "-c", "safe.bareRepository=explicit",
)  # fmt: skip
OURS = {**QUIET, "GIT_NO_REPLACE_OBJECTS": "1", "GIT_GRAFT_FILE": os.devnull}
"""What is read is what was committed: no objects in the place of others."""


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
    return {**own_variables(), **OURS}


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
