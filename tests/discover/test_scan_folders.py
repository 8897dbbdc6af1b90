"""A scan of folders ends by itself, and says where."""

import subprocess
from pathlib import Path

import pytest

from overture.discover.disk.real_world import RealWorld
from overture.discover.disk.scan_folders import FolderScan, scan_folders

SCAN = FolderScan(
    frozenset(("AGENTS.md",)), frozenset(), frozenset(), frozenset(), max_folders=20, ask_git_after=3, unknown=5
)


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
    assert (scanned.folders, scanned.max_folders, scanned.tracked) == ([], 5, False)
    assert scan_folders(RealWorld(), str(repo), SCAN._replace(unknown=11)).max_folders is None


def test_what_git_knows_is_found_however_deep_it_lies(repo: Path) -> None:
    """The index tells of all folders, and the scan is complete."""
    subprocess.run(["git", "-C", repo, "add", "-A"], check=True)
    scanned = scan_folders(RealWorld(), str(repo), SCAN)
    assert (scanned.max_folders, scanned.tracked) == (None, True)
    assert [folder for folder, _ in scanned.folders] == [f"{repo}/d8/deep"]


NAMES = (".claude", ".cursorrules", "AGENTS.md", "[odd]", "skills")
DEEP = (".claude/rules/a.md", ".claude/settings", ".cursorrules", "AGENTS.md", "[odd]", "skills/sail/SKILL.md", "o")


@pytest.mark.parametrize("name", DEEP)
def test_whatever_is_wanted_is_found_by_what_git_knows(repo: Path, name: str) -> None:
    """Hidden files and folders, names with and without an ending, folders by what they hold, odd letters."""
    path = repo / "d8" / "deep" / "down" / name
    path.parent.mkdir(parents=True)
    path.write_text("Deep.\n")
    subprocess.run(["git", "-C", repo, "add", "-A"], check=True)
    scanned = scan_folders(RealWorld(), str(repo), SCAN._replace(exact=frozenset(NAMES)))
    first, more = name.partition("/")[::2]
    wanted = [(f"{repo}/d8/deep/down", [(first, "dir" if more else "file")])] if first in NAMES else []
    assert [each for each in scanned.folders if each[0].endswith("down")] == wanted
    assert (scanned.max_folders, scanned.tracked) == (None, True)


@pytest.mark.parametrize("name", ["AGENTS.MD", "agents.md"])
def test_a_name_in_another_letter_case_is_found_by_what_git_knows(repo: Path, name: str) -> None:
    """However deep it lies: somebody took it for the other."""
    (repo / "d8" / "deep" / "AGENTS.md").rename(repo / "d8" / "deep" / name)
    subprocess.run(["git", "-C", repo, "add", "-A"], check=True)
    scanned = scan_folders(RealWorld(), str(repo), SCAN._replace(any_case=frozenset(("agents.md",))))
    assert scanned.folders == [(f"{repo}/d8/deep", [(name, "file")])]


def test_a_repository_without_any_of_the_names_is_known_to_be_one(repo: Path) -> None:
    """That git knows none of them is no reason to search the disk."""
    (repo / "d0" / "code.py").write_text("pass\n")
    subprocess.run(["git", "-C", repo, "add", "d0"], check=True)
    scanned = scan_folders(RealWorld(), str(repo), SCAN)
    assert (scanned.folders, scanned.max_folders, scanned.tracked) == ([], None, True)


def test_beside_what_git_knows_the_disk_counts(repo: Path) -> None:
    """A file that was written since, as by a fix, is found; one that was removed is not."""
    subprocess.run(["git", "-C", repo, "add", "-A"], check=True)
    (repo / "d8" / "deep" / "CLAUDE.md").symlink_to("AGENTS.md")
    names = SCAN._replace(exact=frozenset(("AGENTS.md", "CLAUDE.md")))
    assert scan_folders(RealWorld(), str(repo), names).folders == [
        (f"{repo}/d8/deep", [("AGENTS.md", "file"), ("CLAUDE.md", "link")])
    ]
    (repo / "d8" / "deep" / "AGENTS.md").unlink()
    assert scan_folders(RealWorld(), str(repo), SCAN).folders == []
