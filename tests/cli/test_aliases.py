"""Hidden aliases: names that commands had. Each prints what the new command prints, and is in no list."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from overture.cli.group import ALIASES, COMMANDS, overture
from tests.contract.cli.run import run

PLACE = ("--no-discover", "--set", "runtime.cwd=/p", "--now", "2026-03-07T08:55:05-06:00")
PAIRS = [
    (("stats", "opal"), ("context", "opal", "--by", "file", "--by", "section", "--by", "pace")),
    (("stats", "moltis", "--json"), ("context", "moltis", "--by", "pace", "--json")),
    (
        ("stats", "opal", "--svg", "-"),
        ("context", "opal", "--by", "section", "--by", "file", "--by", "pace", "--svg", "-"),
    ),
    (("compare", "opal", "pi", "house"), ("diff", "opal", "pi", "house", "--facts")),
    (("compare", "opal", "pi", "--json"), ("diff", "--facts", "--json", "opal", "pi")),
    (("skills", "opal"), ("check", "opal", "--skills")),
    (("skills", "--json"), ("check", "--skills", "--format", "json")),
    (("lint", "opal"), ("check", "opal")),
    (("stats", "nosuch"), ("context", "nosuch", "--by", "file")),
    (("compare", "nosuch", "pi"), ("diff", "nosuch", "pi", "--facts")),
]


@pytest.mark.parametrize(("old", "new"), PAIRS)
def test_an_alias_prints_what_the_command_prints(old: tuple[str, ...], new: tuple[str, ...]) -> None:
    """The same bytes on both streams, and the same exit code."""
    before, after = run(*old, *PLACE), run(*new, *PLACE)
    assert (before.stdout, before.stderr, before.returncode) == (after.stdout, after.stderr, after.returncode)
    assert before.stdout or before.returncode


def test_a_report_is_the_page_that_serve_saves(tmp_path: Path) -> None:
    """Into a file, or to standard output where that is piped."""
    old, new = tmp_path / "old.html", tmp_path / "new.html"
    assert run("report", "opal", "-o", old, *PLACE).returncode == 0
    assert run("serve", "opal", "--save", new, *PLACE).returncode == 0
    piped = run("report", "opal", *PLACE).stdout
    texts = (old.read_text("utf-8"), new.read_text("utf-8"), piped)
    first, second, third = (text.partition('"at":"')[2][30:].rstrip("\n") for text in texts)  # behind when it was made
    assert len(first) > 10_000 and first == second == third


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("context", "--by", "file", "--model", "gpt-5.4"), "--by counts only the prompt"),
        (("diff", "opal", "pi", "--facts", "--rev"), "`--facts` and `--rev` can't be combined"),
        (("diff", "opal", "--facts"), "`--facts` compares two recipes or more"),
        (("compare", "opal"), "`--facts` compares two recipes or more"),
        (("diff", "opal", "pi", "--recipe", "house"), "`opal` is a recipe, so `--recipe` has no meaning"),
        (("diff", "opal", "pi", "house"), "Got unexpected extra argument (house)"),
        (("serve", "--save", "page.html", "--port", "0"), "`--save` and `--port` can't be combined"),
        (("serve", "--with-files"), "`--with-files` needs `--save`"),
        (("check", "--skills", "--fix"), "`--skills` and `--fix` can't be combined"),
        (("check", "--skills", "--format", "sarif"), "`--skills` and `--format sarif` can't be combined"),
        (("check", "--list", "--fix"), "`--list` and `--fix` can't be combined"),
        (("check", "--explain", "secret", "--strict"), "`--explain` and `--strict` can't be combined"),
        (("check", "--json", "--format", "github"), "`--json` and `--format` can't be combined"),
        (("check", "--yes"), "`--yes` needs `--fix`"),
        (("agents", "diff", "codex", "zed", "--files"), "`diff` and `--files` can't be combined"),
        (("agents", "diff", "codex", "zed", "--skills"), "`diff` and `--skills` can't be combined"),
        (("agents", "diff", "codex", "zed", "--why", "AGENTS.md"), "`diff` and `--why` can't be combined"),
        (("agents", "diff", "codex", "zed", "--fix"), "`diff` and `--fix` can't be combined"),
        (("trust", "--list", "--remove"), "`--list` and `--remove` can't be combined"),
        (("trust", "--list", "."), "`--list` and `PATH` can't be combined"),
        (("trust", "--remove", "--yes"), "`--remove` and `--yes` can't be combined"),
        (("agents", "--files", "--skills"), "`--files` and `--skills` can't be combined"),
        (("agents", "--why", "AGENTS.md", "--fix"), "`--why` and `--fix` can't be combined"),
        (("agents", "--undo"), "`--undo` needs `--fix`"),
        (("tap", "--demo", "--dry-run"), "`--demo` and `--dry-run` can't be combined"),
        (("tap", "--upstream", "foo", "--", "true"), "Upstream `foo` is not a URL"),
        (("watch", "--times", "-1"), "Invalid value for `--times`"),
        (("agents", "--skills", "--fix"), "`--skills` and `--fix` can't be combined"),
    ],
)
def test_options_that_do_not_go_together(words: tuple[str, ...], said: str) -> None:
    """They are an error in one line, and nothing is written."""
    done = run(*words)
    assert (done.returncode, done.stdout) == (2, "") and said in done.stderr and done.stderr.count("error: ") == 1


def test_an_alias_is_in_no_list() -> None:
    """Neither in the help, nor in what a shell completes, nor in a suggestion; each stands for a command."""
    context = overture.make_context("overture", [])
    listed = overture.list_commands(context)
    words = CliRunner().invoke(overture, ["--help"]).output.split()
    assert not set(ALIASES) & {*listed, *words}
    assert "'stats'" not in run("stat").stderr
    assert {words[0] for words in ALIASES.values()} <= set(COMMANDS)


def test_agents_skills_is_the_grid_of_skills_alone(tmp_path: Path) -> None:
    """Each skill with the agents that list it, and no other file."""
    (tmp_path / ".agents/skills/tide").mkdir(parents=True)
    (tmp_path / ".agents/skills/tide/SKILL.md").write_text("---\nname: tide\ndescription: Tides.\n---\nLook.\n")
    (tmp_path / "AGENTS.md").write_text("Be brief.\n")
    done = run("agents", "--skills", "codex", "--cwd", tmp_path, "--home", tmp_path / "..", "--root", tmp_path)
    assert done.returncode == 0 and "tide/SKILL.md" in done.stdout and "AGENTS.md" not in done.stdout
