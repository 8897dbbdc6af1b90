"""`overture diff` in its three forms, run as people run it."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from .forked import OVERTURE
from .run import assert_refused, read_stdout, run

STATE: dict[str, Any] = {
    "tools": [{"name": "read_file"}, {"name": "shell"}],
    "context_files": [{"path": "/p/AGENTS.md", "content": "Use tabs.\nBe kind."}],
    "runtime": {"cwd": "/p"},
}
OTHER = {**STATE, "tools": [{"name": "read_file"}], "session": {"id": "s1", "plan_path": "/plan.md"}}


def write(path: Path, value: Any) -> Path:
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


@pytest.fixture
def two(tmp_path: Path) -> tuple[Path, Path]:
    """Two states on disk."""
    return write(tmp_path / "a.json", STATE), write(tmp_path / "b.json", OTHER)


def difference(*words: str | Path) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(read_stdout("diff", *words, "--no-discover", "--json"))
    return data


def changes(data: dict[str, Any]) -> dict[str, tuple[str, list[str]]]:
    """What became of each block that is not the same, and because of what."""
    return {b["name"]: (b["change"], b["because"]) for b in data["blocks"] if b["change"] != "same"}


def test_two_states(two: tuple[Path, Path]) -> None:
    """Two states are said in one recipe and compared by block, with the input that caused each change."""
    data = difference("opal", *two)
    assert data["recipes"] == ["opal", "opal"]
    assert data["inputs"] == ["session", "tools"]
    assert changes(data) == {"tool-guidelines": ("changed", ["tools"]), "planning": ("added", ["session"])}
    built = [run("build", "opal", "--no-discover", "--state", file).stdout for file in two]
    first = data["first"]
    assert built[0][:first] == built[1][:first]
    assert built[0][first] != built[1][first]


def test_two_states_for_a_person(two: tuple[Path, Path]) -> None:
    """The report names the first differing character, the changed blocks, why they changed, and their lines."""
    out = read_stdout("diff", "opal", *two, "--no-discover")
    assert " sections are the same" in out.splitlines()[0]
    assert "tool-guidelines  changed  because tools changed" in out
    assert "planning  added  because session changed" in out
    assert "  -- Use the `read_file` tool to read files." in out
    assert "  +/plan.md" in out
    assert "Use tabs." not in out


def test_two_saved_prompts(two: tuple[Path, Path], tmp_path: Path) -> None:
    """Two prompts saved with `build --format json` give the same difference as the states they were made of."""
    how = ("--no-discover", "--now", "2026-03-07T08:55:05-06:00", "--format", "json")
    saved = [
        write(tmp_path / f"{n}.json", read_stdout("build", "opal", "--state", file, *how)) for n, file in enumerate(two)
    ]
    assert difference(*saved) == difference("opal", *two)


def test_two_recipes(two: tuple[Path, Path]) -> None:
    """One state in two recipes differs because of the recipe, and because of nothing else."""
    data = difference("opal", "pi", "--state", two[0])
    assert data["recipes"] == ["opal", "pi"]
    assert data["inputs"] == []
    assert changes(data)["identity"] == ("removed", ["the recipe"])
    assert changes(data)["base"] == ("added", ["the recipe"])
    assert "opal → pi: " in read_stdout("diff", "opal", "pi", "--no-discover", "--state", two[0])


def test_the_same_is_said_to_be_the_same(two: tuple[Path, Path]) -> None:
    """Two equal prompts are said to be the same, and --exit-code tells them from two that differ."""
    assert read_stdout("diff", "opal", two[0], two[0], "--no-discover") == "The two prompts are the same.\n"
    assert run("diff", two[0], two[0], "--no-discover", "--exit-code").returncode == 0
    assert run("diff", *two, "--no-discover", "--exit-code").returncode == 1
    assert run("diff", *two, "--no-discover").returncode == 0


def test_a_prompt_of_a_later_version_can_be_read(tmp_path: Path) -> None:
    """Keys that this version does not know are passed over in a saved prompt, at every depth."""
    text = read_stdout("build", "opal", "--no-discover", "--format", "json")
    data = json.loads(text)
    data["new"] = data["tokens"]["new"] = data["blocks"][0]["new"] = data["blocks"][0]["parts"][0]["new"] = 1
    data["blocks"][0]["parts"][0]["source"]["new"] = 1
    data["diagnostics"] = [{"level": "warning", "code": "c", "message": "m", "path": None, "line": None, "new": 1}]
    result = run("diff", write(tmp_path / "old.json", text), write(tmp_path / "new.json", data))
    assert (result.returncode, result.stdout, result.stderr) == (0, "The two prompts are the same.\n", "")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{", ["bad.json", "Invalid JSON"]),
        ("[]", ["bad.json", "JSON object"]),
        ('{"tools": [{"name": 3}]}', ["bad.json", "tools[0].name", "expected text"]),
        ('{"tols": []}', ["bad.json", "`tols`", "exists: `tools`"]),
        ('{"blocks": 1}', ["bad.json", "blocks"]),
        ('{"blocks": [], "text": ""}', ["bad.json", "is missing"]),
        ('{"blocks": [{"name": "x"}]}', ["bad.json"]),
    ],
)
def test_a_bad_file_is_one_clear_line(content: str, words: list[str], two: tuple[Path, Path], tmp_path: Path) -> None:
    """A file that is neither a state nor a saved prompt is named, with what is wrong in it."""
    assert_refused(run("diff", two[0], write(tmp_path / "bad.json", content), "--no-discover"), *words)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["oppal", "pi"], ["'pi' is a recipe or a file, and 'oppal' is not"]),
        (["opal"], ["AFTER"]),
        (["/no/such.json", "pi"], ["/no/such.json"]),
        (["x" * 5_000, "pi"], ["xxx"]),
        (["/", "/"], ["'/' is neither a recipe", "directory"]),
    ],
)
def test_bad_usage_is_one_clear_line(words: list[str], told: list[str]) -> None:
    """A name that is neither a recipe nor a file, or a missing argument, ends with one line."""
    assert_refused(run("diff", *words, "--no-discover"), *told)


def test_a_reader_that_leaves_early_is_no_error(two: tuple[Path, Path]) -> None:
    """`overture diff | head -1` prints one line and nothing on standard error."""
    line = '"$0" diff opal pi --no-discover | head -1'
    result = subprocess.run(["/bin/sh", "-c", line, OVERTURE], capture_output=True, text=True, check=False)
    assert (result.returncode, result.stdout.count("\n"), result.stderr) == (0, 1, "")
