"""`overture` alone: what agents load here, whether they agree, what is wrong, and what to do next."""

import fcntl
import json
import os
import pty
import re
import struct
import subprocess
import termios
from pathlib import Path
from typing import Any

import pytest

from ..discovery.disk import put, put_skill
from .forked import OVERTURE
from .run import assert_refused, run


def alone(here: Path, *options: str, **environment: str) -> list[str]:
    """The lines that it prints; there is nothing on standard error."""
    home = here.parent / "home"
    home.mkdir(exist_ok=True)
    done = run(*options, cwd=here, **{"HOME": str(home), "PATH": "/usr/bin:/bin", **environment})
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def data(here: Path) -> Any:
    return json.loads("\n".join(alone(here, "--json")))


def rows(lines: list[str]) -> dict[str, str]:
    """What each agent loads, by its title; agents with equal rows share one."""
    table = lines[1 : next((at for at, line in enumerate(lines) if not line), None)]
    cells = [re.split(r" {2,}", line) for line in table]
    return {title: row[2] for row in cells for title in row[0].split(", ")}


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A repository with instruction files at two levels."""
    (tmp_path / "r/.git").mkdir(parents=True)
    put(tmp_path / "r/AGENTS.md", "Use tabs.")
    put(tmp_path / "r/pkg/AGENTS.md", "Use few words, and mind the tide.")
    return tmp_path / "r"


def test_it_says_what_the_most_used_agents_load(here: Path) -> None:
    """With an AGENTS.md alone: those of the most used that load it. Gemini CLI, without a sign here, is not in use."""
    lines = alone(here / "pkg")
    assert rows(lines) == {
        "Claude Code": "../AGENTS.md, AGENTS.md", "Codex": "../AGENTS.md, AGENTS.md",
        "Copilot CLI": "../AGENTS.md, AGENTS.md", "Cursor": "../AGENTS.md",
    }  # fmt: skip
    assert "All 4 get the same instructions." in lines  # Cursor gets the nested one when it works there
    assert len(lines) <= 15


def test_the_numbers_are_those_of_the_other_commands(here: Path) -> None:
    """Of each agent, the tokens and the files that `overture agents NAME` counts."""
    put_skill(here / ".agents/skills/tides")
    summary, home = data(here), str(here.parent / "home")
    for agent in summary["agents"]:
        done = run("agents", agent["name"], "--json", cwd=here, HOME=home)
        [report] = json.loads(done.stdout)["agents"]
        loaded = [file for file in report["files"] if file["how"] in ("loaded", "truncated")]
        assert agent["tokens"] == report["tokens"]
        assert agent["files"] == [file["path"] for file in loaded]


def test_an_agent_that_is_set_up_and_gets_nothing(here: Path) -> None:
    """Gemini CLI has a folder here, and comes first; that it loads nothing is a warning."""
    put(here / ".gemini/settings.json", "{}")
    lines = alone(here)
    assert next(iter(rows(lines).items())) == ("Gemini CLI", "nothing")
    assert any(line.startswith("warning: Gemini CLI is set up here (.gemini") for line in lines)
    assert any("`overture agents --fix`" in line for line in lines)


def test_they_disagree(here: Path) -> None:
    """Who lacks which files is said; a link or an import is no difference."""
    (here / "pkg/AGENTS.md").unlink()
    put(here / "CLAUDE.md", "Use spaces for indentation, and never use tabs.")
    put(here / "AGENTS.md", "Use tabs for indentation, and never use spaces.")
    found = data(here)
    assert not found["agree"]
    assert {"agents": ["codex"], "paths": ["CLAUDE.md"]} in found["differences"]
    assert any(line.startswith("Not all get the same: ") for line in alone(here))
    for make in (lambda: (here / "CLAUDE.md").symlink_to("AGENTS.md"), lambda: put(here / "CLAUDE.md", "@AGENTS.md\n")):
        (here / "CLAUDE.md").unlink()
        make()
        assert "All 4 get the same instructions." in alone(here)
        assert data(here)["differences"] == []


def test_a_truncated_file_is_named_with_its_last_line(here: Path) -> None:
    """Codex takes 32 KiB."""
    put(here / "AGENTS.md", "".join(f"Mind the tide at quay {number}.\n" for number in range(2_000)))
    lines = alone(here)
    assert re.fullmatch(r"AGENTS\.md to line \d,\d{3}", rows(lines)["Codex"])
    assert any(re.match(r"warning: Codex loads [\d,]+ of 2,000 lines of AGENTS\.md: ", line) for line in lines)


def test_the_worst_problem(here: Path) -> None:
    """An error comes before a warning, with file and line, and the next command lists all."""
    key = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3hJ5"
    put(here / "AGENTS.md", "Mind the tide at the quay.\n" * 2_000 + f"The key is {key}.\n")
    lines = alone(here)
    worst = next(line for line in lines if line.startswith(("error: ", "warning: ")))
    assert worst.startswith("error: AGENTS.md:2001: ")
    assert any(line.startswith("Next: `overture check`") for line in lines)


def test_an_empty_folder(tmp_path: Path) -> None:
    """It says that there is nothing, and two things to do; without git, too."""
    (tmp_path / "p").mkdir()
    lines = alone(tmp_path / "p")
    assert lines[0] == "No instruction files or skills here."
    assert "AGENTS.md" in lines[1]
    assert "overture tap -- claude" in lines[2]
    assert data(tmp_path / "p")["agents"] == []


def test_files_below_alone(tmp_path: Path) -> None:
    """A folder above some with instructions names them, and the command that shows who reads them."""
    put(tmp_path / "p/a/AGENTS.md", "Use uv.\n")
    put(tmp_path / "p/b/CLAUDE.md", "Be brief.\n")
    put(tmp_path / "p/b/notes.md", "For people.\n")
    lines = alone(tmp_path / "p")
    assert lines[:2] == [
        "No instruction files or skills load at the start here.",
        "Folders below have a/AGENTS.md and b/CLAUDE.md.",
    ]
    assert "overture agents --files" in lines[-1]


def test_skills_alone(tmp_path: Path) -> None:
    """A folder with skills and without instructions shows who lists them."""
    put_skill(tmp_path / "p/.agents/skills/tides")
    lines = alone(tmp_path / "p")
    assert rows(lines)["Codex"] == "1 skill"


def test_files_under_home(tmp_path: Path) -> None:
    """They begin with ~, and the agent that they belong to is used here."""
    put(tmp_path / "home/.claude/CLAUDE.md", "Mine.")
    (tmp_path / "p").mkdir()
    assert rows(alone(tmp_path / "p")) == {"Claude Code": "~/.claude/CLAUDE.md"}


def test_forty_skills_and_twenty_files(tmp_path: Path) -> None:
    """Many of a kind are counted, not listed: there are never more than fifteen lines, and none is endless."""
    folder = tmp_path / "p"
    for number in range(40):
        put_skill(folder / f".agents/skills/skill-{number:02}")
        put(folder / f".agents/skills/bad-{number}/SKILL.md", "nothing")
    for depth in range(12):
        folder = folder / f"d{depth}"
        put(folder / "AGENTS.md", f"Level {depth}.")
        put(folder / "CLAUDE.md", "x")
    lines = alone(folder)
    assert len(lines) <= 15
    assert all(len(each) <= 200 for each in lines)


def test_files_that_nobody_can_read_are_not_missing(tmp_path: Path) -> None:
    """A link to nothing is named, with the command that lists all such, and not the advice to write a file."""
    (tmp_path / "r/.git").mkdir(parents=True)
    (tmp_path / "r/AGENTS.md").symlink_to("gone.md")
    lines = alone(tmp_path / "r")
    assert lines[0] == "No instruction files or skills load at the start here."
    assert any("it is a symlink to gone.md, which does not exist" in line for line in lines)
    assert data(tmp_path / "r")["next"] == "overture check"


def test_a_broken_configuration_is_one_line(here: Path) -> None:
    """It can't go on, and says why, with the file."""
    put(here / "overture.toml", "recipe = [\n")
    assert_refused(run(cwd=here), "error: Invalid TOML", " --> overture.toml")


def test_help_is_still_the_help(here: Path) -> None:
    """`--help` and `-h` list the commands."""
    for option in ("--help", "-h"):
        assert "See the prompt:" in run(option, cwd=here).stdout


def on_a_terminal(here: Path, columns: int, **environment: str) -> str:
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    kept = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "NO_COLOR")}
    env = {**kept, "TERM": "xterm", "HOME": str(here.parent / "home"), **environment}
    process = subprocess.Popen([OVERTURE], cwd=here, stdout=slave, stderr=slave, env=env)
    os.close(slave)
    said = b""
    try:
        while chunk := os.read(master, 65536):
            said += chunk
    except OSError:
        pass
    process.wait(timeout=30)
    os.close(master)
    # What a slow machine says while one waits goes again before anything else is said.
    return re.sub("\r\x1b\\[K[^\r\n]*(?=\r\x1b\\[K)|\r\x1b\\[K", "", said.decode())


@pytest.mark.parametrize("columns", [40, 80, 120])
def test_narrow_terminals(here: Path, columns: int) -> None:
    """No line is longer than the terminal is wide, and at 80 columns there are at most fifteen."""
    for name in ("CLAUDE.md", "GEMINI.md", ".cursorrules"):
        put(here / name, "x" * 50)
    for number in range(20):
        put_skill(here / f".agents/skills/漢字-{number:02}")
    said = re.sub("\x1b\\[[0-9]+m", "", on_a_terminal(here, columns)).replace("\r\n", "\n").strip("\n").split("\n")
    assert len(said) <= 15 or columns < 80
    assert all(len(each) + sum(char in "漢字" for char in each) <= columns for each in said), said


def test_colours(here: Path) -> None:
    """They are there on a terminal, and nowhere else."""
    assert "\x1b[" in on_a_terminal(here, 100)
    assert "\x1b[" not in on_a_terminal(here, 100, NO_COLOR="1")
    assert "\x1b" not in on_a_terminal(here, 100, TERM="dumb")
    assert "\x1b" not in "\n".join(alone(here))


def test_names_can_not_play_with_the_terminal(tmp_path: Path) -> None:
    """Control characters of names and messages are shown, on one line."""
    put(tmp_path / "p\x1b[31m\n/AGENTS.md", "x")
    put(tmp_path / "p\x1b[31m\n/CLAUDE.md", "x")
    put(tmp_path / "p\x1b[31m\n/inner/x", "x")
    lines = alone(tmp_path / "p\x1b[31m\n/inner")
    assert len(lines) <= 15
    assert "\x1b" not in "\n".join(lines)


def test_a_file_that_is_sent_and_asks_for_nothing_is_no_difference(here: Path) -> None:
    """Roo Code sends `.rooignore`: it makes no agent get other instructions."""
    put(here / ".rooignore", "secrets/")
    found = data(here)
    roo = next(agent for agent in found["agents"] if agent["name"] == "roo")
    assert roo["files"] == [".rooignore", "AGENTS.md"] or roo["files"] == ["AGENTS.md"]
    assert found["agree"] and not found["differences"]


INIT = "This file provides guidance to Claude Code (claude.ai/code) when working with code in this repository."


@pytest.mark.parametrize(
    "text",
    [
        f"# CLAUDE.md\n\n{INIT}\n\nSee @AGENTS.md\n",
        "# CLAUDE.md\n\nRun this:\n\n```\nmake test\n```\n",
    ],
)
def test_titles_and_fences_are_no_other_instructions(here: Path, text: str) -> None:
    """A file that imports the other below the words of `/init`, and a copy with another title and a bare code fence."""
    (here / "pkg/AGENTS.md").unlink()
    put(here / "AGENTS.md", "# AGENTS.md\n\nRun this:\n\n```sh\nmake test\n```\n")
    put(here / "CLAUDE.md", text)
    found = data(here)
    assert found["agree"] and not found["differences"]


def test_a_file_that_only_other_agents_load_is_not_nothing(tmp_path: Path) -> None:
    """Devin is set up by this file and no longer loads it: the file is named, and who reads it is a command away."""
    (tmp_path / "p/.git").mkdir(parents=True)
    put(tmp_path / "p/.windsurfrules", "Use tabs in all files.")
    lines = alone(tmp_path / "p")
    assert lines[0] == "No instruction files or skills load at the start here."
    assert any(".windsurfrules" in line for line in lines)
    assert "overture agents --files" in lines[-1]
