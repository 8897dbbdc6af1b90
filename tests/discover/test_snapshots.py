"""A tree read alone: of a commit, with and without git; and which commit a repository is at."""

import os
import subprocess
import tarfile
from pathlib import Path

import pytest

from overture.discover.revisions.git_objects import GitObjects
from overture.discover.revisions.open_snapshot import find_commit, find_identity, open_snapshot
from overture.errors import ConfigError
from tests.contract.discover.disk import link, put
from tests.contract.discover.repository import Repo


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository with a folder, a link to a file and one to a folder."""
    repo = Repo(tmp_path / "p")
    put(repo.folder / "a/b/AGENTS.md", "Use tabs.\n")
    link(repo.folder / "CLAUDE.md", "a/b/AGENTS.md")
    link(repo.folder / "x", "a")
    repo.commit("First")
    return repo


def test_a_tree_is_all_there_is(repo: Repo) -> None:
    """Links within it are followed; nothing of the machine is seen, whatever the path."""
    put(repo.folder / "new.md", "Not committed.\n")
    with open_snapshot(str(repo.folder), "checkout", "HEAD") as (commit, world):
        assert commit == repo.git("rev-parse", "HEAD")
        assert [name for name, _ in world.names("/project")] == ["CLAUDE.md", "a", "x"]
        assert world.read("/project/CLAUDE.md") == world.read("/project/x/b/AGENTS.md") == b"Use tabs.\n"
        assert world.real("/project/x/b") == "/project/a/b"
        for path in ("/project/new.md", "/etc/passwd", "/project/../etc", "/home/nobody/.x", "/project/CLAUDE.md/x"):
            assert world.look(path) is None
        for path in ("/", "/project", "/project/.git", "/project/a/./b"):
            entry = world.look(path)
            assert entry is not None and entry.kind == "dir"
        assert (world.home(), dict(world.environment())) == ("/home/nobody", {})


@pytest.mark.parametrize("packed", [False, True])
def test_packs_and_loose_objects_are_the_same(repo: Repo, packed: bool) -> None:
    """Loose objects are read without git, packed ones with it."""
    if packed:
        repo.git("gc", "-q")
    with GitObjects(str(repo.folder)) as objects:
        objects.loose = str(repo.folder / ".git/objects")
        tree, _ = objects.find(repo.git("rev-parse", "HEAD^{tree}"))
        objects.load_trees(tree)
        assert (objects.process is None) is not packed
        assert sorted(name for nodes in objects.trees.values() for name in nodes) == [
            "AGENTS.md",
            "CLAUDE.md",
            "a",
            "b",
            "x",
        ]


def test_a_damaged_loose_object_is_left_to_git(repo: Repo) -> None:
    """What is in the file is not believed."""
    blob = repo.git("rev-parse", "HEAD:a/b/AGENTS.md")
    path = repo.folder / ".git/objects" / blob[:2] / blob[2:]
    path.chmod(0o644)
    path.write_bytes(b"broken")
    with open_snapshot(str(repo.folder), "checkout", "HEAD") as (_, world), pytest.raises(OSError):
        world.read("/project/a/b/AGENTS.md")


def test_the_commit_is_found_without_git(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a branch, detached, packed, in a worktree, of a bare clone; what only git can say is None."""
    head = repo.git("rev-parse", "HEAD")
    repo.git("tag", "v1")
    repo.git("worktree", "add", "-q", "-b", "other", tmp_path / "tree")
    subprocess.run(["git", "clone", "-q", "--bare", repo.folder, tmp_path / "bare.git"], check=True)
    monkeypatch.setenv("PATH", str(tmp_path / "nothing"))
    top = str(repo.folder)
    assert [find_commit(top, name) for name in ("HEAD", "main", "v1", "other", head)] == [head] * 5
    assert find_commit(str(tmp_path / "tree")) == head
    assert find_commit(str(tmp_path / "bare.git"), bare=True) == head
    assert [find_commit(top, name) for name in ("HEAD~1", "gone", "../HEAD")] == [None] * 3
    monkeypatch.undo()
    repo.git("pack-refs", "--all")
    repo.git("checkout", "-q", "--detach")
    assert [find_commit(top, name) for name in ("HEAD", "main", "v1")] == [head] * 3
    assert find_commit(str(tmp_path / "tree")) == head
    put(repo.folder / ".git/HEAD", "ref: ../../../etc/passwd\n")
    assert find_commit(top) is None


def test_the_identity_of_a_folder_changes_with_its_files(tmp_path: Path) -> None:
    """By name, size and time; folders of others in it do not count, and links are not followed."""
    put(tmp_path / "p/AGENTS.md", "One.\n")
    first = find_identity(str(tmp_path / "p"), "folder", "HEAD")
    assert find_identity(str(tmp_path / "p"), "folder", "HEAD") == first
    Repo(tmp_path / "p/nested").commit("x", {"AGENTS.md": "Inner.\n"})
    with open_snapshot(str(tmp_path / "p"), "folder", "HEAD") as (_, world):
        assert world.names("/project/nested") == []
        assert world.submodules == {"/project/nested"}
    os.utime(tmp_path / "p/AGENTS.md", (1, 1))
    assert find_identity(str(tmp_path / "p"), "folder", "HEAD") != first


def test_a_link_in_an_archive_may_lead_to_a_name_that_is_not_utf_8(tmp_path: Path) -> None:
    """Only that link leads nowhere: all other files of the archive are there."""
    put(tmp_path / "p/AGENTS.md", "Use tabs.\n")
    link(tmp_path / "p/odd", os.fsdecode(b"caf\xe9"))
    with tarfile.open(tmp_path / "p.tar", "w") as archive:
        archive.add(tmp_path / "p", "p")
    with open_snapshot(str(tmp_path / "p.tar"), "archive", "HEAD") as (_, world):
        assert world.read("/project/AGENTS.md") == b"Use tabs.\n"
        assert world.target("/project/odd") == os.fsdecode(b"caf\xe9")


def test_a_revision_that_is_not_utf_8_names_no_commit(repo: Repo) -> None:
    """It is asked for as it is written, in bytes."""
    with pytest.raises(ConfigError, match="names no commit"), open_snapshot(str(repo.folder), "checkout", "\udcff"):
        pass


def test_git_that_was_ended_between_two_questions_is_started_again(repo: Repo) -> None:
    """It may run for a minute; a later question still has its answer."""
    with GitObjects(str(repo.folder)) as objects:
        commit = objects.find("HEAD^{commit}")
        assert objects.process is not None
        objects.process.kill()
        objects.process.wait()
        assert objects.find("HEAD^{commit}") == commit
