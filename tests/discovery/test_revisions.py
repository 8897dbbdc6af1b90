"""A revision of git read as a world: what discovery finds there, without a checkout and without running anything."""

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import overture
from overture import ConfigError, Discovery
from overture.changes.name_revisions import find_git_repository, find_revision
from overture.discovery import git, tree_files
from overture.discovery.tree_files import GitObjects, TreeFiles, make_revision_world
from overture.discovery.world import World
from overture.testing.worlds import NOON
from tests.contract.cli.run import assert_refused, run
from tests.contract.discovery.disk import came_of, lines, link, put, put_skill, texts
from tests.contract.discovery.repository import Repo


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository without commits in `tmp_path`/p."""
    return Repo(tmp_path / "p")


@pytest.fixture
def objects(repo: Repo) -> Iterator[GitObjects]:
    """What reads its objects."""
    with GitObjects(str(repo.folder)) as found:
        yield found


def world(repo: Repo, objects: GitObjects, name: str = "HEAD") -> World:
    repository = find_git_repository(str(repo.folder))
    tree, _ = objects.commit(find_revision(repository, name))
    return make_revision_world(repository.root, tree, NOON)


def find(repo: Repo, objects: GitObjects, name: str = "HEAD", recipe: str = "opal", cwd: str = "") -> Discovery:
    top = repo.folder.parent
    return overture.discover(
        recipe, cwd=repo.folder / cwd, root=top, home=top / "home", world=world(repo, objects, name)
    )


def test_files_are_those_of_the_revision(repo: Repo, objects: GitObjects) -> None:
    """What was changed, added and deleted since, committed or not, makes no difference."""
    repo.commit("First", {"AGENTS.md": "Use tabs."})
    repo.commit("Second", {"AGENTS.md": "Use spaces.", "OPAL.md": "Be kind."})
    repo.write({"AGENTS.md": "Use both.", "OPAL.md": None})
    assert texts(find(repo, objects, "HEAD~1")) == ["Use tabs."]
    assert texts(find(repo, objects, "HEAD")) == ["Use spaces.", "Be kind."]
    assert came_of(find(repo, objects, "HEAD~1"), repo.folder / "OPAL.md")[0] == "absent"


def test_nothing_is_written(repo: Repo, objects: GitObjects) -> None:
    """Reading a revision leaves index, files and refs as they are."""
    repo.commit("First", {"AGENTS.md": "Use tabs."})
    index = repo.folder / ".git/index"
    before = (index.read_bytes(), index.stat().st_mtime_ns, sorted(os.listdir(repo.folder / ".git")))
    find(repo, objects)
    assert (index.read_bytes(), index.stat().st_mtime_ns, sorted(os.listdir(repo.folder / ".git"))) == before


def test_nothing_outside_the_repository_is_discovered(repo: Repo, objects: GitObjects, tmp_path: Path) -> None:
    """Home and the folders above the repository hold nothing; the user's own settings count."""
    repo.commit("First", {"AGENTS.md": "In git.", "TEAM.md": "Team."})
    put(tmp_path / "AGENTS.md", "Above.")
    put_skill(tmp_path / "home/.agents/skills/tides")
    found = find(repo, objects)
    assert texts(found) == ["In git."]
    assert found.state.skills == ()
    put(tmp_path / "home/.config/overture/overture.toml", 'features.context.filenames = ["TEAM.md"]\n')
    assert texts(find(repo, objects)) == ["Team."]


def test_links_lead_where_the_revision_says(repo: Repo, objects: GitObjects, tmp_path: Path) -> None:
    """A link is followed in the tree: to another file, through a folder, out of the repository, and in a circle."""
    put(tmp_path / "elsewhere/AGENTS.md", "Elsewhere.")
    link(repo.folder / "OPAL.md", "docs/rules.md")
    link(repo.folder / ".agents/skills", "../team/skills")
    link(repo.folder / "AGENTS.md", tmp_path / "elsewhere/AGENTS.md")
    link(repo.folder / "sub/AGENTS.md", "AGENTS.md")
    put_skill(repo.folder / "team/skills/tides")
    repo.commit("First", {"docs/rules.md": "The rules."})
    (repo.folder / "OPAL.md").unlink()
    put(repo.folder / "OPAL.md", "No link any more.")
    found = find(repo, objects)
    assert texts(found) == ["The rules."]
    assert [skill.name for skill in found.state.skills] == ["tides"]
    assert came_of(found, repo.folder / "AGENTS.md")[0] == "outside"
    assert lines(find(repo, objects, cwd="sub"), repo.folder / "sub/AGENTS.md") == [
        "warning: skipped: it is a symlink loop"
    ]


def test_a_link_from_outside_leads_into_the_revision(repo: Repo, objects: GitObjects, tmp_path: Path) -> None:
    """A link under home that leads into the repository finds there what the revision holds."""
    put_skill(repo.folder / "skills/tides")
    repo.commit("First")
    link(tmp_path / "home/.agents/skills", repo.folder / "skills")
    put_skill(repo.folder / "skills/later")
    here = world(repo, objects)
    assert here.names(str(tmp_path / "home/.agents/skills")) == [("tides", "dir")]
    assert here.real(str(tmp_path / "home/.agents/skills/tides")) == str(repo.folder / "skills/tides")
    with pytest.raises(FileNotFoundError):
        here.real(str(tmp_path / "home/.agents/skills/later"))


def test_a_pointer_of_lfs_is_named_as_such(repo: Repo, objects: GitObjects) -> None:
    """The text of a pointer is nobody's instruction."""
    pointer = f"version https://git-lfs.github.com/spec/v1\noid sha256:{'ab' * 32}\nsize 12345\n"
    repo.commit("First", {"AGENTS.md": pointer})
    [line] = lines(find(repo, objects), repo.folder / "AGENTS.md")
    assert "skipped: it is a Git LFS pointer (sha256 abababab" in line


def test_a_missing_object_is_named_and_not_fetched(repo: Repo, tmp_path: Path) -> None:
    """In a partial clone nothing is fetched: the paths whose content is missing are known."""
    repo.commit("First", {"AGENTS.md": "Old."})
    repo.commit("Second", {"AGENTS.md": "New."})
    repo.git("config", "uploadpack.allowFilter", "true")
    clone = tmp_path / "q"
    repo.git("clone", "-q", "--filter=blob:none", f"file://{repo.folder}", clone)
    packs = sorted(os.listdir(clone / ".git/objects/pack"))
    repository = find_git_repository(str(clone))
    with GitObjects(repository.root) as objects:
        tree, _ = objects.commit(find_revision(repository, "HEAD~1"))
        here = make_revision_world(repository.root, tree, NOON)
        found = overture.discover("opal", cwd=clone, root=tmp_path, home=tmp_path / "home", world=here)
    assert came_of(found, clone / "AGENTS.md")[0] == "unreadable"
    assert isinstance(here.disk, TreeFiles)
    assert list(here.disk.missing) == [str(clone / "AGENTS.md")]
    assert sorted(os.listdir(clone / ".git/objects/pack")) == packs


@pytest.mark.slow
def test_a_file_that_is_too_large_is_not_loaded(repo: Repo, objects: GitObjects) -> None:
    """What the disk would not load, a revision does not load either; and what comes after it is read."""
    repo.commit("First", {"AGENTS.md": b"\0" * (64 * 1024 * 1024 + 1), "OPAL.md": "Small."})
    found = find(repo, objects)
    assert texts(found) == ["Small."]
    assert came_of(found, repo.folder / "AGENTS.md")[0] == "skipped"


HOSTILE = {
    "core.fsmonitor": "touch RAN",
    "core.pager": "touch RAN",
    "core.sshCommand": "touch RAN",
    "filter.x.smudge": "touch RAN",
    "filter.x.process": "touch RAN",
    "diff.x.textconv": "touch RAN",
    "diff.external": "touch RAN",
    "core.hooksPath": ".",
    "remote.origin.url": "ext::touch RAN",
    "remote.origin.promisor": "true",
    "remote.origin.partialclonefilter": "blob:none",
    "protocol.ext.allow": "always",
}


def test_a_repository_can_t_have_anything_run(repo: Repo, objects: GitObjects) -> None:
    """Filters, text converters, pagers, monitors, hooks and transports of a repository's own settings are not run."""
    repo.commit("First", {"AGENTS.md": "Old.", ".gitattributes": "* filter=x diff=x\n"})
    repo.commit("Second", {"AGENTS.md": "New.", "post-checkout": "#!/bin/sh\ntouch RAN\n"})
    lost = repo.git("rev-parse", "HEAD~1:AGENTS.md")
    for key, value in HOSTILE.items():
        repo.git("config", key, value)
    (repo.folder / ".git/objects" / lost[:2] / lost[2:]).unlink()
    assert came_of(find(repo, objects, "HEAD~1"), repo.folder / "AGENTS.md")[0] == "unreadable"
    assert texts(find(repo, objects)) == ["New."]
    assert not list(repo.folder.rglob("RAN"))


def test_a_git_that_never_answers_is_ended(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is a limit of time, for questions and for objects."""
    repo.commit("First", {"AGENTS.md": "x"})
    stuck = put(tmp_path / "bin/git", f"#!{sys.executable}\nimport time\ntime.sleep(60)\n")
    stuck.chmod(0o755)
    monkeypatch.setattr(git, "MAX_GIT_SECONDS", 0.2)
    monkeypatch.setenv("PATH", str(stuck.parent))
    with pytest.raises(ConfigError, match="took longer"):
        find_git_repository(str(repo.folder))
    with GitObjects(str(repo.folder)) as objects:
        with pytest.raises(OSError, match="git did not answer"):
            objects.find("0" * 40)
        with pytest.raises(OSError, match="took longer"):
            objects.tree("0" * 40)


def test_a_revision_without_all_of_its_folders_is_refused(repo: Repo) -> None:
    """With what brings them: a folder that is missing must not look as if it had never been there. None is fetched."""
    repo.commit("First", {"AGENTS.md": "Use tabs."})
    repo.commit("Second", {"AGENTS.md": "Use spaces.", "sub/AGENTS.md": "Be kind."})
    lost = repo.git("rev-parse", "HEAD:sub")
    (repo.folder / ".git/objects" / lost[:2] / lost[2:]).unlink()
    for key, value in HOSTILE.items():
        repo.git("config", key, value)
    refused = run("diff", "HEAD~1", "HEAD", cwd=repo.folder)
    assert not list(repo.folder.rglob("RAN"))
    assert_refused(refused, "'HEAD' can't be read", "does not have all of its folders", "git ls-tree -r")


def test_a_tree_without_end_is_refused(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders that hold each other's copies make a list that is longer than any repository's: it is not read."""
    repo.commit("First", {f"{name}/AGENTS.md": "Use tabs." for name in "abc"})
    monkeypatch.setattr(tree_files, "MAX_LIST_BYTES", 100)
    with GitObjects(str(repo.folder)) as objects, pytest.raises(ConfigError, match="over the limit of 100 bytes"):
        world(repo, objects)


def test_names_that_no_checkout_would_write_are_skipped(repo: Repo, objects: GitObjects) -> None:
    """`..`, `.git` and what is below them; odd names that a checkout has are there."""
    repo.commit("First", {"AGENTS.md": "Use tabs.", "a\nb/x.md": "New line.", os.fsdecode(b"caf\xe9.md"): "Latin."})
    top = repo.git("rev-parse", "HEAD^{tree}")
    odd = repo.git("hash-object", "-w", "AGENTS.md")
    entries = b"".join(b"40000 %b\0" % name + bytes.fromhex(top) for name in (b"..", b".GIT", b"good"))
    put(repo.folder / "object", b"100644 ../x.md\0" + bytes.fromhex(odd) + entries)
    tree = repo.git("hash-object", "-t", "tree", "--literally", "-w", "object")
    repo.git("update-ref", "HEAD", repo.git("commit-tree", "-m", "Bad", tree))
    here, folder = world(repo, objects), str(repo.folder)
    assert here.names(folder) == [("good", "dir")]
    names = ["AGENTS.md", "a\nb", os.fsdecode(b"caf\xe9.md")]
    assert [name for name, _ in here.names(f"{folder}/good")] == sorted(names)
    assert here.read(f"{folder}/good/a\nb/x.md") == b"New line."
