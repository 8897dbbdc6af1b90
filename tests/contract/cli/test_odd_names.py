"""Names of files and folders that are not UTF-8, and folders far below others: every command answers."""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from .run import run

if sys.platform != "linux":
    pytest.skip("Other systems refuse such names.", allow_module_level=True)

COMMANDS = (
    ("agents",), ("agents", "--fix"), ("agents", "--skills"), ("agents", "--why", "AGENTS.md"),
    ("agents", "--json"), ("agents", "claude-code"), ("agents", "--files"), ("agents", "claude-code", "--markdown"),
    ("agents", "diff", "codex", "claude-code", "--json"), ("build", "claude-code"),
    ("build", "house", "--format", "json"),
    ("explain", "claude-code", "--json"), ("context", "claude-code", "--json"), ("state", "claude-code"),
    ("check", "--json"), ("serve", "claude-code", "--save", "page.html"),
)  # fmt: skip


@pytest.fixture
def odd(tmp_path: Path) -> Path:
    """A project with a rule, a skill and a folder whose names are bytes that no text is."""
    project = os.fsencode(tmp_path) + b"/p"
    for folder in (b"/.git", b"/.claude/rules", b"/.agents/skills/\xe9", b"/d\xe9p", b"/home"):
        os.makedirs(project + folder)
    for name in (b"/AGENTS.md", b"/.claude/rules/\xff\xfe.md", b"/d\xe9p/CLAUDE.md"):
        with open(project + name, "wb") as file:  # noqa: PTH123
            file.write(b"Moor at pier 7.\n")
    with open(project + b"/.agents/skills/\xe9/SKILL.md", "wb") as file:  # noqa: PTH123
        file.write(b"---\nname: berth\ndescription: Finds a berth.\n---\nLook in berths.toml.\n")
    return tmp_path / "p"


@pytest.mark.slow
@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_a_name_that_is_not_utf_8_is_shown(odd: Path, words: tuple[str, ...]) -> None:
    """No command fails on it, whether it is a file's name or the folder in which the command is run."""
    for cwd in (os.fsencode(odd), os.fsencode(odd) + b"/d\xe9p"):
        done = run(*words, "--home", odd / "home", cwd=Path(os.fsdecode(cwd)))
        # What `check` can't look at is no success.
        wrong = [line for line in done.stderr.splitlines() if "error:" in line and "its name is not UTF-8" not in line]
        assert done.returncode in ((0, 1, 2) if words[0] == "check" else (0, 1)) and not wrong, done.stderr
        assert "Traceback" not in done.stderr


def test_such_a_file_is_told_once(odd: Path) -> None:
    """What an agent reads is not listed a second time as unread under another spelling of its name."""
    done = run("agents", "claude-code", "--json", "--home", odd / "home", cwd=odd)
    files = json.loads(done.stdout)["agents"][0]["files"]
    named = [file["path"] for file in files if "rules" in file["path"]]
    assert named == [".claude/rules/\ufffd\ufffd.md"]


@pytest.mark.slow
def test_a_folder_of_such_a_name_can_be_trusted(odd: Path) -> None:
    """Its settings are approved by their path, in any bytes, and count then."""
    cwd = Path(os.fsdecode(os.fsencode(odd) + b"/d\xe9p"))
    (cwd / "overture.toml").write_text('extensions = ["x.py:setup"]\n')
    (cwd / "x.py").write_text("def setup(session): pass\n")
    (cwd / ".git").mkdir()
    for words in (("trust", "--yes"), ("trust",)):
        done = run(*words, "--home", odd / "home", cwd=cwd, XDG_STATE_HOME="")
        assert (done.returncode, done.stderr) == (0, "")
    assert "unknown" not in done.stdout


@pytest.mark.slow
def test_a_machine_with_such_names_has_a_state(odd: Path) -> None:
    """The names of shell and time zone are written as paths are."""
    done = run("state", "moltis", "--home", odd / "home", cwd=odd, SHELL="/bin/\udcff", TZ="Europe/\udcff")
    runtime = json.loads(done.stdout)["runtime"]
    assert (runtime["shell"], runtime["timezone"]) == ("\ufffd", "Europe/\ufffd")


@pytest.fixture
def far_below(tmp_path: Path) -> Iterator[Path]:
    """A project with 1,500 folders within each other; they are removed from below, for rmtree would call itself."""
    (tmp_path / ".git").mkdir()
    (tmp_path / "AGENTS.md").write_text("Moor at pier 7.\n")
    here = os.getcwd()
    os.chdir(tmp_path)
    try:
        for _ in range(1_500):
            os.mkdir("d")
            os.chdir("d")
        Path("AGENTS.md").write_text("Deep.\n")
        yield tmp_path
        Path("AGENTS.md").unlink()
        for _ in range(1_500):
            os.chdir("..")
            os.rmdir("d")
    finally:
        os.chdir(here)


@pytest.mark.slow
def test_a_folder_far_below_is_read(far_below: Path) -> None:
    """A project with 1,500 folders within each other is looked through like any other."""
    for words in (("agents", "codex"), ("build", "codex"), ("agents", "--files")):
        done = run(*words, "--home", far_below, cwd=far_below)
        assert done.returncode == 0, done.stderr
