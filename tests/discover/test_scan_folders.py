"""A scan of folders ends by itself, and says where."""

import subprocess
from pathlib import Path

import pytest

from overture.discover.disk.scan_folders import Scan, scan_folders
from overture.discover.disk.world import RealWorld

SCAN = Scan(frozenset(("AGENTS.md",)), frozenset(), frozenset(), frozenset(), most=20, few=3, unknown=5)


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository of eleven folders, with a file in the last of them."""
    for number in range(9):
        (tmp_path / f"d{number}").mkdir()
    (tmp_path / "d8" / "deep").mkdir()
    (tmp_path / "d8" / "deep" / "AGENTS.md").write_text("Deep.\n")
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    return tmp_path


def test_where_git_knows_no_file_fewer_folders_are_looked_into_and_that_is_told(repo: Path) -> None:
    """Nobody waits for a disk to be searched; where it was left off is known."""
    scanned = scan_folders(RealWorld(), str(repo), SCAN)
    assert (scanned.folders, scanned.most, scanned.tracked) == ([], 5, False)
    assert scan_folders(RealWorld(), str(repo), SCAN._replace(unknown=11)).most is None


def test_what_git_knows_is_found_however_deep_it_lies(repo: Path) -> None:
    """The index tells of all folders, and the scan is complete."""
    subprocess.run(["git", "-C", repo, "add", "-A"], check=True)
    scanned = scan_folders(RealWorld(), str(repo), SCAN)
    assert (scanned.most, scanned.tracked) == (None, True)
    assert [folder for folder, _ in scanned.folders] == [f"{repo}/d8/deep"]
