"""Commands go on where HOME is relative, empty, a file, or not there at all."""

import os
import pwd
from pathlib import Path

import pytest

from overture.discovery.paths import find_home
from tests.contract.cli.run import run

HOMES = ("../home", "", "../file", "../missing")
COMMANDS = (
    (),
    ("agents",),
    ("check",),
    ("build", "house"),
    ("explain", "--why", "AGENTS.md"),
    ("config",),
    ("trust",),
    ("tap", "list"),
)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with one instruction file, beside a home and a file."""
    (tmp_path / "home").mkdir()
    (tmp_path / "file").write_text("no folder\n")
    (tmp_path / "project").mkdir()
    (tmp_path / "project/AGENTS.md").write_text("# Rules\n\nUse tabs.\n")
    return tmp_path / "project"


@pytest.mark.slow
@pytest.mark.parametrize("home", HOMES)
def test_every_command_goes_on(project: Path, home: str) -> None:
    """No command fails, prints a traceback or writes into the project."""
    environment = dict.fromkeys(("XDG_CACHE_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME"), str(project.parent / "xdg"))
    variables = {"HOME": home, **({} if home else environment)}
    for words in COMMANDS:
        result = run(*words, cwd=project, **variables)
        assert "Traceback" not in result.stderr and result.returncode in (0, 1), (words, result.stderr)
    assert os.listdir(project) == ["AGENTS.md"]


def test_a_relative_home_is_made_absolute(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It starts at the current folder; an empty one is the home that the system has for this user."""
    monkeypatch.chdir(project)
    monkeypatch.setenv("HOME", "../home/")
    assert find_home() == str(project.parent / "home")
    monkeypatch.setenv("HOME", "")
    assert find_home() == os.path.abspath(pwd.getpwuid(os.getuid()).pw_dir)
