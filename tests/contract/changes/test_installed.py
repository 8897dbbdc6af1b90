"""The hooks and the action, installed from a clone as pre-commit and a runner do. It needs a package index."""

import subprocess
import sys
from pathlib import Path

import pytest

from ..discovery.repository import Repo
from .runner import PROJECT, Runner

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", autouse=True)
def index(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Skip where no package can be fetched."""
    folder = tmp_path_factory.mktemp("index")
    for words in (["venv", str(folder / "v")], ["pip", "download", "--no-deps", "-q", "-d", str(folder), "hatchling"]):
        python = sys.executable if words[0] == "venv" else str(folder / "v" / "bin" / "python")
        done = subprocess.run([python, "-m", *words], capture_output=True, text=True, check=False)
        if done.returncode:
            pytest.skip(f"no package index: {done.stderr[-200:]}")


def test_try_repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`pre-commit try-repo` installs both hooks; they pass, and the lock's fails once a file has moved."""
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "cache"))
    subprocess.run(["git", "clone", "-q", PROJECT, tmp_path / "hooks"], check=True)
    repo = Repo(tmp_path / "p")
    repo.commit("First", {"AGENTS.md": "Use tabs.\n"})
    lock = [sys.executable, "-m", "overture", "lock", "codex"]
    subprocess.run(lock, cwd=repo.folder, check=True, capture_output=True)
    repo.commit("Lock")
    words = [sys.executable, "-m", "pre_commit", "try-repo", str(tmp_path / "hooks"), "--all-files"]
    done = subprocess.run(words, cwd=repo.folder, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.count("...Passed")) == (0, 2), done.stdout + done.stderr
    repo.write({"AGENTS.md": "Use spaces.\n"})
    done = subprocess.run(words, cwd=repo.folder, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "codex: AGENTS.md changed" in done.stdout, done.stdout + done.stderr


def test_the_action_installs_itself(tmp_path: Path) -> None:
    """The first step installs Overture from the action's checkout, and what is installed writes the report."""
    subprocess.run(["git", "clone", "-q", PROJECT, tmp_path / "action"], check=True)
    repo = Repo(tmp_path / "p")
    first = repo.commit("First", {"AGENTS.md": "Use tabs.\n"})
    runner = Runner(repo, tmp_path / "job", {"agents": "codex"}, installed=False)
    runner.variables["GITHUB_ACTION_PATH"] = str(tmp_path / "action")
    runner.request(first, repo.commit("Second", {"AGENTS.md": "Use spaces.\n"}))
    done = runner.run("Install Overture")
    assert done.returncode == 0, done.stderr
    done = runner.run("Check and compare")
    assert (done.returncode, done.stderr) == (0, "")
    assert "| Codex |" in runner.report
