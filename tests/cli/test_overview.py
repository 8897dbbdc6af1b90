"""`overture` alone: what is here, what it costs, what is wrong, and what to do next."""

import fcntl
import os
import pty
import re
import struct
import subprocess
import termios
from pathlib import Path

import pytest

from overture.recipes import BUILTIN

from ..discover.disk import put, put_skill
from .forked import program
from .run import assert_refused, run

JARGON = ("recipe", "pace", "section", "shadowed", "diagnostic", "span", "omitted", "budget")


def alone(here: Path, **environment: str) -> list[str]:
    """The lines that it prints; there is nothing on standard error."""
    home = here.parent / "home"
    home.mkdir(exist_ok=True)
    done = run(cwd=here, **{"HOME": str(home), **environment})
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def line(lines: list[str], label: str) -> str:
    [one] = [each for each in lines if each.startswith(label)]
    return one.removeprefix(label).strip()


def commands(lines: list[str]) -> list[str]:
    return [each.split("  ")[0] for each in lines if each.startswith("overture")]


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A repository with instruction files at two levels."""
    (tmp_path / "r/.git").mkdir(parents=True)
    put(tmp_path / "r/AGENTS.md", "Use tabs.")
    put(tmp_path / "r/pkg/AGENTS.md", "Use few words, and mind the tide.")
    return tmp_path / "r"


def test_it_says_what_is_here(here: Path) -> None:
    """The instruction files by their paths from here with their tokens, the skills with theirs, and the sum."""
    put_skill(here / ".agents/skills/tides")
    put_skill(here / ".agents/skills/moor")
    lines = alone(here / "pkg")
    assert len(lines) <= 12
    assert re.fullmatch(r"\.\./AGENTS\.md \(\d+ tokens\), AGENTS\.md \(\d+ tokens\)", line(lines, "Instructions"))
    assert re.fullmatch(r"2 \(\d+ tokens\): moor, tides", line(lines, "Skills"))
    assert re.fullmatch(r"[\d,]+ tokens, \d+ of them from these files", line(lines, "Prompt"))
    assert not any(each.startswith(("Not read", "Wrong")) for each in lines)
    assert len(commands(lines)) == 3


def test_the_sum_is_the_sum(here: Path) -> None:
    """What the files and the skills cost is what the last line says, and the whole is what `stats` counts."""
    put_skill(here / ".agents/skills/tides")
    lines = alone(here)
    each = [int(n) for n in re.findall(r"\((\d+) tokens\)", "\n".join(lines))]
    assert f"{sum(each)} of them from these files" in line(lines, "Prompt")
    whole = run("stats", cwd=here, HOME=str(here.parent / "home")).stdout
    assert f" {line(lines, 'Prompt').split()[0]} tokens" in whole.splitlines()[0]


def test_no_jargon_and_no_names_that_nobody_knows(here: Path) -> None:
    """Neither words of ours nor names of recipes; a configured one is named, with the file that says so."""
    put(here / "CLAUDE.md", "Use spaces.")
    put(here / ".agents/skills/bad/SKILL.md", "nothing")
    said = "\n".join(alone(here)).lower()
    assert not [word for word in (*JARGON, *BUILTIN) if re.search(rf"\b{word}s?\b", said)]
    put(here / "overture.toml", 'recipe = "opal"\n')
    assert line(alone(here), "Settings") == "overture.toml: opal"


def test_what_is_not_read(here: Path) -> None:
    """Files of other tools and skills elsewhere are named, and one of the commands says why."""
    put(here / "CLAUDE.md", "Use spaces.")
    put(here / "GEMINI.md", "Be brief.")
    lines = alone(here)
    assert line(lines, "Not read").startswith("CLAUDE.md, GEMINI.md")
    assert "overture explain --why CLAUDE.md" in commands(lines)
    assert len(commands(lines)) == 3


def test_what_is_wrong(here: Path) -> None:
    """How many things, and the first of them with file and line, in words."""
    put(here / ".agents/skills/bad/SKILL.md", "nothing")
    put(here / ".agents/skills/worse/SKILL.md", "---\nname: worse\n---\n")
    lines = alone(here)
    wrong = line(lines, "Wrong")
    assert re.match(r"\d+ things, first \.agents/skills/bad/SKILL\.md: line 1: .*frontmatter", wrong), wrong
    assert "overture check --skills" in commands(lines)


def test_one_thing_is_wrong(here: Path) -> None:
    """One is not `1 things`."""
    put(here / "AGENTS.md", b"\xff")
    lines = alone(here)
    assert line(lines, "Wrong").startswith("AGENTS.md: line 1: byte 0xff is not UTF-8")
    assert "overture explain" in commands(lines)


def test_an_empty_folder(tmp_path: Path) -> None:
    """It says that there is nothing, what to write, and how to begin; without git, too."""
    (tmp_path / "p").mkdir()
    lines = alone(tmp_path / "p")
    assert len(lines) <= 12
    assert lines[0] == "There are no instruction files and no skills for an agent here."
    assert "AGENTS.md" in lines[1]
    assert "overture init" in commands(lines)
    assert len(commands(lines)) == 3


def test_skills_alone(tmp_path: Path) -> None:
    """A folder with skills and without instructions says both."""
    put_skill(tmp_path / "p/.agents/skills/tides")
    lines = alone(tmp_path / "p")
    assert line(lines, "Instructions") == "none; an AGENTS.md here would be read"
    assert line(lines, "Skills").endswith("tides")


def test_home(tmp_path: Path) -> None:
    """In the home directory itself it is as good, and files under home begin with ~ from elsewhere."""
    put(tmp_path / "home/AGENTS.md", "Mine.")
    put(tmp_path / "home/.agents/AGENTS.md", "Also mine.")
    lines = alone(tmp_path / "home")
    assert "AGENTS.md (" in line(lines, "Instructions")
    (tmp_path / "p").mkdir()
    assert line(alone(tmp_path / "p"), "Instructions").startswith("~/.agents/AGENTS.md (")


def test_forty_skills_and_twenty_files(tmp_path: Path) -> None:
    """Many of a kind are counted, not listed: there are never more than twelve lines, and none is endless."""
    folder = tmp_path / "p"
    for number in range(40):
        put_skill(folder / f".agents/skills/skill-{number:02}")
        put(folder / f".agents/skills/bad-{number}/SKILL.md", "nothing")
    for depth in range(12):
        folder = folder / f"d{depth}"
        put(folder / "AGENTS.md", f"Level {depth}.")
        put(folder / "CLAUDE.md", "x")
    lines = alone(folder)
    assert len(lines) <= 12
    assert all(len(each) <= 200 for each in lines)
    assert line(lines, "Skills").startswith("40 (")
    assert line(lines, "Skills").endswith("and 34 more")
    assert line(lines, "Instructions").endswith("and 8 more (52 tokens)") or "and 8 more" in line(lines, "Instructions")


def test_a_broken_configuration_is_one_line(here: Path) -> None:
    """It can't go on, and says why, with the file."""
    put(here / "overture.toml", "recipe = [\n")
    assert_refused(run(cwd=here), f"{here}/overture.toml", "it is not TOML")
    put(here / "overture.toml", 'recipe = "hose"\n')
    assert_refused(run(cwd=here), "'hose'", "Did you mean 'house'?")


def test_help_is_still_the_help(here: Path) -> None:
    """`--help` and `-h` list the commands."""
    for option in ("--help", "-h"):
        assert "See the prompt:" in run(option, cwd=here).stdout


def on_a_terminal(here: Path, columns: int, **environment: str) -> str:
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    kept = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "NO_COLOR")}
    env = {**kept, "HOME": str(here.parent / "home"), **environment}
    process = subprocess.Popen([program()], cwd=here, stdout=slave, stderr=slave, env=env)
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


@pytest.mark.parametrize("columns", [30, 60, 120])
def test_narrow_terminals(here: Path, columns: int) -> None:
    """No line is longer than the terminal is wide, so that there are never more than twelve."""
    for name in ("CLAUDE.md", "GEMINI.md", ".cursorrules"):
        put(here / name, "x" * 50)
    for number in range(20):
        put_skill(here / f".agents/skills/漢字-{number:02}")
    said = re.sub("\x1b\\[[0-9]+m", "", on_a_terminal(here, columns)).replace("\r\n", "\n").strip("\n").split("\n")
    assert len(said) <= 12
    assert all(len(each) + sum(char in "漢字" for char in each) <= columns for each in said), said


def test_colours(here: Path) -> None:
    """They are there on a terminal, and nowhere else."""
    assert "\x1b[" in on_a_terminal(here, 100)
    assert "\x1b[" not in on_a_terminal(here, 100, NO_COLOR="1")
    assert "\x1b" not in "\n".join(alone(here))


def test_names_can_not_play_with_the_terminal(tmp_path: Path) -> None:
    """Control characters of names and messages are shown, on one line."""
    put(tmp_path / "p\x1b[31m\n/AGENTS.md", "x")
    put(tmp_path / "p\x1b[31m\n/CLAUDE.md", "x")
    put(tmp_path / "p\x1b[31m\n/inner/x", "x")
    lines = alone(tmp_path / "p\x1b[31m\n/inner")
    assert len(lines) <= 12
    assert "\x1b" not in "\n".join(lines)


def test_nothing_but_what_discovery_reads(here: Path) -> None:
    """The files that it names and their numbers are those of `overture build` here."""
    from overture.assemble.build import build
    from overture.discover.disk.location import locate
    from overture.project.resolve import resolve
    from overture.report.summary import summarize
    from overture.testing import FakeWorld

    world = FakeWorld({"/p/AGENTS.md": "Tabs.", "/p/secret.txt": "x", "/p/CLAUDE.md": "Spaces."})
    project = resolve(None, locate(world=world))
    found = project.find()
    read = list(world.reads)
    told = summarize(build(project.recipe, found.state, found=found.diagnostics), found)
    assert [file.name for file in told.files] == ["/p/AGENTS.md"]
    assert list(told.unread) == ["/p/CLAUDE.md"]
    assert world.reads == read
    assert "/p/secret.txt" not in read


def test_where_something_is_wrong_there_are_three_commands_too(tmp_path: Path) -> None:
    """And one of them tells all that is wrong."""
    (tmp_path / "home").mkdir()
    (tmp_path / "p/.git").mkdir(parents=True)
    (tmp_path / "p/AGENTS.md").write_text("Mind the\u200b tide.\n", encoding="utf-8")
    said = run(cwd=tmp_path / "p", HOME=str(tmp_path / "home")).stdout
    commands = [line.split("  ")[0] for line in said.splitlines() if line.startswith("overture ")]
    assert commands == ["overture build", "overture check", "overture explain"]
