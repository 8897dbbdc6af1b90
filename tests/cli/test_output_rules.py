"""The rules of output hold for every command: labels, exit codes, paths from here, and no catalogue of names."""

import json
import re
from pathlib import Path

import pytest

from overture.cli.group import COMMANDS
from tests.contract.cli.run import run

LABELS = r"(error|warning): [A-Z`].*[^.]|cause: [A-Z`].*|hint: .*|  tip: .*| --> .*| *\d* \|.*|"
BROKEN = {
    "toml": "[features\n",
    "key": "[featurez]\na = 1\n",
    "value": "recipe = 5\n",
    "recipe": 'recipe = "hous"\n',
}
READERS = (("build",), ("explain",), ("context",), ("check",), ("config",), ("recipes",))
WITH_JSON = (("explain",), ("context",), ("check",), ("check", "--explain"), ("agents",), ("tap", "list"), ("config",))


def assert_failed(folder: Path, *words: str) -> None:
    """Exit code 2, an empty standard output, and lines with labels that name no absolute path and no catalogue."""
    done = run(*words, cwd=folder, HOME=str(folder))
    assert (done.returncode, done.stdout) == (2, ""), done
    for line in done.stderr.splitlines():
        assert re.fullmatch(LABELS, line), done.stderr
        assert str(folder) not in line and line.count(", ") < 7, done.stderr
        assert not re.search(r"(?<!\w)'\w+'(?!\w)", line), done.stderr


@pytest.mark.parametrize("name", COMMANDS)
def test_a_misspelt_option_is_refused_in_every_command(tmp_path: Path, name: str) -> None:
    """It is named, with the option that is near, or with the command that lists them."""
    assert_failed(tmp_path, name, "--hepl")


@pytest.mark.parametrize("text", BROKEN.values(), ids=BROKEN)
@pytest.mark.parametrize("words", READERS, ids=" ".join)
def test_a_broken_configuration_is_shown_alike(tmp_path: Path, words: tuple[str, ...], text: str) -> None:
    """Whichever command reads it."""
    (tmp_path / "overture.toml").write_text(text)
    if words != ("recipes",) or "hous" not in text:
        assert_failed(tmp_path, *words)


@pytest.mark.parametrize("option", ["--state", "--tools"])
def test_a_file_that_cannot_be_read_is_shown_with_its_place(tmp_path: Path, option: str) -> None:
    """One that is not there, a folder, and one that is no JSON."""
    (tmp_path / "s.json").write_text("{\nnope}")
    for name in ("gone.json", ".", "s.json"):
        assert_failed(tmp_path, "build", option, name)
    assert " --> s.json:2:1\n" in run("build", option, "s.json", cwd=tmp_path).stderr


@pytest.mark.parametrize("words", WITH_JSON, ids=" ".join)
def test_an_empty_folder_is_valid_json(tmp_path: Path, words: tuple[str, ...]) -> None:
    """Empty is no error, and JSON is JSON then, too."""
    done = run(*words, "--json", cwd=tmp_path, HOME=str(tmp_path))
    assert done.returncode == 0
    json.loads(done.stdout)
