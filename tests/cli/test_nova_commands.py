"""Nova on the command line."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from overture.cli.group import overture


def run(*args: str) -> str:
    """Standard output of a command that ends well."""
    result = CliRunner().invoke(overture, args, standalone_mode=False)
    assert result.exception is None
    return result.stdout


def test_recipes_shows_the_files_that_nova_reads() -> None:
    """`overture recipes nova` names both files and where they are looked for."""
    shown = run("recipes", "nova")
    assert "agent.json in cwd" in shown
    assert "the nearest memories.json, from cwd up to the root" in shown


def test_recipes_shows_the_sections_in_their_order() -> None:
    """`overture recipes nova` is the catalog: ten sections, each with what it reads."""
    shown = json.loads(run("recipes", "nova", "--json"))["sections"]
    assert [(section["name"], section["reads"]) for section in shown] == [
        ("identity", ["agent"]), ("instructions", ["agent"]), ("responsibilities", ["agent"]),
        ("directories", ["runtime", "agent"]), ("storage", ["agent"]), ("formatting", ["channel"]),
        ("context", ["now", "runtime"]), ("memories", ["memories"]), ("task", ["task"]),
        ("background", ["background", "tools"]),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("given", "source"),
    [
        ('memories=["Mine"]', {"kind": "state", "name": "memories[0]"}),
        ("user.name=Ada", {"kind": "file", "line": 2}),
    ],
)
def test_what_the_caller_gives_is_not_traced_to_a_file(tmp_path: Path, given: str, source: dict[str, object]) -> None:
    """A field from --set has the state for its source, even where a file gave the field before."""
    (tmp_path / "memories.json").write_text('[\n"Found"]')
    shown = run("build", "nova", "--cwd", str(tmp_path), "--format", "json", "--set", given)
    (block,) = [block for block in json.loads(shown)["blocks"] if block["name"] == "memories"]
    assert source.items() <= block["parts"][1]["source"].items()


def test_a_state_says_the_same_again(tmp_path: Path) -> None:
    """`overture state` and `build --no-discover --state` give the prompt that `build` gave."""
    (tmp_path / "agent.json").write_text('{"identity": "I\\nam", "directories": ["x"]}')
    (tmp_path / "memories.json").write_text('["M"]')
    where = ("--cwd", str(tmp_path), "--now", "2026-03-07T08:55:05-06:00")
    saved = tmp_path / "state.json"
    saved.write_text(run("state", "nova", *where))
    assert run("build", "nova", "--no-discover", "--state", str(saved)) == run("build", "nova", *where)
