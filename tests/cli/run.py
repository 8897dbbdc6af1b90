"""Running `overture` as people run it: a process of its own."""

import subprocess
from pathlib import Path

from .forked import OVERTURE, run_overture

__all__ = ["OVERTURE", "assert_refused", "run", "told"]


def run(*words: str | Path, cwd: Path | None = None, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run a command with nothing on standard input."""
    done = run_overture(words, b"", cwd, environment)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def told(*words: str | Path) -> str:
    """What a command prints when all is well."""
    result = run(*words)
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout


def assert_refused(result: "subprocess.CompletedProcess[str]", *words: str) -> None:
    """Exit code 2, nothing on standard output, and one line that holds these words."""
    assert (result.returncode, result.stdout) == (2, ""), result.stderr
    assert result.stderr.startswith("overture: error: ")
    assert result.stderr.count("\n") == 1, result.stderr
    for word in words:
        assert word in result.stderr
