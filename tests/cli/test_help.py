"""Every command explains itself to a stranger, and every slip is answered with what to do."""

import re
from pathlib import Path

import pytest

from overture.cli.group import COMMANDS, GROUPS
from tests.contract.cli.run import assert_refused, read_stdout, run

OURS = re.compile(r"\bpaces?\b|\bblocks?\b|\bprovenance\b|\bdiagnostics?\b|\bframes?\b", re.IGNORECASE)
"""Words that only we use."""


def test_commands_stand_by_what_one_wants() -> None:
    """`overture --help` groups them under what somebody wants, each on one line of 80 columns."""
    out = read_stdout("--help")
    for title in GROUPS:
        assert f"\n{title}:\n" in out
    assert all(len(line) <= 80 for line in out.splitlines())
    for name, about in COMMANDS.items():
        assert re.search(rf"^  {name} +{re.escape(about)}$", out, re.MULTILINE), name


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_says_what_it_answers_and_shows_how(command: str) -> None:
    """Its help opens with a sentence, has an example to copy, and no word that only we use."""
    out = read_stdout(command, "--help")
    lines = out.splitlines()
    assert re.match(r"  [A-Z].*[.:,a-z]$", lines[2]), lines[2]
    assert re.search(rf"^  overture {command}\b.* {{2,}}\S", out, re.MULTILINE), out
    assert all(len(line) <= 80 for line in lines), [line for line in lines if len(line) > 80]
    assert not OURS.search(out.replace("|pace]", "]")), OURS.search(out)


@pytest.mark.parametrize("command", ["build", "explain", "context", "check", "state", "lock"])
def test_what_a_recipe_is_is_said_where_one_can_be_given(command: str) -> None:
    """Whoever reads RECIPE for the first time learns where the names are, and which counts without one."""
    out = " ".join(read_stdout(command, "--help").split())
    assert "`overture recipes` lists" in out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["build", "--recipe", "pi"], ["--recipe", "overture build pi"]),
        (["build", "pi", "house"], ["house", "`overture build --help`"]),
        (["diff", "pi"], ["AFTER", "Pass another"]),
        (["explain", "--why"], ["--why", "`overture explain --help`"]),
        (["help"], ["`overture --help`"]),
        (["version"], ["`overture --version`"]),
        (["-v"], ["-v", "`overture --help`"]),
        (["build", "-c", "foo=1"], ["'foo'", "`overture config`"]),
        (["schema", "foo"], ["foo", "`overture schema --list`"]),
    ],
)
def test_a_slip_is_answered_with_what_to_do(words: list[str], said: list[str]) -> None:
    """One line: what is wrong, and what to write instead or where to read on."""
    assert_refused(run(*words), *said)


def test_a_file_or_a_folder_is_no_recipe(tmp_path: Path) -> None:
    """Whoever names one in place of a recipe is told which option takes it."""
    (tmp_path / "CLAUDE.md").write_text("Use tabs.\n", encoding="utf-8")
    assert_refused(
        run("explain", "CLAUDE.md", cwd=tmp_path), "'CLAUDE.md' is a file", "overture explain --why CLAUDE.md"
    )
    assert_refused(run("build", ".", cwd=tmp_path), "'.' is a directory", "--cwd .")
    assert_refused(run("context", tmp_path, cwd=tmp_path), "is a directory", f"--cwd {tmp_path}")
