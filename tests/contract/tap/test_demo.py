"""`overture tap --demo` reports on a recorded conversation, and leaves the project's own record alone."""

import re
from pathlib import Path

import make_demo

from ..cli.forked import run_line


def test_the_demo_needs_nothing(tmp_path: Path) -> None:
    """No program, key or network: the bill, both cache misses with their causes, and the same again."""
    data = {"XDG_DATA_HOME": str(tmp_path / "data")}
    first = run_line("overture tap --demo", tmp_path, **data)
    assert "5 calls in 1 conversation" in first
    assert "the time in Clock changed" in first
    assert "tool 'search_issues' was added" in first
    assert run_line("overture tap --demo", tmp_path, **data) == first
    assert [file.name for file in (tmp_path / "data/overture/tap").glob("*.sqlite")] == ["demo.sqlite"]


def test_the_demo_ends_with_a_command_that_goes_on(tmp_path: Path) -> None:
    """The last line is a command with the store in it, and that command shows the difference."""
    data = {"XDG_DATA_HOME": str(tmp_path / "data of mine")}
    for store in ("", " --store demo.sqlite"):
        last = run_line(f"overture tap --demo{store}", tmp_path, **data).splitlines()[-1]
        found = re.fullmatch(r"hint: `(overture tap diff .*)` shows what the clock changed", last)
        assert found, last
        assert run_line(found[1], tmp_path, **data).startswith("First difference at byte 524, in Clock: the time")


def test_the_calls_of_the_demo_can_be_looked_into(tmp_path: Path) -> None:
    """With --store they are in that file, and `show` prints a request as it was sent."""
    run_line("overture tap --demo --store demo.sqlite", tmp_path)
    assert "It is 08:56." in run_line("overture tap show --text --store demo.sqlite", tmp_path)


def test_the_demo_runs_no_program(tmp_path: Path) -> None:
    """A program behind `--` is an error, and not run."""
    printed = run_line("overture tap --demo -- touch here", tmp_path)
    assert printed.startswith("error: --demo can't be combined with a program")
    assert not (tmp_path / "here").exists()


def test_the_recording_is_up_to_date() -> None:
    """It is what docs/make_demo.py makes; `make demo-calls` writes it."""
    assert make_demo.FILE.read_text("utf-8") == make_demo.make_text()
