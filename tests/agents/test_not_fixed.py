"""Where an agent's own order, or its choice among several, is arbitrary, the answer says so."""

from pathlib import Path
from typing import Any

import pytest

import overture
from overture.agents.table import agents_to_data
from tests.contract.discovery.disk import put

SKILL = "---\nname: {}\ndescription: What it does.\n---\nWords.\n"


def ask(name: str, folder: Path, *paths: str, skill: str = "") -> dict[str, Any]:
    """What one agent loads in a project of these files."""
    for path in paths:
        put(folder / "repo" / path, SKILL.format(skill) if skill else f"Words of {path}.\n")
    (folder / "repo/.git").mkdir(parents=True, exist_ok=True)
    (folder / "home").mkdir(exist_ok=True)
    table = overture.agents(name, cwd=folder / "repo", home=folder / "home")
    return dict(agents_to_data(table)["agents"][0])


def list_unordered(agent: dict[str, Any]) -> list[str]:
    return [file["path"] for file in agent["files"] if not file.get("order_fixed", True)]


@pytest.mark.parametrize(
    ("name", "files"),
    [
        ("claude-code", [".claude/rules/a.md", ".claude/rules/sub/b.md"]),
        ("kilo", [".kilo/rules/a.md", ".kilo/rules/b.md"]),
        ("crush", ["AGENTS.md", "CLAUDE.md"]),
        ("openhands", ["AGENTS.md", "CLAUDE.md"]),
    ],
)
def test_files_in_no_fixed_order(name: str, files: list[str], tmp_path: Path) -> None:
    """Two of a folder that the agent takes as the disk lists them, or at random; one alone has its place."""
    agent = ask(name, tmp_path, *files)
    assert sorted(list_unordered(agent)) == sorted(files) and agent["order_fixed"] is False
    assert all("its order is not fixed" in file["text"] for file in agent["files"] if file["path"] in files)
    (tmp_path / "repo" / files[1]).unlink()
    agent = ask(name, tmp_path)
    assert list_unordered(agent) == [] and agent["order_fixed"]


@pytest.mark.parametrize("folder", ["plain", "a, b"])
def test_a_choice_that_is_not_fixed(tmp_path: Path, folder: str) -> None:
    """Of two skills with one name, the one that is listed says that it might be the other, and so does the other."""
    paths = [f".{owner}/skills/one/SKILL.md" for owner in ("agents", "claude")]
    agent = ask("opencode", tmp_path / folder, *paths, skill="one")
    listed, hidden = (next(file for file in agent["files"] if file["how"] == how) for how in ("listed", "skipped"))
    assert list_unordered(agent) == [listed["path"]]
    assert "or the other way round: its choice is not fixed" in hidden["text"]
