"""`overture agents --why` and `--files` answer for every agent, grouped by what they do with a file."""

import json
from pathlib import Path
from typing import Any

import pytest

from overture.agents.show.agent_table_cells import join_file_names
from tests.contract.cli.run import run
from tests.contract.discover.disk import put, put_skill


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


def test_why_of_a_file_that_most_agents_do_not_look_for(repo: Path) -> None:
    """What hides it is named once for all whom it hides it from, and the others are counted."""
    assert asked(repo, "--why", "CLAUDE.md").splitlines() == [
        "CLAUDE.md",
        "  loaded by Claude Code, Copilot CLI, Cursor and 6 others",
        "  skipped by Amp, Continue CLI, Kilo Code (CLI) and 3 others: hidden by AGENTS.md",
        "  not looked for by Codex, Gemini CLI, Aider and 11 others",
        "hint: `overture agents --fix` shows how to make more agents load it",
    ]


def test_why_promises_no_fix_for_a_skill(repo: Path) -> None:
    """One that another of its name hides stays hidden, whatever `--fix` writes."""
    for folder in (".agents", ".claude"):
        put_skill(repo / folder / "skills/sail", body=f"Of {folder}.\n")
    said = asked(repo, "--why", ".claude/skills/sail/SKILL.md")
    assert "hidden by .agents/skills/sail/SKILL.md" in said and "--fix" not in said


def test_why_names_everyone_when_asked(repo: Path) -> None:
    """`--all` counts nobody."""
    text = asked(repo, "--why", "CLAUDE.md", "--all")
    assert "others" not in text
    assert text.count("Roo Code") == text.count("Zed") == 1


def test_why_of_a_file_below(repo: Path) -> None:
    """Agents that load it when they work there, and agents that do not look below the working directory."""
    lines = asked(repo, "--why", "web/AGENTS.md").splitlines()
    assert lines[1].startswith("  loaded on demand by Copilot CLI, Cursor, Amp and ")
    assert lines[2] == "  loaded on demand by Kimi Code: only its path is loaded"
    assert lines[3].startswith("  skipped by Claude Code: hidden by CLAUDE.md")
    assert lines[4].startswith("  skipped by Codex, ") and lines[4].endswith(
        ": not looked for below the working directory"
    )


def test_why_of_a_folder_tells_what_is_loaded_later_from_what_is_skipped(repo: Path) -> None:
    """The best answer counts its files, and names the others; agents that read none of them do not look for it."""
    put_skill(repo / ".claude/skills/moor-at-night")
    (repo / ".claude/rules").mkdir()
    (repo / ".claude/rules/api.md").write_text("---\npaths: web/**\n---\nUse tabs.\n")
    lines = asked(repo, "--why", ".claude").splitlines()
    assert lines[1].startswith("  listed by Claude Code, Copilot CLI and ")
    assert lines[1].endswith(": 1 of 2 files in it, 1 loaded on demand")
    assert lines[-1].startswith("  not looked for by ") and not any("skipped" in line for line in lines)
    assert "loaded on demand by " in asked(repo, "--why", "web")
    done = run("explain", "claude-code", "--why", ".claude", "--cwd", repo, "--home", repo.parent / "home")
    assert done.stdout == ".claude: a folder with 2 files: 1 listed, 1 loaded on demand.\n"


def test_why_as_data_is_the_same(repo: Path) -> None:
    """Each answer with its status, its reason, and every agent."""
    [file] = data(repo, "--why", "AGENTS.md")["files"]
    answers = {tuple(each["agents"]): each for each in file["answers"]}
    codex, claude = answers["codex",], answers["claude-code",]
    assert (codex["status"], codex["last_line"]) == ("truncated", 1170)
    assert (claude["status"], claude["why"]) == ("skipped", f"hidden by {repo}/CLAUDE.md")
    assert sum(len(each["agents"]) for each in file["answers"]) == 29
    assert next(each["status"] for each in file["answers"] if "cursor" in each["agents"]) == "loaded"


def test_why_of_no_file(repo: Path) -> None:
    """It says so, on one line, without a guess, and exits with 2, also with --json."""
    done = run("agents", "--why", "nofile.md", "--cwd", repo)
    other = run("agents", "--why", "nofile.md", "--json", "--cwd", repo)
    assert (other.returncode, other.stderr) == (2, done.stderr)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "error: No such file: `nofile.md`\n")


def test_a_makefile_that_one_agent_loads_is_no_instruction_file(repo: Path) -> None:
    """It is named below the table with the agent that would load it, and with `--all` listed."""
    (repo / "Makefile").write_text("all:\n")
    out = run("agents", "--files", "--cwd", repo).stdout
    assert "Makefile" not in out.partition("\n\n")[0]
    assert "gptme would load " in out and "Makefile" in out
    assert "Makefile" in run("agents", "--files", "--all", "--cwd", repo).stdout.partition("\n\n")[0]


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


def test_an_agent_that_does_not_follow_links_skips_the_file_under_all_names(repo: Path) -> None:
    """Droid looks for AGENTS.md, which is a link: that it does not look for the target's name is no answer."""
    (repo / "AGENTS.md").rename(repo / ".rules")
    (repo / "AGENTS.md").symlink_to(".rules")
    row = next(line for line in asked(repo, "--files").splitlines() if line.startswith("AGENTS.md (also .rules)"))
    assert "skipped by Auggie and Factory droid: it is a symlink, which this agent does not follow" in row


def test_rules_that_are_skipped_for_several_reasons_say_of_how_many_each_holds(repo: Path) -> None:
    """A group has the reason of the most, and not the first one for all."""
    for index in range(5):
        head = "alwaysApply: false" if index else 'globs: "web/**"'
        put(repo / f".continue/rules/{index}.md", f"---\n{head}\n---\nMind tide {index}.\n")
    row = next(line for line in asked(repo, "continue-cli").splitlines() if "5 rules in .continue/rules" in line)
    assert row.endswith("excluded by its `alwaysApply` (4 of 5): `--all` shows the others")


def test_a_long_answer_stands_once(repo: Path) -> None:
    """Files below with the same answer refer to the first of them, also with `--all`: the agents are the same."""
    for name in ("quay", "pier"):
        put(repo / name / "AGENTS.md", f"Mind the {name}.\n")
    for words in (("--files",), ("--files", "--all")):
        rows = {line.split()[0]: line for line in asked(repo, *words).splitlines() if line}
        assert "loaded on demand by" in rows["pier/AGENTS.md"]
        assert rows["quay/AGENTS.md"].endswith("  the same agents as pier/AGENTS.md")
        assert rows["web/AGENTS.md"].endswith("  the same agents as pier/AGENTS.md")


def test_what_an_agent_does_with_a_file_is_the_same_under_each_name(repo: Path) -> None:
    """Kimi Code gives the path of a file below, also where a link leads to it; long names are counted."""
    put(repo / "pier/AGENTS.md", "Mind the pier.\n")
    (repo / "pier/CLAUDE.md").symlink_to("AGENTS.md")
    row = next(
        line for line in asked(repo, "--files").splitlines() if line.startswith("pier/AGENTS.md (also CLAUDE.md)")
    )
    assert "loaded on demand by Kimi Code: only its path is loaded" in row
    assert join_file_names([f".{folder}/skills/harbour-tide/SKILL.md" for folder in ("claude", "cursor")]) == (
        ".claude/skills/harbour-tide/SKILL.md (also 1 other name)"
    )


def test_an_import_that_agents_do_not_follow_is_no_second_name(repo: Path) -> None:
    """Codex loads the line `@CLAUDE.md` and not that file."""
    put(repo / "AGENTS.md", "@CLAUDE.md\n")
    rows = {line.split()[0]: line for line in asked(repo, "--files").splitlines() if line}
    assert "(also" not in rows["AGENTS.md"]
    assert "loaded by Codex" in rows["AGENTS.md"]
    assert "Codex" not in rows["CLAUDE.md"]


def test_documentation_and_parts_of_skills_are_not_meant_as_instructions(repo: Path) -> None:
    """`docs/agents.md` among other pages is one of them; an AGENTS.md in a skill belongs to the skill."""
    for agent in data(repo, "claude-code", "codex", "gemini-cli")["agents"]:
        paths = [file["path"] for file in agent["files"]]
        assert f"{repo}/docs/agents.md" not in paths
        assert f"{repo}/.agents/skills/moor/AGENTS.md" not in paths
    put(repo / "agents.md", "Lower case by mistake.\n")
    [codex] = data(repo, "codex")["agents"]
    assert f"{repo}/agents.md" in [file["path"] for file in codex["files"]]


def test_a_name_in_another_folder_is_not_said_to_be_above_the_project(repo: Path) -> None:
    """Kiro loads any file of its folder under home: a CLAUDE.md here is simply not looked for."""
    [file] = data(repo, "kiro", "--why", "CLAUDE.md")["files"]
    assert [each["why"] for each in file["answers"]] == ["not looked for"]


def test_an_empty_folder_has_no_files(tmp_path: Path) -> None:
    """One line, and no legend."""
    (tmp_path / "p").mkdir()
    assert asked(tmp_path / "p", "--files") == "No instruction files or skills here.\n"
