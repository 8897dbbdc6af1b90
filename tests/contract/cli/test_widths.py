"""Every table fits the terminal, has headings, and says the same down a pipe without colours or cuts."""

import re
from pathlib import Path

import pytest

from .on_a_terminal import on_a_terminal, plain, width
from .run import read_stdout, run

DEEP = "a-rather-long-folder/another-one-below-it/and-a-third"
BY = ("--by", "file", "--by", "section", "--by", "pace")
COMMANDS = [
    ("explain", "house"), ("explain", "opal", "--all"), ("explain", "house", "--budget", "400"),
    ("context", "house", *BY),
    ("context", "moltis", "--by", "section"),
    ("diff", "opal", "pi"), ("recipes",), ("recipes", "house"),
    ("config",),
]  # fmt: skip


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project in a deep folder, with long names, long words, and some that take two columns a character."""
    here = tmp_path / DEEP
    for name in ("tides", "船舶の係留", "a-skill-with-a-name-that-is-as-long-as-names-of-skills-may-be-or"):
        folder = here / ".agents" / "skills" / name
        folder.mkdir(parents=True)
        about = "Looks up the tide at a berth. " * 6
        text = f"---\nname: {name}\ndescription: {about}潮の満ち引きを調べる。\n---\nBody.\n"
        (folder / "SKILL.md").write_text(text, encoding="utf-8")
    (here / "AGENTS.md").write_text("Use tabs.\n" * 40 + "</skills>\n", encoding="utf-8")
    (here / "CLAUDE.md").write_text("Use spaces.\n", encoding="utf-8")
    (tmp_path / "home").mkdir()
    return here


def at(project: Path, words: tuple[str, ...]) -> list[str | Path]:
    if words[0] == "tap":
        return [*words]
    if words[0] in ("recipes", "config"):
        return [*words, "--cwd", project]
    top = project.parents[2]
    return [*words, "--cwd", project, "--root", top, "--home", top / "home", "--now", "2026-03-07T08:55:05-06:00"]


@pytest.mark.slow(unless=("explain house-40", "explain house-60", "explain house-80", "explain house-160"))
@pytest.mark.parametrize("columns", [40, 60, 80, 160])
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_nothing_is_wider_than_the_terminal(project: Path, words: tuple[str, ...], columns: int) -> None:
    """From 40 columns on, no line of any table has to be broken by the terminal."""
    said = plain(on_a_terminal(*at(project, words), columns=columns))
    lines = [line for line in said.split("\n") if not line.startswith(("warning: ", "error: "))]
    assert len(lines) > 3, said
    wide = [line for line in lines if width(line) > columns]
    assert not wide, "\n".join(wide)


@pytest.mark.slow
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_down_a_pipe_nothing_is_cut(project: Path, words: tuple[str, ...]) -> None:
    """A program that reads it gets whole paths, no colours, and the same whatever COLUMNS says."""
    done = run(*at(project, words), COLUMNS="40")
    assert "\x1b" not in done.stdout
    assert done.stdout == run(*at(project, words), COLUMNS="200").stdout
    if words[0] == "explain":
        assert re.search(r"(?<!\S)AGENTS\.md(?!\S)", done.stdout)
    assert "…" not in done.stdout


def heads(text: str, *words: str) -> None:
    """A line of the text is a heading of columns with these words, in this order."""
    pattern = r"^ *" + r"  +".join(map(re.escape, words)) + "$"
    assert re.search(pattern, text, re.MULTILINE), text


@pytest.mark.slow
def test_tables_have_headings(project: Path) -> None:
    """Each column says what is in it; how often a section changes is in words that need no explanation."""
    stats = read_stdout(*at(project, ("context", "opal", *BY)))
    heads(stats, "source", "characters", "tokens", "share")
    heads(stats, "section", "characters", "tokens", "share")
    heads(stats, "changes", "characters", "tokens", "share")
    explain = read_stdout(*at(project, ("explain", "opal")))
    heads(explain, "outcome", "tokens", "file", "why")
    heads(explain, "changes", "tokens", "section, source and tier")
    heads(read_stdout("recipes"), "recipe", "sections", "about")
    heads(read_stdout("recipes", "opal"), "section", "changes", "reads", "content")
    heads(read_stdout(*at(project, ("config",))), "setting", "value", "from")


@pytest.mark.slow
def test_how_often_a_section_changes_is_said_in_words(project: Path) -> None:
    """`never`, `per session`, `per turn`: no word for it that only we use."""
    for words in (
        ("explain", "house"),
        ("context", "house", *BY),
        ("recipes", "house"),
    ):
        said = read_stdout(*at(project, words)).lower()
        assert not re.search(r"\bpaces?\b|\bstatic\b", said)
        assert all(each in said for each in ("never", "per session", "per turn"))


@pytest.mark.slow
def test_a_long_path_keeps_its_ends(project: Path) -> None:
    """Where there is no room for a path, its middle goes: the file's name stays."""
    said = plain(on_a_terminal(*at(project, ("context", "opal", *BY)), columns=60))
    assert re.search(r"^ +\.agents/\S*…\S*/SKILL\.md +\d", said, re.MULTILINE), said
