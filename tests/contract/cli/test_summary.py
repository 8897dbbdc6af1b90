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
    """What each agent loads, by its title."""
    table = lines[1 : next((at for at, line in enumerate(lines) if not line or "more agent" in line), None)]
    return {re.split(r" {2,}", line)[0]: re.split(r" {2,}", line)[-1] for line in table}


SAME_BUT_GEMINI = "Claude Code, Codex, Copilot CLI and Cursor get the same instructions; Gemini CLI gets none."


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A repository with instruction files at two levels."""
    (tmp_path / "r/.git").mkdir(parents=True)
    put(tmp_path / "r/AGENTS.md", "Use tabs.")
    put(tmp_path / "r/pkg/AGENTS.md", "Use few words, and mind the tide.")
    return tmp_path / "r"


def test_it_says_what_the_most_used_agents_load(here: Path) -> None:
    """With an AGENTS.md alone: the five most used in their order, one of them without it, and how many others do."""
    lines = alone(here / "pkg")
    assert rows(lines) == {
        "Claude Code": "../AGENTS.md, AGENTS.md", "Codex": "../AGENTS.md, AGENTS.md",
        "Copilot CLI": "../AGENTS.md, AGENTS.md", "Cursor": "../AGENTS.md", "Gemini CLI": "nothing",
    }  # fmt: skip
    assert re.match(r"\d\d more agents read ", lines[6])
    assert lines[8] == (
        "Cursor gets other instructions than Claude Code, Codex and Copilot CLI: 1 file differs (AGENTS.md); "
        "Gemini CLI gets none."
    )
    assert alone(here)[8] == SAME_BUT_GEMINI
    assert len(lines) <= 15


def test_the_numbers_are_those_of_the_other_commands(here: Path) -> None:
    """Of each agent, the tokens and the files that `overture agents NAME` counts; of the prompt, those of `context`."""
    put_skill(here / ".agents/skills/tides")
    summary, home = data(here), str(here.parent / "home")
    for agent in summary["agents"]:
        done = run("agents", agent["name"], "--json", "--tokenizer", "o200k", cwd=here, HOME=home)
        [report] = json.loads(done.stdout)["agents"]
        loaded = [file for file in report["files"] if file["status"] in ("loaded", "truncated", "listed")]
        assert agent["tokens"] == report["tokens"]
        assert [each["path"] for each in agent["files"]] == [f["path"] for f in loaded if f["kind"] != "skill"]
    whole = run("context", "house", "--by", "file", cwd=here, HOME=home).stdout
    assert f"{summary['tokens']:,} tokens" in whole


def test_agents_with_files_of_their_own_come_first(here: Path) -> None:
    """Gemini CLI has a folder here, and comes before the others, also though it loads nothing."""
    put(here / ".gemini/settings.json", "{}")
    lines = alone(here)
    assert next(iter(rows(lines).items())) == ("Gemini CLI", "nothing")
    assert SAME_BUT_GEMINI in lines
    assert any("`overture agents`" in line for line in lines)


def test_they_disagree(here: Path) -> None:
    """Two agents that get different texts are named, with the files; a link or an import is no difference."""
    put(here / "CLAUDE.md", "Use spaces, and never tabs.")
    said = "\n".join(alone(here))
    assert "different sets of instructions: 2 files differ (CLAUDE.md, AGENTS.md)" in said
    assert data(here)["differences"] == [str(here / "CLAUDE.md"), str(here / "AGENTS.md")]
    (here / "CLAUDE.md").unlink()
    (here / "CLAUDE.md").symlink_to("AGENTS.md")
    assert "All 4 get the same instructions." in alone(here)
    (here / "CLAUDE.md").unlink()
    put(here / "CLAUDE.md", "@AGENTS.md\n")
    assert "All 4 get the same instructions." in alone(here)


def test_a_truncated_file_is_named_with_its_last_line(here: Path) -> None:
    """Codex takes 32 KiB."""
    put(here / "AGENTS.md", "".join(f"Mind the tide at quay {number}.\n" for number in range(2_000)))
    lines = alone(here)
    assert re.fullmatch(r"AGENTS\.md to line \d,\d{3}", rows(lines)["Codex"])
    assert any(line.startswith("Codex gets other instructions than ") for line in lines)


def test_the_worst_problem(here: Path) -> None:
    """An error comes before a warning, with file and line, how many more there are, and the command that lists them."""
    key = "ghp_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dF3hJ5"
    put(here / "AGENTS.md", "Mind the tide at the quay.\n" * 2_000 + f"The key is {key}.\n")
    lines = alone(here)
    [worst] = [line for line in lines if line.startswith("error: ")]
    assert worst.startswith("error: AGENTS.md:2001: ")
    assert worst.endswith("(1 more)")
    assert any(line.startswith("Next: `overture check`") for line in lines)


def test_own_prompts_are_a_line_at_the_end(here: Path) -> None:
    """The recipe is named there, and nowhere is its prompt said to be an agent's."""
    assert re.fullmatch(r"To build an agent: .* \(recipe house\)\.", alone(here)[-1])
    put(here / "overture.toml", 'recipe = "opal"\n')
    assert alone(here)[-1].endswith("(recipe opal).")


def test_an_empty_folder(tmp_path: Path) -> None:
    """It says that there is nothing, and two things to do; without git, too."""
    (tmp_path / "p").mkdir()
    lines = alone(tmp_path / "p")
    assert lines[0] == "No instruction files or skills here."
    assert "AGENTS.md" in lines[2]
    assert "overture tap -- claude" in lines[3]
    assert data(tmp_path / "p")["agents"] == []


def test_files_below_alone(tmp_path: Path) -> None:
    """A folder above some with instructions names them, and so does `agents`."""
    put(tmp_path / "p/a/AGENTS.md", "Use uv.\n")
    put(tmp_path / "p/b/CLAUDE.md", "Be brief.\n")
    put(tmp_path / "p/b/notes.md", "For people.\n")
    lines = alone(tmp_path / "p")
    assert lines[:2] == [
        "No instruction files or skills load at the start here.",
        "Folders below have a/AGENTS.md and b/CLAUDE.md.",
    ]
    assert "overture agents --files" in lines[3]
    found = data(tmp_path / "p")
    assert found["agents"] == []
    assert [path.rpartition("/p/")[2] for path in found["below"]] == ["a/AGENTS.md", "b/CLAUDE.md"]


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
    assert alone(tmp_path / "r") == [
        "No instruction files or skills load at the start here.",
        "",
        "warning: AGENTS.md: skipped: it is a symlink to gone.md, which does not exist",
        "Next: `overture check` lists every problem with its line.",
    ]
    assert data(tmp_path / "r")["next"] == "overture check"


def test_a_broken_configuration_is_one_line(here: Path) -> None:
    """It can't go on, and says why, with the file."""
    put(here / "overture.toml", "recipe = [\n")
    assert_refused(run(cwd=here), "error: Invalid TOML", " --> overture.toml")
    put(here / "overture.toml", 'recipe = "hose"\n')
    assert_refused(run(cwd=here), "`hose`", "exists: `house`")


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


def test_an_agent_lists_equal_skills_in_its_own_format(here: Path) -> None:
    """Where that alone makes the tokens of two agents differ, a line says so; otherwise there is none."""
    said = "Each agent writes its list of skills in its own way, so tokens differ where skills are the same."
    assert said not in alone(here)
    for folder in (".agents", ".claude"):
        put_skill(here / folder / "skills/look-up-the-tide", "name: tide\ndescription: Looks up the tide.")
    loaded = {
        agent["name"]: (sum(file["tokens"] for file in agent["files"]), agent["tokens"])
        for agent in data(here)["agents"]
        if agent["skills"] == 1
    }
    assert len({files for files, _ in loaded.values()}) < len({tokens for _, tokens in loaded.values()})
    assert said in alone(here)


def test_a_file_that_is_sent_and_asks_for_nothing_is_no_difference(here: Path) -> None:
    """Roo Code sends `.rooignore`: it is loaded, has tokens, and makes no agent get other instructions."""
    put(here / ".rooignore", "secrets/")
    put(here / "CLAUDE.md", "Use tabs.")
    found = data(here)
    roo = next(agent for agent in found["agents"] if agent["name"] == "roo")
    assert [Path(file["path"]).name for file in roo["files"]] == [".rooignore", "AGENTS.md"]
    assert roo["tokens"] == sum(file["tokens"] for file in roo["files"])
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
    put(here / "AGENTS.md", "# AGENTS.md\n\nRun this:\n\n```sh\nmake test\n```\n")
    put(here / "CLAUDE.md", text)
    found = data(here)
    assert found["agree"] and not found["differences"]
    assert not [line for line in run("agents", cwd=here).stdout.splitlines() if "Fix:" in line and "pkg" not in line]


def test_the_worst_problem_names_paths_from_here(here: Path) -> None:
    """A near copy is one; that agents disagree has a line of its own, and is no second problem."""
    same = "Run make test.\nSign your commits.\nWrite short functions.\nNo new dependencies.\nKeep the changelog.\n"
    put(here / "CLAUDE.md", f"{same}Use spaces for indentation.")
    put(here / "AGENTS.md", f"{same}Use tabs for indentation.")
    lines = alone(here)
    (problem,) = (line for line in lines if line.startswith("warning: "))
    assert problem.startswith("warning: CLAUDE.md:6: ")
    assert str(here) not in "\n".join(lines) and "load different" not in problem and "more)" not in problem


def test_a_file_that_only_other_agents_load_is_not_nothing(tmp_path: Path) -> None:
    """Devin is set up by this file and no longer loads it; others do."""
    (tmp_path / "p/.git").mkdir(parents=True)
    put(tmp_path / "p/.windsurfrules", "Use tabs in all files.")
    lines = alone(tmp_path / "p")
    assert rows(lines) == {"Devin Desktop": "nothing"}
    assert lines[2] == "2 more agents read .windsurfrules (`overture agents --all`)"
    assert lines[4:6] == [
        "Devin Desktop gets no instructions.",
        "Next: `overture agents` shows what each of them skips, and the fix.",
    ]


def test_skills_alone_are_no_instructions(tmp_path: Path) -> None:
    """It says so once for all agents."""
    (tmp_path / "p/.git").mkdir(parents=True)
    put_skill(tmp_path / "p/.agents/skills/tides")
    assert "None of them gets instructions. Their skills differ." in alone(tmp_path / "p")


def test_an_agent_s_only_skill_is_named_alone(tmp_path: Path) -> None:
    """`including` is for some of several."""
    (tmp_path / "p/.git").mkdir(parents=True)
    put_skill(tmp_path / "p/.agents/skills/tides")
    put_skill(tmp_path / "p/.claude/skills/moor")
    put(tmp_path / "p/GEMINI.md", "Use tabs.\n")
    said = "\n".join(alone(tmp_path / "p"))
    assert "1 skill (tides)" in said and "1 skill (moor)" in said and "including" not in said


def test_an_empty_file_is_named_as_such(tmp_path: Path) -> None:
    """Not as if there were none: most agents skip it."""
    (tmp_path / "p/.git").mkdir(parents=True)
    put(tmp_path / "p/AGENTS.md", " \n\n")
    lines = alone(tmp_path / "p")
    assert lines[0] == "No instruction files or skills load at the start here."
    assert lines[2] == "AGENTS.md is empty: write what agents should know here."
    assert run("agents", cwd=tmp_path / "p", PATH="/nowhere").stdout.startswith(
        "No agent is set up here, and no instruction files or skills load at the start."
    )


def test_a_problem_is_told_beside_files_below(tmp_path: Path) -> None:
    """A folder in the place of AGENTS.md, and a file that loads only on demand."""
    (tmp_path / "p/.git").mkdir(parents=True)
    (tmp_path / "p/AGENTS.md").mkdir()
    put(tmp_path / "p/web/AGENTS.md", "Use tabs.\n")
    lines = alone(tmp_path / "p")
    assert lines[1:5] == [
        "Folders below have web/AGENTS.md.",
        "",
        "warning: AGENTS.md: skipped: it is a directory",
        "Next: `overture check` lists every problem with its line.",
    ]
