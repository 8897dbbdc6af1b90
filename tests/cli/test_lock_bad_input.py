"""`overture lock` with a lock, a recipe or a folder that can't be used: one line, exit 2, nothing is overwritten."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

import pytest

from overture.errors import ConfigError
from overture.lock.lock_file import Lock, LockedPrompt, format_lock, write_lock
from tests.contract.cli.run import assert_refused, run
from tests.contract.discover.disk import link, put


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
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["unix", "windows"])
def test_a_conflict_keeps_every_prompt_with_its_tokenizer(here: Path, end: str) -> None:
    """Also where git checks files out with the line ends of Windows: none is dropped, none is counted otherwise."""
    assert run("lock", "codex", "--tokenizer", "cl100k", *at(here)).returncode == 0
    good = (here / "overture.lock").read_text(encoding="utf-8")
    assert good.count("cl100k") == 1
    lines = good.splitlines()
    spot = next(index for index, line in enumerate(lines) if "sha256" in line)
    lines[spot : spot + 1] = ["<<<<<<< HEAD", lines[spot], "=======", lines[spot], ">>>>>>> branch"]
    (here / "overture.lock").write_bytes("".join(line + end for line in lines).encode())
    assert_refused(run("lock", "--check", *at(here)), "merge conflict", "writes it again")
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
def test_a_recipe_that_is_no_longer_there_is_named_and_taken_out(here: Path) -> None:
    """The check is 1 and says so; a lock without names takes it out and says so too."""
    put(here / "overture.toml", '[recipes.desk]\nextends = "opal"\n')
    assert run("lock", "desk", *at(here)).returncode == 0
    (here / "overture.toml").unlink()
    done = run("lock", "--check", *at(here))
    assert (done.returncode, "desk: the recipe no longer exists" in done.stdout) == (1, True)
    assert_refused(run("lock", "desk", *at(here)), "named 'desk'")
    done = run("lock", *at(here))
    assert (done.returncode, "desk: the recipe no longer exists" in done.stdout) == (0, True)
    names = [prompt["recipe"] for prompt in json.loads((here / "overture.lock").read_bytes())["prompts"]]
    assert names == ["codex", "opal"]
    assert run("lock", "--check", *at(here)).returncode == 0


@pytest.mark.slow
@pytest.mark.parametrize("words", [["codx"], ["--check", "codx"]], ids=" ".join)
def test_an_unknown_recipe_is_answered_with_the_nearest(here: Path, words: list[str]) -> None:
    """A slip is told what was meant, and nothing is written."""
    before = (here / "overture.lock").read_bytes()
    assert_refused(run("lock", *words, *at(here)), "named 'codx'", "exists: `codex`")
    assert (here / "overture.lock").read_bytes() == before


@pytest.mark.slow
def test_what_others_do_not_have_is_not_locked(here: Path) -> None:
    """A recipe outside the project, one of the user's own settings, or a saved file is no recipe of the project's."""
    put(here.parent / "mine.toml", 'name = "mine"\n[[sections]]\nname = "words"\ntext = "Hello."\n')
    assert_refused(run("lock", here.parent / "mine.toml", *at(here)), "is outside the project")
    put(here.parent / "home/.config/overture/overture.toml", '[recipes.mine]\nextends = "opal"\n')
    assert_refused(run("lock", "mine", *at(here)), "your own settings", "overture.toml")
    put(here / "state.json", "{}")
    assert_refused(run("lock", here / "state.json", *at(here)), "is a saved file, not a recipe")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--check", "--remove", "codex"], "Omit one of them"),
        (["--remove"], "Pass them"),
        (["--remove", "pi"], "Locked: codex, opal"),
        (["--cwd", "/nowhere"], "is not a directory"),
        (["--home", "/nowhere"], "is not a directory"),
        (["--root", "/etc"], "not at or above"),
        (["--tokenizer", "o20k"], "'o20k'"),
        (["--check", "--tokenizer", "cl100k"], "locked with --tokenizer o200k"),
    ],
)
def test_a_slip_is_answered_in_one_line(here: Path, words: list[str], said: str) -> None:
    """What excludes each other, is missing or is not there."""
    assert_refused(run("lock", *at(here), *words), said)


@pytest.mark.slow
def test_names_that_are_not_utf_8_are_locked_and_told(here: Path) -> None:
    """A skill in a folder whose name is no text: locked, compared and told, in words and in JSON."""
    folder = os.fsencode(here) + b"/.agents/skills/t\xffdes"
    os.makedirs(folder)
    text = "---\nname: tides\ndescription: Looks up the tide.\n---\n"
    Path(os.fsdecode(folder), "SKILL.md").write_text(text, encoding="utf-8")
    for words in ([], ["--json"]):
        done = run("lock", "codex", *words, *at(here))
        assert (done.returncode, done.stderr) == (0, "")
    Path(os.fsdecode(folder), "SKILL.md").write_text(text + "More.\n", encoding="utf-8")
    for words in ([], ["--json"]):
        done = run("lock", "--check", *words, *at(here))
        assert (done.returncode, "tides" in done.stdout) == (1, True)
        assert words or done.stderr.startswith("error: 1 prompt differs from the lock\n")


@pytest.mark.slow
def test_a_broken_configuration_is_an_error_and_no_change(here: Path) -> None:
    """A check that can't build says why: 2, not 1; the file is called by the path that it has here."""
    put(here / "overture.toml", "recipe = \n")
    assert_refused(run("lock", "--check", *at(here)), "p/overture.toml: invalid TOML: Invalid value")
    put(here / "overture.toml", "")
    put(here / "project/desk.toml", "name = 'desk'\nsections = 7\n")
    assert_refused(run("lock", here / "project/desk.toml", *at(here)), "desk")
    put(here / ".gitignore", "project\n")
    subprocess.run(["git", "init", "-q", here], check=True)
    put(here / "project/desk.toml", 'name = "desk"\n[[sections]]\nname = "words"\ntext = "Hello."\n')
    assert_refused(
        run("lock", here / "project/desk.toml", *at(here)), "project/desk.toml is ignored by git", ".gitignore"
    )
