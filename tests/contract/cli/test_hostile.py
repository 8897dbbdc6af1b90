"""Whatever it is given, the command line ends with one line."""

import os
from pathlib import Path

import pytest

from .run import assert_refused, run


@pytest.mark.parametrize("command", [["build"], ["explain"], ["recipes"], ["context", "--by", "file"]])
def test_a_recipe_with_a_long_number_is_refused(tmp_path: Path, command: list[str]) -> None:
    """A number of 5,000 digits in a recipe is one line, whatever the command."""
    recipe = tmp_path / "own.toml"
    recipe.write_text(f"[[sections]]\nname = 'a'\ntext = 'b'\npriority = {'9' * 5_000}\n")
    assert_refused(run(*command, recipe, cwd=tmp_path), "own.toml", "It contains a number that is too long")


@pytest.mark.parametrize("option", ["--state", "--tools"])
@pytest.mark.parametrize("what", ["fifo", "/dev/zero", "/dev/null"])
def test_what_is_no_file_is_refused(tmp_path: Path, option: str, what: str) -> None:
    """A FIFO that nobody writes to does not hang us, and a device without end does not fill the memory."""
    if what == "fifo":
        what = f"{tmp_path}/fifo"
        os.mkfifo(what)
    assert_refused(run("build", "pi", option, what, "--no-discover"), what, "it is not a regular file")


@pytest.mark.parametrize("recipe", ["opal", "pi", "moltis", "nova", "house"])
@pytest.mark.parametrize("now", ["9999-12-31T23:59:59-12:00", "0001-01-01T00:00:00+14:00"])
def test_the_first_and_the_last_day_are_told(recipe: str, now: str) -> None:
    """A clock of the year 9999, or of the year 1, is told as it is given."""
    done = run("build", recipe, "--no-discover", "--now", now, "--set", "runtime.timezone=Pacific/Kiritimati")
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)


@pytest.mark.parametrize(
    "text",
    ['{"agent": "\\ud800"}', '{"memories": ["\\udfff"]}', '{"a": ' + "1" * 5_000 + "}", "[" * 9_000, '{"x":1,"x":2}'],
)
def test_a_state_that_means_harm_is_refused(tmp_path: Path, text: str) -> None:
    """Half a surrogate pair, a long number, a deep nest and a key that is given twice are one line each."""
    (tmp_path / "s.json").write_text(text)
    assert_refused(run("build", "pi", "--no-discover", "--state", tmp_path / "s.json"), "s.json")


def test_a_late_key_that_is_given_twice_is_named(tmp_path: Path) -> None:
    """Among twenty thousand keys the one that is given twice is found, and named."""
    keys = ",".join(f'"k{i}": 1' for i in range(20_000))
    (tmp_path / "s.json").write_text(f'{{"extra": {{{keys}, "k19999": 2}}}}')
    done = run("build", "pi", "--no-discover", "--state", tmp_path / "s.json")
    assert_refused(done, "s.json", "he key 'k19999' is given twice in one object")
    assert done.stderr.count("s.json") == 1


def test_an_error_is_as_long_as_a_person_reads(tmp_path: Path) -> None:
    """A value of a megabyte is not printed in full."""
    (tmp_path / "overture.toml").write_text(f"recipe = '{'x' * 1_000_000}'")
    done = run("build", cwd=tmp_path)
    assert_refused(done, "xxxx")
    assert len(done.stderr) < 5_000


def test_an_empty_recipe_is_refused(tmp_path: Path) -> None:
    """An empty prompt is never the answer to a file that somebody forgot to write."""
    (tmp_path / "own.toml").write_text("")
    for command in ("build", "context", "explain"):
        assert_refused(run(command, "own.toml", cwd=tmp_path), "Recipe 'own' is empty")


def test_a_prompt_without_a_word_has_a_context(tmp_path: Path) -> None:
    """A recipe may say nothing: then there are no rows."""
    (tmp_path / "own.toml").write_text('about = "Nothing yet."')
    assert run("context", "own.toml", "--no-discover", cwd=tmp_path).stdout.startswith("0 tokens")


def test_an_audit_that_reads_nothing_is_an_error(tmp_path: Path) -> None:
    """Exit code 2 has a line that begins with `error: `."""
    done = run("audit", "nope", cwd=tmp_path)
    assert done.returncode == 2 and "error: No repository could be read" in done.stderr
