"""What make says: how long the tests take, where a part of the demo begins, and which tests a quick look runs."""

import os
import re
import subprocess
from pathlib import Path

import pytest

from .affected import affected

PROJECT = Path(__file__).parents[1]
TESTS = ["tests/cli/test_watch.py", "tests/session/test_watch.py", "tests/fit/test_fit.py", "tests/test_docs.py"]


def dry(goal: str) -> str:
    """What make would run for a goal, in an environment that is ready."""
    line = ["make", "-n", "--no-print-directory", "-o", ".venv/bin/.ready", "-o", ".venv/bin/.runs", goal]
    # These tests run below a make of their own, whose flags are not for this one.
    env = {name: value for name, value in os.environ.items() if not name.startswith(("MAKE", "MFLAGS"))}
    return subprocess.run(line, cwd=PROJECT, env=env, capture_output=True, text=True, check=True).stdout


def test_the_tests_say_how_long_they_take() -> None:
    """`make test` begins with what it runs and how long that takes, and ends with how long it took."""
    first, *_, last = dry("test").strip().splitlines()
    assert "five minutes" in first
    assert "make quick" in first
    assert re.search(r"echo .*(minutes|seconds)", last)


def test_each_part_of_the_demo_has_a_heading() -> None:
    """A line of its own stands before each command of `make demo`, and says what it shows."""
    lines = [line for line in dry("demo").splitlines() if line.startswith(("echo", "printf", ".venv/bin/overture"))]
    shown = [index for index, line in enumerate(lines) if line.startswith(".venv/bin/overture")]
    assert len(shown) >= 3
    assert all("==" in lines[index - 1] for index in shown)


@pytest.mark.parametrize("goal", ["quick", "test"])
def test_what_is_run(goal: str) -> None:
    """Both check format and lint; the quick look runs the goldens and what holds the tree together."""
    said = dry(goal)
    assert "ruff format --check ." in said
    assert "ruff check ." in said
    assert ("tests/recipes/opal" in said) == (goal == "quick")


def test_affected_tests() -> None:
    """A test that changed, and those named after a file that did: no others."""
    changed = ["src/overture/cli/commands/watch.py", "tests/test_docs.py", "README.md"]
    assert affected(changed, TESTS) == ["tests/cli/test_watch.py", "tests/session/test_watch.py", "tests/test_docs.py"]
    assert affected(["docs/x.md"], TESTS) == []
