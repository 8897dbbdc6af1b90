"""`make bench` measures, keeps what it measured, and docs/benchmarks.md shows what was kept."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

PROJECT = Path(__file__).parents[1]
KEPT = PROJECT / "bench" / "results" / "kept.json"
SAMPLE = {"name", "minimum", "median", "spread", "rounds"}


def run(*words: str | Path) -> str:
    """What a script of bench/ prints."""
    line = [sys.executable, *map(str, words)]
    return subprocess.run(line, cwd=PROJECT / "bench", capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="module")
def measured(tmp_path_factory: pytest.TempPathFactory) -> tuple[str, dict[str, Any]]:
    """One round of two topics, where no other library is installed: what is printed, and what is kept."""
    folder = tmp_path_factory.mktemp("bench")
    words = ("--rounds", "1", "--peers", folder, "--json", folder / "new" / "result.json")
    printed = run("bench.py", "build", "session", *words)
    return printed, json.loads((folder / "new" / "result.json").read_bytes())


@pytest.mark.slow
def test_a_run_keeps_its_machine_and_every_sample(measured: tuple[str, dict[str, Any]]) -> None:
    """JSON has the machine, the versions, and of each sample its least, its median and its spread."""
    printed, result = measured
    facts = {"date", "system", "processor", "cores", "memory", "load", "python"}
    assert result["machine"].keys() == facts
    assert result["versions"].keys() == {"overture"}
    rows = [row for row in result["rows"] if "value" in row]
    assert {row["topic"] for row in rows} == {"build", "session"}
    assert all(row["ours"].keys() == row["other"].keys() == SAMPLE for row in rows)
    assert all(row["work"] in printed for row in rows)


@pytest.mark.slow
def test_a_library_that_is_not_there_has_a_row_that_says_so(measured: tuple[str, dict[str, Any]]) -> None:
    """Nothing is compared silently with fewer libraries."""
    printed, result = measured
    missing = [row["work"] for row in result["rows"] if "value" not in row]
    assert len(missing) == 7
    lines = [line for line in printed.splitlines() if "against" in line]
    assert all("not installed" in line for line in lines)
    assert [each for each in missing if any(each in line for line in lines)] == missing


def test_two_results_are_compared(tmp_path: Path) -> None:
    """A row that moved beyond both spreads is marked, and only that one."""
    result = json.loads(KEPT.read_bytes())
    row = next(row for row in result["rows"] if "value" in row)
    row["value"] *= 2
    row["spread"] = [2 * row["spread"][1] + 1, 2 * row["spread"][1] + 2]
    (tmp_path / "b.json").write_text(json.dumps(result))
    lines = run("report.py", "compare", KEPT, tmp_path / "b.json").splitlines()
    assert [line[: len(row["work"])] for line in lines[1:-1] if line.endswith("*")] == [row["work"]]
    assert len(lines) == 2 + len([row for row in result["rows"] if "value" in row])
    assert not any(line.endswith("*") for line in run("report.py", "compare", KEPT, KEPT).splitlines())


def test_the_page_shows_the_result_that_is_kept() -> None:
    """`make bench-docs` would change nothing in the table."""
    assert run("report.py", "page", "-") == (PROJECT / "docs" / "benchmarks.md").read_text("utf-8")


def test_the_plots_show_the_result_that_is_kept(tmp_path: Path) -> None:
    """`make bench-docs` would change no plot; each has a title, and all figures in words."""
    run("plot.py", tmp_path)
    drawn = {path.name: path.read_text("utf-8") for path in tmp_path.iterdir()}
    pictures = PROJECT / "docs" / "pictures"
    assert drawn == {path.name: path.read_text("utf-8") for path in pictures.glob("bench-*.svg")}
    assert drawn
    assert all("<title" in svg and "<desc" in svg and "prefers-color-scheme" in svg for svg in drawn.values())
