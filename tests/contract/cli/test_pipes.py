"""A reader who has seen enough ends every command quietly: nothing on standard error, and no failure."""

import json
import subprocess
from pathlib import Path

import pytest

from .forked import OVERTURE

STATE = {
    "now": "2026-03-07T08:55:05Z",
    "context_files": [{"path": "/p/AGENTS.md", "content": "Mind the tide.\n" * 8_000}],
}
BUILDING = "--no-discover --state {0}/big.json"
COUNTING = f"{BUILDING} --tokenizer estimate"
COMMANDS = [
    f"build house {BUILDING}", f"build house --format json {BUILDING}", f"explain house --all {COUNTING}",
    f"explain house --json {COUNTING}", f"context house --by file {COUNTING}", f"state house {BUILDING}",
    f"diff house opal {COUNTING}",
    "agents --skills --cwd {0} --home {0}", "config --cwd {0}", "recipes",
    "recipes house", "schema", "--help", "build --help", "--version",
]  # fmt: skip


def piped(words: str, reader: str, folder: Path, overture: Path = OVERTURE) -> tuple[int, str]:
    """The exit code of a command whose standard output goes to `reader`, and what all of them say beside it."""
    (folder / "big.json").write_text(json.dumps(STATE), encoding="utf-8")
    line = f'"$0" {words.format(folder)} | {reader} > /dev/null; echo "${{PIPESTATUS[0]}}"'
    done = subprocess.run(["bash", "-c", line, overture], capture_output=True, text=True, timeout=120, check=False)
    return int(done.stdout), done.stderr


@pytest.mark.slow(unless=("build house --no-discover --state {0}/big.json", "recipes", "--help"))
@pytest.mark.parametrize("words", COMMANDS)
def test_a_reader_who_takes_nothing(words: str, tmp_path: Path) -> None:
    """`overture … | true` says nothing on standard error and ends with 0."""
    assert piped(words, "true", tmp_path) == (0, "")


@pytest.mark.slow(unless=("build house --no-discover --state {0}/big.json",))
@pytest.mark.parametrize("words", COMMANDS[:10])
def test_a_reader_who_takes_one_line(words: str, tmp_path: Path) -> None:
    """So does `overture … | head -1`, however much there is to say."""
    assert piped(words, "head -1", tmp_path, OVERTURE) == (0, "")


def test_an_error_that_nobody_reads(tmp_path: Path) -> None:
    """It is still an error, and quiet."""
    assert piped("build hose 2>&1", "true", tmp_path) == (2, "")


def test_a_reader_of_the_problems(tmp_path: Path) -> None:
    """`overture … 2>&1 | true`: problems that nobody reads are no failure either."""
    (tmp_path / "AGENTS.md").write_bytes(b"\xff\n" * 9)
    assert piped("build pi --cwd {0} --root {0} --home {0} 2>&1", "true", tmp_path) == (0, "")


CLOSED = ["", "agents", "check", "recipes", "config", "mcp", "explain opal --no-discover"]


@pytest.mark.slow(unless=("", "agents"))
@pytest.mark.parametrize("words", CLOSED)
def test_a_closed_standard_output_is_an_error(words: str, tmp_path: Path) -> None:
    """Exit code 2, and a line that says so."""
    line = f'cd "$1" && "$0" {words} < /dev/null >&-'
    done = subprocess.run(["bash", "-c", line, OVERTURE, tmp_path], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.splitlines()[0]) == (2, "error: Standard output is closed")


@pytest.mark.parametrize("words", ["mcp", "tap import -", "build --state -"])
def test_a_closed_standard_input_is_an_error(words: str, tmp_path: Path) -> None:
    """So it is where there is something to read."""
    line = f'cd "$1" && "$0" {words} <&-'
    done = subprocess.run(["bash", "-c", line, OVERTURE, tmp_path], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr.splitlines()[0]) == (2, "error: Standard input is closed")


def test_a_closed_standard_error_changes_no_exit_code(tmp_path: Path) -> None:
    """What would be said there is for nobody."""
    for words, code in {"build nope": 2, "build house --no-discover --budget 100": 0}.items():
        line = f'cd "$1" && "$0" {words} 2>&- > /dev/null'
        assert subprocess.run(["bash", "-c", line, OVERTURE, tmp_path], check=False).returncode == code
