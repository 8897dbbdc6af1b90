"""A tree read alone: of a commit, with and without git; and which commit a repository is at."""

import os
import subprocess
import tarfile
from pathlib import Path

import pytest

from overture.discover.revisions.open_snapshot import find_commit, open_snapshot
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


def test_a_link_in_an_archive_may_lead_to_a_name_that_is_not_utf_8(tmp_path: Path) -> None:
    """Only that link leads nowhere: all other files of the archive are there."""
    put(tmp_path / "p/AGENTS.md", "Use tabs.\n")
    link(tmp_path / "p/odd", os.fsdecode(b"caf\xe9"))
    with tarfile.open(tmp_path / "p.tar", "w") as archive:
        archive.add(tmp_path / "p", "p")
    with open_snapshot(str(tmp_path / "p.tar"), "archive", "HEAD") as (_, world):
        assert world.read("/project/AGENTS.md") == b"Use tabs.\n"
        assert world.target("/project/odd") == os.fsdecode(b"caf\xe9")
