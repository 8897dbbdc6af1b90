"""Running `overture` as people run it: a process of its own."""

import re
import subprocess
from pathlib import Path

from .forked import OVERTURE, run_overture

__all__ = ["OVERTURE", "assert_refused", "read_stdout", "run"]


def run(*words: str | Path, cwd: Path | None = None, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run a command with nothing on standard input."""
    done = run_overture(words, b"", cwd, environment)
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())


def read_stdout(*words: str | Path) -> str:
    """What a command prints when all is well."""
    result = run(*words)
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout


def assert_refused(result: "subprocess.CompletedProcess[str]", *words: str) -> None:
    """Exit code 2, nothing on standard output, and an error with these words, each line of it with its label."""
    assert (result.returncode, result.stdout) == (2, ""), result.stderr
    first, *others = result.stderr.splitlines()
    assert first.startswith("error: ") and result.stderr.endswith("\n"), result.stderr
    labels = r"  tip: |cause: |hint: | --> | *\d* \|"
    assert all(re.match(labels, line) for line in others if line), result.stderr
    said = result.stderr.replace("`", "'")
    for word in words:
        assert word.replace("`", "'") in said
