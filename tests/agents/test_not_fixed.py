"""Where an agent's own order, or its choice among several, is arbitrary, the answer says so."""

import json
from pathlib import Path

import pytest

from overture.agents.agent_report import AgentReport, reports_to_data
from overture.agents.make_reports import report_agents

SKILL = "---\nname: {}\ndescription: What it does.\n---\nWords.\n"


def report(name: str, folder: Path, files: dict[str, str]) -> AgentReport:
    """What one agent reads in a project of these files."""
    for path, text in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    (folder / "repo/.git").mkdir(parents=True, exist_ok=True)
    (folder / "home").mkdir(exist_ok=True)
    (made,) = report_agents([name], cwd=folder / "repo", home=folder / "home")
    return made


def arbitrary(made: AgentReport, folder: Path) -> list[str]:
    """The files whose place is not fixed."""
    return [file.path.removeprefix(f"{folder}/repo/") for file in made.files if not file.order_fixed]


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
    made = report(name, tmp_path, {f"repo/{path}": f"Words of {path}.\n" for path in files})
    assert sorted(arbitrary(made, tmp_path)) == sorted(files)
    assert all(file.why.endswith("order not fixed") for file in made.files if not file.order_fixed)
    (data,) = reports_to_data([made])["agents"]
    assert data["order_fixed"] is False
    assert [file["path"] for file in data["files"] if file.get("order_fixed") is False]
    (tmp_path / "repo" / files[1]).unlink()
    alone = report(name, tmp_path, {})
    assert alone.order_fixed
    assert "order_fixed" not in json.dumps(reports_to_data([alone])["agents"][0]["files"])


@pytest.mark.parametrize("folder", ["plain", "a, b"])
def test_a_choice_that_is_not_fixed(tmp_path: Path, folder: str) -> None:
    """Of two skills with one name, the one that is listed says that it might be the other, and so does the other."""
    (tmp_path := tmp_path / folder).mkdir()
    files = {f"repo/.{owner}/skills/one/SKILL.md": SKILL.format("one") for owner in ("agents", "claude")}
    made = report("opencode", tmp_path, files)
    listed, hidden = (next(f for f in made.files if f.kind == "skill" and f.status == s) for s in ("loaded", "skipped"))
    assert not listed.order_fixed
    assert listed.why.endswith("its choice among skills of this name is not fixed")
    assert hidden.why.endswith("or the other way round: its choice is not fixed")
