"""Commands in folders far below others, in folders whose paths are too long, and in folders that are gone."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.contract.cli.run import OVERTURE, run

pytestmark = pytest.mark.slow


if sys.platform != "linux":
    pytest.skip("Other systems have other limits of paths.", allow_module_level=True)

COMMANDS = ("build", "agents", "check", "explain", "trust", "state", "lock")


def descend(top: Path, name: str, depth: int) -> None:
    """Make folders within each other, and go to the innermost."""
    os.chdir(top)
    for _ in range(depth):
        os.mkdir(name)
        os.chdir(name)


@pytest.fixture
def here() -> Iterator[None]:
    """The working directory, left as it was."""
    before = os.getcwd()
    yield
    os.chdir(before)


@pytest.mark.usefixtures("here")
def test_skill_folders_that_are_not_there_are_not_too_many(tmp_path: Path) -> None:
    """800 folders above, each without the three folders in which skills lie, give no warning."""
    (tmp_path / ".git").mkdir()
    descend(tmp_path, "d", 800)
    Path("AGENTS.md").write_text("Moor at pier 7.\n")
    (tmp_path / "home").mkdir()
    done = run("build", "--home", tmp_path / "home", cwd=Path.cwd())
    assert (done.returncode, done.stderr) == (0, "")
    assert "Moor at pier 7." in done.stdout


@pytest.mark.usefixtures("here")
@pytest.mark.parametrize("kind", ["gone", "too long", "nearly too long"])
def test_a_folder_that_no_path_leads_to_is_an_error_of_one_line(tmp_path: Path, kind: str) -> None:
    """Every command says in one short line that the folder is gone, or that its path or one in it is too long."""
    home = tmp_path / "home"
    home.mkdir()
    if kind == "nearly too long":
        depth, rest = divmod(4090 - len(str(tmp_path)), 201)
        descend(tmp_path, "n" * 200, depth)
        descend(Path(), "n" * max(rest - 1, 1), 1)
    else:
        descend(tmp_path, "n" * 200 if kind == "too long" else "d", 30 if kind == "too long" else 1)
    if kind == "gone":
        os.rmdir(tmp_path / "d")
    for command in COMMANDS:
        done = subprocess.run(
            [OVERTURE, command], env={**os.environ, "HOME": str(home)}, capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout, done.stderr.count("error: ")) == (2, "", 1), (command, done.stderr)
        assert ("no longer exists" if kind == "gone" else "too long") in done.stderr
        assert "output" not in done.stderr
        assert len(done.stderr) < 300
