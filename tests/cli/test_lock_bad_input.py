"""`overture lock` with a lock, a recipe or a folder that can't be used: one line, exit 2, nothing is overwritten."""

import os
import tempfile
from pathlib import Path

import pytest

from overture.errors import ConfigError
from overture.lock.lock_file import Lock, LockedPrompt, format_lock, write_lock
from tests.contract.cli.run import assert_refused, run
from tests.contract.discovery.disk import link, put


@pytest.fixture
def here(tmp_path: Path) -> Path:
    """A project whose prompts for codex and opal are locked."""
    top = tmp_path / "p"
    put(top / "AGENTS.md", "Use tabs.\n")
    (top / ".git").mkdir()
    (tmp_path / "home").mkdir()
    assert run("lock", "codex", "opal", *at(top)).returncode == 0
    return top


def at(top: Path) -> list[str | Path]:
    return ["--cwd", top, "--home", top.parent / "home"]


@pytest.mark.slow
def test_no_lock_is_an_error_that_says_what_writes_one(here: Path) -> None:
    """CI that checks before anybody locked is told so."""
    (here / "overture.lock").unlink()
    assert_refused(run("lock", "--check", *at(here)), "No `overture.lock` here", "`overture lock` writes it")
    put(here / "overture.lock", '{"overture_lock": 1, "prompts": []}')
    assert_refused(run("lock", "--check", *at(here)), "locks nothing", "`overture lock`")


BROKEN = {
    "half": lambda text: text[: len(text) // 2],
    "a number for a text": lambda text: text.replace('"cwd": "."', '"cwd": 7', 1),
    "an unknown key": lambda text: text.replace('"cwd": ".",', '"cwd": ".", "more": 1,', 1),
    "no digest": lambda text: text.replace('"sha256": "', '"sha256": "x', 1),
    "a folder outside": lambda text: text.replace('"cwd": "."', '"cwd": "../.."', 1),
    "a folder of the machine's": lambda text: text.replace('"cwd": "."', '"cwd": "/etc"', 1),
    "twice the same": lambda text: text.replace('"recipe": "opal"', '"recipe": "codex"', 1),
    "an old version": lambda text: text.replace('"overture_lock": 1', '"overture_lock": 0', 1),
    "a version that is none": lambda text: text.replace('"overture_lock": 1', '"overture_lock": "one"', 1),
    "a very deep one": lambda text: text.replace('"prompts": [', '"prompts": ' + "[" * 100_000, 1),
}


@pytest.mark.slow
@pytest.mark.parametrize("how", BROKEN)
def test_a_broken_lock_is_refused_and_written_anew(here: Path, how: str) -> None:
    """The check says what is wrong; `overture lock` mends it, since it is ours."""
    text = (here / "overture.lock").read_text(encoding="utf-8")
    put(here / "overture.lock", BROKEN[how](text))
    assert_refused(run("lock", "--check", *at(here)), "overture.lock' is invalid", "`overture lock` writes it again")
    assert run("lock", "codex", "opal", *at(here)).returncode == 0
    assert (here / "overture.lock").read_text(encoding="utf-8") == text


@pytest.mark.slow
def test_marks_of_a_conflict_are_found_and_mended(here: Path) -> None:
    """A merge of two locks is mended by locking what both sides name."""
    good = (here / "overture.lock").read_text(encoding="utf-8")
    lines = good.splitlines()
    spot = next(index for index, line in enumerate(lines) if "sha256" in line)
    for at_line in (spot, 1):  # also at the line of the version
        marked = lines[:]
        marked[at_line : at_line + 1] = ["<<<<<<< HEAD", lines[at_line], "=======", lines[at_line], ">>>>>>> branch"]
        put(here / "overture.lock", "\n".join(marked) + "\n")
        place = f"overture.lock:{at_line + 1}: "
        assert_refused(run("lock", "--check", *at(here)), place, "merge conflict", "writes it again")
        assert run("lock", *at(here)).returncode == 0
        assert (here / "overture.lock").read_text(encoding="utf-8") == good


@pytest.mark.slow
@pytest.mark.parametrize("words", [["--check"], [], ["codex"], ["--remove", "codex"]], ids=" ".join)
def test_a_newer_lock_is_left_alone(here: Path, words: list[str]) -> None:
    """An older Overture neither checks nor overwrites it."""
    newer = '{\n "overture_lock": 2,\n "all": "new"}\n'
    put(here / "overture.lock", newer)
    assert_refused(run("lock", *words, *at(here)), "version 2", "Update Overture")
    assert (here / "overture.lock").read_text(encoding="utf-8") == newer


@pytest.mark.parametrize("text", ["", "[[package]]\nname = 'x'\n", '{"lockfileVersion": 3}', "\x00\x01", "[]"])
@pytest.mark.parametrize("words", [["--check"], ["codex"]], ids=" ".join)
def test_a_file_that_is_no_lock_of_ours_is_never_overwritten(here: Path, text: str, words: list[str]) -> None:
    """Whatever lies there under the name stays as it is."""
    put(here / "overture.lock", text)
    assert_refused(run("lock", *words, *at(here)), "is not an Overture lock file", "Move it away")
    assert (here / "overture.lock").read_text(encoding="utf-8") == text


@pytest.mark.slow
@pytest.mark.parametrize("words", [["--check"], ["codex"]], ids=" ".join)
def test_a_folder_or_a_link_that_leaves_the_project_is_refused(here: Path, words: list[str]) -> None:
    """Nothing is written to where a link leads; a link within the project is followed."""
    good = (here / "overture.lock").read_text(encoding="utf-8")
    (here / "overture.lock").unlink()
    (here / "overture.lock").mkdir()
    assert_refused(run("lock", *words, *at(here)), "overture.lock' is a folder")
    (here / "overture.lock").rmdir()
    put(here.parent / "theirs", good)
    link(here / "overture.lock", here.parent / "theirs")
    assert_refused(run("lock", *words, *at(here)), "leads out of the project")
    assert (here.parent / "theirs").read_text(encoding="utf-8") == good
    (here / "overture.lock").unlink()
    put(here / "locks/overture.lock", good)
    link(here / "overture.lock", "locks/overture.lock")
    assert run("lock", *words, *at(here)).returncode == 0
    assert (here / "overture.lock").is_symlink()
    (here / "overture.lock").unlink()
    os.mkfifo(here / "overture.lock")
    assert_refused(run("lock", *words, *at(here)), "not a regular file")


@pytest.mark.slow
def test_a_folder_that_may_not_be_written_to_is_an_error() -> None:
    """The old lock stays whole, and nothing is left beside it."""
    with tempfile.TemporaryDirectory() as name:
        old = put(Path(name, "overture.lock"), format_lock(Lock()))
        Path(name).chmod(0o555)
        child = os.fork()
        if child == 0:  # root may write everywhere, so somebody else tries
            if os.geteuid() == 0:
                os.setuid(65534)
            os._exit("can't be written: permission denied" not in failure(name))
        assert os.waitpid(child, 0)[1] == 0
        Path(name).chmod(0o755)
        assert old.read_text(encoding="utf-8") == format_lock(Lock())
        assert os.listdir(name) == ["overture.lock"]


def failure(top: str) -> str:
    """What is said when a lock can't be written."""
    try:
        write_lock(top, Lock((LockedPrompt("opal", ".", "estimate"),)))
    except ConfigError as problem:
        return str(problem)
    return ""


@pytest.mark.slow
def test_what_others_do_not_have_is_not_locked(here: Path) -> None:
    """A recipe outside the project, one of the user's own settings, or a saved file is no recipe of the project's."""
    put(here.parent / "mine.toml", 'name = "mine"\n[[sections]]\nname = "words"\ntext = "Hello."\n')
    assert_refused(run("lock", here.parent / "mine.toml", *at(here)), "is outside the project")
    put(here.parent / "home/.config/overture/overture.toml", '[recipes.mine]\nextends = "opal"\n')
    assert_refused(run("lock", "mine", *at(here)), "your own settings", "overture.toml")
    put(here / "state.json", "{}")
    assert_refused(run("lock", here / "state.json", *at(here)), "is a saved file, not a recipe")
