"""`overture agents`: what each agent does with the files here, as people and programs ask for it."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from overture.known_agents import AGENTS
from tests.contract.cli.run import run
from tests.contract.discovery.disk import put, put_skill

HOWS = ["loaded", "truncated", "listed", "on_demand", "skipped"]


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository in which Claude Code and Cursor are used, with a file that is too long for Codex."""
    repo = tmp_path / "repo"
    (repo / ".git").mkdir(parents=True)
    put(repo / "AGENTS.md", "".join(f"{number:063d}\n" for number in range(1, 601)))
    put(repo / "CLAUDE.md", "Speak of moorings.\n")
    put(repo / "services/AGENTS.md", "Of services.\n")
    put(repo / "services/CLAUDE.md", "Of services, for Claude.\n")
    put(repo / ".cursor/rules/always.mdc", "---\nalwaysApply: true\n---\nA rule for Cursor.\n")
    for name in ("moor", "sail", "dock", "row"):
        put_skill(repo / ".claude/skills" / name)
    return repo


def asked(repo: Path, *words: str | Path) -> str:
    """What the command prints; PATH has no agents on it, and home is empty."""
    (repo.parent / "home").mkdir(exist_ok=True)
    done = run("agents", *words, "--cwd", repo, "--home", repo.parent / "home", PATH="/nowhere")
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


def data(repo: Path, *words: str | Path) -> Any:
    return json.loads(asked(repo, *words, "--json"))


def rows(text: str) -> dict[str, list[str]]:
    """The cells of each line by its first."""
    lines = [re.split(r" {2,}", line) for line in text.splitlines() if line.strip()]
    return {cells[0]: cells[1:] for cells in lines}


def test_a_line_for_each_agent_that_is_used_here(repo: Path) -> None:
    """Agents with files of their own here stand in the table, and the most used that load one; others are counted."""
    text = asked(repo)
    assert {"Claude Code", "Cursor", "Codex"} <= rows(text).keys()
    assert "Aider" not in rows(text) and "Zed" not in rows(text)
    assert "`--all`" in text


def test_a_row_says_what_is_loaded_cut_and_not_read_and_how_it_is_known(repo: Path) -> None:
    """Tokens, files, where the first cut file ends, what is not read, and the version that was seen."""
    tokens, loads, skips, known = rows(asked(repo, "codex", "claude-code"))["Codex"]
    assert tokens.replace(",", "").isdigit() and loads == "AGENTS.md to line 512"
    assert skips.startswith("services/AGENTS.md, ") and known.startswith("seen ")


def test_one_agent_with_its_files_in_order_and_why_not_the_others(repo: Path) -> None:
    """What is told with cut and reason, then what is read later, then what is not read, each with why."""
    text = " ".join(asked(repo, "codex").split())
    assert "Seen in a run of " in text and "Its own prompt" in text
    start, _, rest = text.partition("Skips")
    assert "truncated after line 512 of 600" in start and "32,768 bytes" in start
    assert "CLAUDE.md" in rest and "services/AGENTS.md" in rest and "below the working directory" in rest
    later = asked(repo, "claude-code").partition("Loads on demand")[2]
    assert "services/CLAUDE.md" in later.partition("Skips")[0]


def test_json_has_the_keys_that_programs_rely_on(repo: Path) -> None:
    """Names, version, day, how it is known, files in order with how, reason and tokens, the sum, the findings."""
    (agent,) = data(repo, "codex")["agents"]
    assert {"name", "version", "checked", "known", "files", "tokens", "findings"} <= agent.keys()
    assert agent["known"] == "run" and agent["checked"].count("-") == 2
    assert all({"path", "kind", "how", "reason", "text", "tokens"} <= file.keys() for file in agent["files"])
    cut = agent["files"][0]
    assert (cut["path"], cut["how"], cut["last_line"], cut["lines"]) == ("AGENTS.md", "truncated", 512, 600)
    assert cut["reason"]["code"] == "limit" and "32,768 bytes" in cut["text"]
    hows = [file["how"] for file in agent["files"]]
    assert hows == sorted(hows, key=HOWS.index)
    assert agent["tokens"] == sum(file["tokens"] for file in agent["files"])


def test_files_and_who_reads_them(repo: Path) -> None:
    """The other way round, in the words of one agent: the same as data, from every start, and as Markdown."""
    text = " ".join(asked(repo, "codex", "claude-code", "--files").split())
    assert "truncated after line 512 of 600 by Codex" in text
    assert "CLAUDE.md loaded by Claude Code" in text
    assert "services/CLAUDE.md loaded on demand by Claude Code" in text
    files = {file["path"]: file for file in data(repo, "codex", "--files")["files"]}
    uses = {use["start"]: use for use in files["services/AGENTS.md"]["uses"]}
    assert (uses["."]["how"], uses["."]["reason"]["code"]) == ("skipped", "below-start")
    assert (uses["services"]["how"], uses["services"]["reason"]["code"]) == ("skipped", "limit")
    assert {use["how"] for use in files["CLAUDE.md"]["uses"]} == {"skipped"}
    assert "| `CLAUDE.md` | " in asked(repo, "codex", "claude-code", "--files", "--markdown")


def test_what_is_added_when_an_agent_works_on_a_file(repo: Path) -> None:
    """`--touching` shows what each agent is told besides, and says so where that is nothing."""
    text = asked(repo, "claude-code", "codex", "--touching", "services/berths.py")
    claude, _, codex = text.partition("Codex")
    assert "services/CLAUDE.md" in claude and "adds nothing" in codex
    files = data(repo, "claude-code", "--touching", "services/berths.py")["agents"][0]["files"]
    [below] = [file for file in files if file["path"] == "services/CLAUDE.md"]
    assert (below["how"], below["reason"]["code"]) == ("loaded", "works-in")


def test_explain_why_answers_by_the_rules_of_one_agent(repo: Path) -> None:
    """It is read or not, to which line, and no setting of a recipe is named; a file that is not there is an error."""
    where = ("--cwd", repo, "--home", repo.parent)
    lines = asked(repo, "codex", "claude-code", "--why", "CLAUDE.md").splitlines()
    assert lines == ["CLAUDE.md", "  loaded by Claude Code", "  not looked for by Codex"]
    one = run("explain", "codex", "--why", "CLAUDE.md", *where)
    assert "not looked for by Codex" in one.stdout and "features." not in one.stdout
    assert "line 512 of 600" in run("explain", "codex", "--why", "AGENTS.md", *where).stdout
    assert run("agents", "codex", "--why", "none.md", "--cwd", repo).returncode == 2


@pytest.mark.parametrize("command", ["build", "explain", "context", "state", "check"])
def test_every_command_takes_the_name_of_an_agent(repo: Path, command: str) -> None:
    """An agent is a recipe like any other."""
    done = run(command, "codex", "--cwd", repo, "--home", repo.parent)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr and done.stdout


def test_outside_a_repository_not_everything_below_is_looked_into(tmp_path: Path) -> None:
    """A home is no project: after some folders it is enough, and that is said."""
    for number in range(2_001):
        (tmp_path / "all" / f"d{number}").mkdir(parents=True)
    assert "only 2,000 folders were searched" in asked(tmp_path / "all", "codex")
    (tmp_path / "all" / ".git").mkdir()
    assert "were searched" not in asked(tmp_path / "all", "codex")


def test_a_huge_project_that_git_does_not_know_yet_is_searched_in_part_and_that_is_said(tmp_path: Path) -> None:
    """The sentence names the number, the reason and two ways on."""
    repo = tmp_path / "repo"
    for number in range(5_001):
        (repo / f"d{number}").mkdir(parents=True)
    subprocess.run(["git", "init", "-q", repo], check=True)
    said = " ".join(asked(repo, "codex").split())
    assert "only 5,000 folders were searched, because git tracks no file here" in said
    assert "--cwd, or `git add` them" in said


# Files, and what every agent does with them


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """A repository with two instruction files that differ, skills, and a page of documentation."""
    repo = tmp_path / "repo"
    (repo / ".git").mkdir(parents=True)
    put(repo / "AGENTS.md", "".join(f"Mind the tide at quay {number:04}.\n" for number in range(2_000)))
    put(repo / "CLAUDE.md", "Speak of moorings.\n")
    put(repo / "web/AGENTS.md", "Of the web.\n")
    for name in ("moor", "sail", "dock", "row"):
        put_skill(repo / ".agents/skills" / name)
    put_skill(repo / "examples/skills/tides")
    return repo


def named(text: str) -> list[str]:
    """What stands in the first column."""
    return [line.partition("  ")[0] for line in text.splitlines() if not line.startswith(" ")]


def test_why_groups_agents_by_their_answer(many: Path) -> None:
    """Those that load it come first, then those that truncate or skip it with the reason, then all others."""
    lines = asked(many, "--why", "AGENTS.md").splitlines()
    assert lines[0] == "AGENTS.md" and lines[1].startswith("  loaded by Amp, ")
    cut = next(at for at, line in enumerate(lines) if line.startswith("  truncated after line 1,170 of 2,000 by Codex"))
    skipped = next(at for at, line in enumerate(lines) if "skipped by Claude Code: hidden by CLAUDE.md" in line)
    assert 1 < cut < skipped and lines[-1] == "  not looked for by Aider and Gemini CLI"


def test_why_as_data_has_every_agent(many: Path) -> None:
    """From every start, with its reason."""
    [file] = data(many, "--why", "AGENTS.md")["files"]
    here = {use["agent"]: use for use in file["uses"] if use["start"] == "."}
    assert here.keys() == set(AGENTS)
    assert (here["codex"]["how"], here["codex"]["last_line"]) == ("truncated", 1170)
    assert (here["claude-code"]["how"], here["claude-code"]["reason"]["path"]) == ("skipped", "CLAUDE.md")
    assert here["cursor"]["how"] == "loaded"


def test_files_are_rows_with_the_agents_by_answer(many: Path) -> None:
    """What most agents load comes first; many skills are one row; what nobody loads is below."""
    text = asked(many, "--files")
    assert named(text)[:2] == ["file", "AGENTS.md"]
    assert {"4 skills in .agents/skills", "CLAUDE.md", "web/AGENTS.md"} <= {*named(text)}
    assert "Not for the agents here: examples/skills/tides/SKILL.md (`--all`)." in text


@pytest.mark.parametrize("how", ["link", "import"])
def test_names_of_one_file_are_one_row(many: Path, how: str) -> None:
    """A link, and a file that only imports another, share its row."""
    (many / "CLAUDE.md").unlink()
    if how == "link":
        (many / "CLAUDE.md").symlink_to("AGENTS.md")
    else:
        put(many / "CLAUDE.md", "@AGENTS.md\n")
    names = named(asked(many, "--files"))
    assert "AGENTS.md (also CLAUDE.md)" in names and "CLAUDE.md" not in names


def test_a_folder_of_skills_is_named_and_not_a_link_to_it(many: Path) -> None:
    """`.agent/skills` comes first by its name, and is a link."""
    (many / ".agent").mkdir()
    (many / ".agent/skills").symlink_to("../.agents/skills")
    names = named(asked(many, "--files"))
    assert any(name.startswith("4 skills in .agents/skills") for name in names), names
    assert not any(name.startswith("4 skills in .agent/skills") for name in names)
