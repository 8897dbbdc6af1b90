"""Commands in folders far below others, in folders whose paths are too long, and in folders that are gone."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from overture.agents.make_reports import report_agents
from overture.discover.disk.cached_world import MIN_DEPTH
from overture.discover.disk.real_world import RealWorld
from overture.discover.disk.world import FileEntry
from overture.known_agents import AGENTS
from tests.contract.cli.run import OVERTURE, run

pytestmark = pytest.mark.slow


if sys.platform != "linux":
    pytest.skip("Other systems have other limits of paths.", allow_module_level=True)

DEEP = 3 * MIN_DEPTH
COMMANDS = ("build", "agents", "check", "explain", "trust", "state", "lock")


class CountingWorld(RealWorld):
    """The machine, with the questions that it was asked."""

    def __init__(self) -> None:
        self.questions = 0

    def look(self, path: str) -> FileEntry | None:
        self.questions += 1
        return super().look(path)

    def real(self, path: str) -> str:
        self.questions += 1
        return super().real(path)

    def names(self, path: str):  # type: ignore[no-untyped-def]
        self.questions += 1
        return super().names(path)


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


def questions(cwd: Path, home: Path) -> int:
    """How often the machine is asked what lies where, for all agents."""
    world = CountingWorld()
    reports = report_agents(everyone=True, cwd=cwd, home=home, world=world)
    assert len(reports) == len(AGENTS)
    assert any(file.path == f"{cwd}/AGENTS.md" for report in reports for file in report.files)
    return world.questions


@pytest.mark.usefixtures("here")
def test_each_folder_above_is_asked_for_once(tmp_path: Path) -> None:
    """Twice as many folders above cost a few questions each, not some for each agent and each name it looks for."""
    counts = []
    for name, depth in (("a", DEEP), ("b", 2 * DEEP)):
        (tmp_path / name / ".git").mkdir(parents=True)
        descend(tmp_path / name, "d", depth)
        Path("AGENTS.md").write_text("Moor at pier 7.\n")
        counts.append(questions(Path.cwd(), tmp_path / "home"))
    assert counts[1] - counts[0] < 6 * DEEP


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
