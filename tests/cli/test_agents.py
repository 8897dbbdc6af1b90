"""`overture agents`: what other agents read here, as people and programs ask for it."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.contract.cli.run import run


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository in which Claude Code and Cursor are used, with a file that is too long for Codex."""
    (tmp_path / "home").mkdir()
    repo = tmp_path / "repo"
    (repo / ".git").mkdir(parents=True)
    files = {
        "AGENTS.md": "".join(f"{number:063d}\n" for number in range(1, 601)),
        "CLAUDE.md": "Speak of moorings.\n",
        "services/AGENTS.md": "Of services.\n",
        "services/CLAUDE.md": "Of services, for Claude.\n",
        ".cursor/rules/always.mdc": "---\nalwaysApply: true\n---\nA rule for Cursor.\n",
        **{f".claude/skills/{name}/SKILL.md": _skill(name) for name in ("moor", "sail", "dock", "row")},
    }
    for name, text in files.items():
        (repo / name).parent.mkdir(parents=True, exist_ok=True)
        (repo / name).write_text(text)
    return repo


def _skill(name: str) -> str:
    return f"---\nname: {name}\ndescription: How to {name}.\n---\n{name}.\n"


def asked(repo: Path, *words: str | Path) -> str:
    """What the command prints; PATH has no agents on it, and home is empty."""
    done = run("agents", *words, "--cwd", repo, "--home", repo.parent / "home", PATH="/nowhere")
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


def rows(text: str) -> dict[str, list[str]]:
    """The words of each line by its first."""
    return {line.split()[0]: line.split() for line in text.splitlines() if line.strip()}


def test_a_line_for_each_agent_that_is_used_here(repo: Path) -> None:
    """Agents with files of their own here stand in the table, and the most used that load one; others are counted."""
    text = asked(repo)
    assert {"claude-code", "cursor", "codex"} <= rows(text).keys()
    assert "aider" not in rows(text) and "zed" not in rows(text)
    assert "`--all`" in text


def test_a_row_says_what_is_loaded_cut_and_not_read_and_how_it_is_known(repo: Path) -> None:
    """Files, tokens, where the first cut file ends, what is not read, and the version that was seen."""
    row = rows(asked(repo, "codex", "claude-code"))["codex"]
    assert row[1].replace(",", "").isdigit() and " ".join(row[2:6]) == "AGENTS.md to line 512"
    assert row[-2] == "seen"


def test_one_agent_with_its_files_in_order_and_why_not_the_others(repo: Path) -> None:
    """What is told with cut and reason, then what is read later, then what is not read, each with why."""
    text = asked(repo, "codex")
    assert "Seen in a run of " in text and "Its own prompt" in text
    start, _, rest = text.partition("Skips")
    assert "truncated after line 512 of 600" in start and "32,768 bytes" in start
    assert "CLAUDE.md" in rest and "services/AGENTS.md" in rest and "below the working directory" in rest
    later = asked(repo, "claude-code").partition("Loads on demand")[2]
    assert "services/CLAUDE.md" in later.partition("Skips")[0]


def test_json_has_the_keys_that_programs_rely_on(repo: Path) -> None:
    """Names, version, day, how it is known, files in order with status, why and tokens, the sum, the findings."""
    (agent,) = json.loads(asked(repo, "codex", "--json"))["agents"]
    assert {"name", "version", "checked", "known", "files", "tokens", "findings"} <= agent.keys()
    assert agent["known"] == "run" and agent["checked"].count("-") == 2
    assert all({"path", "kind", "status", "why", "tokens"} <= file.keys() for file in agent["files"])
    cut = agent["files"][0]
    assert (cut["path"], cut["status"], cut["last_line"]) == (str(repo / "AGENTS.md"), "truncated", 512)
    statuses = [file["status"] for file in agent["files"]]
    assert statuses == sorted(statuses, key=["loaded", "truncated", "listed", "on_demand", "skipped"].index)
    assert agent["tokens"] == sum(file["tokens"] for file in agent["files"])


def test_files_and_who_reads_them(repo: Path) -> None:
    """The other way round, in the words of one agent: the same as data and as Markdown."""
    text = asked(repo, "codex", "claude-code", "--files")
    grid = rows(text)
    assert grid["file"][1:] == ["codex", "claude-code"]
    assert grid["AGENTS.md"][1:] == ["truncated", "after", "line", "512", "skipped"]
    assert grid["CLAUDE.md"][1:] == ["skipped", "loaded"]
    assert grid["services/CLAUDE.md"][1:] == ["skipped", "loaded", "on", "demand"]
    data = json.loads(asked(repo, "codex", "--files", "--json"))
    by = {file["path"]: file["by"]["codex"] for file in data["files"]}
    assert by[str(repo / "AGENTS.md")]["last_line"] == 512
    assert by[str(repo / "CLAUDE.md")]["how"] == "skipped"
    assert "| `CLAUDE.md` | skipped | loaded |" in asked(repo, "codex", "claude-code", "--files", "--markdown")


def test_what_is_added_when_an_agent_works_on_a_file(repo: Path) -> None:
    """`--touching` shows what each agent is told besides, and says so where that is nothing."""
    text = asked(repo, "claude-code", "codex", "--touching", "services/berths.py")
    claude, _, codex = text.partition("Codex")
    assert "services/CLAUDE.md" in claude and "adds nothing" in codex
    data = json.loads(asked(repo, "claude-code", "--touching", "services/berths.py", "--json"))["agents"][0]
    assert [Path(f["path"]).parent.name for f in data["files"] if f.get("touched")] == ["services"]


def test_why_of_one_file_for_all_agents_and_for_one(repo: Path) -> None:
    """`agents NAME --why` answers for those; `explain NAME --why` answers by that agent's own rules."""
    lines = asked(repo, "codex", "claude-code", "--why", "CLAUDE.md").splitlines()
    assert lines == ["CLAUDE.md", "  loaded by Claude Code", "  not looked for by Codex"]
    one = run("explain", "codex", "--why", "CLAUDE.md", "--cwd", repo, "--home", repo.parent / "home")
    assert "Codex does not read CLAUDE.md" in one.stdout and "features." not in one.stdout
    cut = run("explain", "codex", "--why", "AGENTS.md", "--cwd", repo, "--home", repo.parent / "home")
    assert "1-512 of 600" in cut.stdout
    assert run("agents", "codex", "--why", "none.md", "--cwd", repo).returncode == 2


@pytest.mark.parametrize("command", ["build", "explain", "context", "state", "check"])
def test_every_command_takes_the_name_of_an_agent(repo: Path, command: str) -> None:
    """An agent is a recipe like any other."""
    done = run(command, "codex", "--cwd", repo, "--home", repo.parent / "home")
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr and done.stdout


def test_outside_a_repository_not_everything_below_is_looked_into(tmp_path: Path) -> None:
    """A home is no project: after some folders it is enough, and that is said."""
    (tmp_path / "home").mkdir()
    for number in range(2_001):
        (tmp_path / "all" / f"d{number}").mkdir(parents=True)
    assert "only 2,000 folders were searched" in asked(tmp_path / "all", "codex")
    (tmp_path / "all" / ".git").mkdir()
    assert "were looked into" not in asked(tmp_path / "all", "codex")


def test_a_huge_project_that_git_does_not_know_yet_is_searched_in_part_and_that_is_said(tmp_path: Path) -> None:
    """The sentence names the number, the reason and two ways on."""
    (tmp_path / "home").mkdir()
    repo = tmp_path / "repo"
    for number in range(5_001):
        (repo / f"d{number}").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", repo], check=True)
    said = " ".join(asked(repo, "codex").split())
    assert "only 5,000 folders were searched, because git tracks no file here" in said
    assert "--cwd, or `git add` them" in said
