"""`overture agents --why` and `--files` answer for every agent, grouped by what they do with a file."""

import json
from pathlib import Path
from typing import Any

import pytest

from overture.known_agents import AGENTS
from tests.contract.cli.run import run
from tests.contract.discovery.disk import put, put_skill


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository with two instruction files that differ, skills, and a page of documentation."""
    repo = tmp_path / "repo"
    (repo / ".git").mkdir(parents=True)
    put(repo / "AGENTS.md", "".join(f"Mind the tide at quay {number:04}.\n" for number in range(2_000)))
    put(repo / "CLAUDE.md", "Speak of moorings.\n")
    put(repo / "web/AGENTS.md", "Of the web.\n")
    put(repo / "docs/agents.md", "# Agents\n\nHow to write an agent.\n")
    put(repo / "docs/index.md", "# Start\n")
    for name in ("moor", "sail", "dock", "row"):
        put_skill(repo / ".agents/skills" / name)
    put(repo / ".agents/skills/moor/AGENTS.md", "Part of the skill.\n")
    put_skill(repo / "examples/skills/tides")
    return repo


def asked(repo: Path, *words: str | Path) -> str:
    """What the command prints; PATH has no agents on it, and home is empty."""
    home = repo.parent / "home"
    home.mkdir(exist_ok=True)
    done = run("agents", *words, "--cwd", repo, "--home", home, PATH="/nowhere")
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


def data(repo: Path, *words: str) -> Any:
    return json.loads(asked(repo, *words, "--json"))


def test_why_groups_agents_by_their_answer(repo: Path) -> None:
    """Those that load it come first, then those that truncate or skip it with the reason, then all others."""
    lines = asked(repo, "--why", "AGENTS.md").splitlines()
    assert lines[0] == "AGENTS.md"
    assert lines[1].startswith("  loaded by Copilot CLI, Cursor, Amp and ")
    assert "  truncated after line 1,170 by Codex" in lines
    assert lines[-3:] == [
        "  skipped by Claude Code: hidden by CLAUDE.md",
        "  not looked for by Gemini CLI and Aider",
        "hint: `overture agents --fix` shows how to make more agents load it",
    ]


def test_why_of_a_file_below(repo: Path) -> None:
    """Agents that load it when they work there, and agents that do not look below the working directory."""
    lines = asked(repo, "--why", "web/AGENTS.md").splitlines()
    assert lines[1].startswith("  loaded on demand by Copilot CLI, Cursor, Amp and ")
    assert lines[2] == "  loaded on demand by Kimi Code: only its path is loaded"
    assert lines[3].startswith("  skipped by Claude Code: hidden by CLAUDE.md")
    assert lines[4].startswith("  skipped by Codex, ") and lines[4].endswith(
        ": not looked for below the working directory"
    )


def test_why_as_data_is_the_same(repo: Path) -> None:
    """Each answer with its status, its reason, and every agent."""
    [file] = data(repo, "--why", "AGENTS.md")["files"]
    answers = {tuple(each["agents"]): each for each in file["answers"]}
    codex, claude = answers["codex",], answers["claude-code",]
    assert (codex["status"], codex["last_line"]) == ("truncated", 1170)
    assert (claude["status"], claude["why"]) == ("skipped", f"hidden by {repo}/CLAUDE.md")
    assert sum(len(each["agents"]) for each in file["answers"]) == len(AGENTS)
    assert next(each["status"] for each in file["answers"] if "cursor" in each["agents"]) == "loaded"


def test_files_are_rows_with_the_agents_by_answer(repo: Path) -> None:
    """What most agents load comes first; many skills are one row; what nobody loads is below."""
    lines = asked(repo, "--files").splitlines()
    named = [line.partition("  ")[0] for line in lines]
    assert named[:4] == ["file", "AGENTS.md", ".agents/skills (4 skills)", "CLAUDE.md"]
    assert set(named[4:6]) == {"web/AGENTS.md", "docs/agents.md"}
    assert "; skipped by Claude Code: hidden by CLAUDE.md" in lines[1]
    assert lines[2].startswith(".agents/skills (4 skills)  listed by Codex, Copilot CLI, Cursor and ")
    assert lines[-1] == "No agent loads examples/skills/tides/SKILL.md (`--all`)."


@pytest.mark.parametrize("how", ["link", "import"])
def test_names_of_one_file_are_one_row(repo: Path, how: str) -> None:
    """A link, and a file that only imports another, share its row."""
    (repo / "CLAUDE.md").unlink()
    if how == "link":
        (repo / "CLAUDE.md").symlink_to("AGENTS.md")
    else:
        put(repo / "CLAUDE.md", "@AGENTS.md\n")
    lines = asked(repo, "--files").splitlines()
    assert lines[1].startswith("AGENTS.md (also CLAUDE.md)  loaded by Claude Code, Copilot CLI, Cursor and ")
    assert not any(line.startswith("CLAUDE.md") for line in lines)


def test_a_folder_of_skills_is_named_and_not_a_link_to_it(repo: Path) -> None:
    """`.agent/skills` comes first by its name, and is a link."""
    (repo / ".agent").mkdir()
    (repo / ".agent/skills").symlink_to("../.agents/skills")
    named = [line.partition("  ")[0] for line in asked(repo, "--files").splitlines()]
    assert ".agents/skills (4 skills)" in named and ".agent/skills (4 skills)" not in named
