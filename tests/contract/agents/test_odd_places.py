"""Odd names, variables, recipes and machines: what an agent loads is said all the same, and nothing is run for it."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from ..cli.run import OVERTURE, assert_refused, run
from ..discovery.disk import link, put


def files_of(agent: str, folder: Path, **environment: str) -> dict[str, str]:
    """What becomes of each file, by its path in the project."""
    done = run("agents", agent, "--json", cwd=folder, HOME=str(folder.parent / "home"), **environment)
    assert done.returncode == 0, done.stderr
    (report,) = json.loads(done.stdout)["agents"]
    return {file["path"]: file["how"] for file in report["files"]}


@pytest.mark.parametrize(("agent", "variable"), [("codex", "CODEX_HOME"), ("opencode", "XDG_CONFIG_HOME")])
def test_a_variable_that_is_no_text_moves_nothing(agent: str, variable: str, tmp_path: Path) -> None:
    """A folder of an agent is not called so; the project's file is loaded."""
    put(tmp_path / "repo/.git/HEAD")
    put(tmp_path / "repo/AGENTS.md", "Use tabs.\n")
    environment = {b"PATH": b"/usr/bin:/bin", b"HOME": os.fsencode(tmp_path / "home"), variable.encode(): b"\xff"}
    command = [str(OVERTURE), "agents", agent, "--json"]
    done = subprocess.run(command, cwd=tmp_path / "repo", env=environment, capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    assert [file["how"] for file in json.loads(done.stdout)["agents"][0]["files"]] == ["loaded"]


def test_a_folder_whose_name_is_no_text(tmp_path: Path) -> None:
    """Its file is loaded, and said to be in the working directory."""
    folder = Path(os.fsdecode(os.fsencode(tmp_path) + b"/na\xffme"))
    put(folder / ".git/HEAD")
    put(folder / "AGENTS.md", "Use tabs.\n")
    done = run("agents", "codex", "--json", cwd=folder, HOME=str(tmp_path / "home"))
    (file,) = json.loads(done.stdout)["agents"][0]["files"]
    assert (file["how"], file["reason"]["code"]) == ("loaded", "at-start")


@pytest.mark.parametrize("text", ['wants.files = [{step = "a", names = ["x.md"]}]', 'wants.skills.wher = "cwd"'])
def test_an_unknown_key_of_a_recipe_is_one_plain_error(text: str, tmp_path: Path) -> None:
    """Also one that only agents have."""
    put(tmp_path / "mine.toml", f'{text}\n[[sections]]\nname = "a"\ntext = "Hello."\n')
    assert_refused(run("build", tmp_path / "mine.toml", cwd=tmp_path), "unknown key")


def test_the_recipe_of_an_agent_is_not_extended(tmp_path: Path) -> None:
    """What an agent reads is known; what a changed one reads is not."""
    put(tmp_path / "mine.toml", 'extends = "codex"\n')
    assert_refused(run("build", tmp_path / "mine.toml", cwd=tmp_path), "can't be extended")


def test_a_leading_blank_in_gitignore_belongs_to_the_name(tmp_path: Path) -> None:
    """As git has it: Claude Code then lists the skills of the folder."""
    repo = tmp_path / "repo"
    put(repo / ".git/HEAD")
    put(repo / ".gitignore", " sub\n")
    put(repo / "sub/.claude/skills/one/SKILL.md", "---\nname: one\ndescription: Does one.\n---\nDo it.\n")
    assert files_of("claude-code", repo)["sub/.claude/skills/one/SKILL.md"] == "on_demand"
    put(repo / ".gitignore", "sub\n")
    assert files_of("claude-code", repo)["sub/.claude/skills/one/SKILL.md"] == "skipped"


@pytest.mark.parametrize("words", [("build",), ("build", "moltis"), ("check", "moltis"), ("agents", "--all"), ()])
def test_no_command_runs_a_program_of_the_machine_or_the_project(words: tuple[str, ...], tmp_path: Path) -> None:
    """Neither sudo, which logs each try, nor what lies in the project."""
    put(tmp_path / "repo/.git/HEAD")
    put(tmp_path / "repo/AGENTS.md", "Run bin/setup.\n")
    for name in ("sudo", "setup"):
        put(tmp_path / "repo/bin" / name, f"#!/bin/sh\ntouch {tmp_path}/ran-{name}\n").chmod(0o755)
    path = f"{tmp_path}/repo/bin:/usr/bin:/bin"
    run(*words, cwd=tmp_path / "repo", HOME=str(tmp_path / "home"), PATH=path)
    assert not [*tmp_path.glob("ran-*")]


def test_links_in_a_circle_are_named(tmp_path: Path) -> None:
    """No agent loads them, and no command fails."""
    repo = tmp_path / "repo"
    put(repo / ".git/HEAD")
    link(repo / "AGENTS.md", "CLAUDE.md")
    link(repo / "CLAUDE.md", "AGENTS.md")
    link(repo / ".claude/skills", "../.claude/skills")
    assert set(files_of("codex", repo).values()) == {"skipped"}
    assert run("agents", "--all", cwd=repo, HOME=str(tmp_path / "home")).returncode == 0
