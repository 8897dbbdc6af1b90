"""Running `overture` as people run it: a process of its own."""

import os
import subprocess
import sys
from pathlib import Path

OVERTURE = Path(sys.executable).with_name("overture")


def run(*words: str | Path, cwd: Path | None = None, **environment: str) -> "subprocess.CompletedProcess[str]":
    """Run a command with nothing on standard input."""
    return subprocess.run(
        [OVERTURE, *words],
        cwd=cwd,
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )


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
