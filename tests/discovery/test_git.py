"""What git says of a project: only where somebody asks, whatever the repository is like; nothing of its own is run."""

import os
from pathlib import Path
from typing import Any

import pytest

import overture
from overture import Discovery
from overture.changes.name_revisions import find_git_repository
from overture.discovery import git as git_module
from overture.errors import ConfigError
from overture.model.state.agent_and_runtime import Git
from overture.testing import FakeWorld
from tests.contract.discovery.repository import Repo, git

ON = {"features.git.enabled": True}


@pytest.fixture(autouse=True)
def _nobodys_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_SYSTEM", os.devnull)


def repository(folder: Path, *subjects: str) -> Path:
    """A repository on branch main with a commit for each subject, each of which changes `a.txt`."""
    repo = Repo(folder)
    for number, subject in enumerate(subjects):
        repo.write({"a.txt": f"{number}\n"})
        repo.git("add", "a.txt")
        repo.git("commit", "-q", "--allow-empty-message", "--cleanup=verbatim", "-m", subject)
    return folder


def found(cwd: Path, recipe: Any = "house", **more: Any) -> Discovery:
    """What is discovered there, with git switched on."""
    return overture.discover(recipe, cwd=cwd, home=cwd.parent / "home", config=ON, **more)


def facts(cwd: Path) -> Git:
    """What git says there."""
    got = found(cwd)
    assert got.diagnostics == ()
    assert got.state.git is not None
    return got.state.git


def test_branch_status_and_last_commits(tmp_path: Path) -> None:
    """The branch, the changed paths in short, and the last five commits, newest first."""
    top = repository(tmp_path / "p", *(f"Commit {number}" for number in range(7)))
    (top / "a.txt").write_text("other\n")
    (top / "new.txt").write_text("new\n")
    (top / "staged.txt").write_text("new\n")
    git(top, "add", "staged.txt")
    told = facts(top)
    assert (told.root, told.branch, told.more) == (str(top), "main", 0)
    assert told.head == git(top, "rev-parse", "HEAD")
    assert told.status == (" M a.txt", "A  staged.txt", "?? new.txt")
    assert [commit.subject for commit in told.commits] == [f"Commit {number}" for number in (6, 5, 4, 3, 2)]
    assert told.commits[0].id == git(top, "rev-parse", "--short", "HEAD")


def test_off_by_default(tmp_path: Path) -> None:
    """Nobody asks git unless somebody switches it on, or where no section of the recipe would say it."""
    top = repository(tmp_path / "p", "One")
    assert overture.discover("house", cwd=top, home=tmp_path).state.git is None
    world = FakeWorld(git={"root": "/p", "branch": "main"})
    assert overture.discover("house", world=world).state.git is None
    assert overture.discover("opal", config=ON, world=world).state.git is None
    assert world.asked_git == 0
    told = overture.discover("house", config=ON, world=world).state.git
    assert told is not None and told.branch == "main"
    assert world.asked_git == 1


def test_a_huge_status_is_counted(tmp_path: Path) -> None:
    """Twenty paths are listed, the others counted; a long path and a long subject are cut."""
    top = repository(tmp_path / "p", "x" * 500)
    for number in range(70):
        (top / f"{number:03}.txt").write_text("new")
    (top / ("y" * 250)).write_text("new")
    told = facts(top)
    assert len(told.status) == 20
    assert told.more == 51
    assert told.status[0] == "?? 000.txt"
    assert len(told.commits[0].subject) == 120
    assert told.commits[0].subject.endswith("x…")


@pytest.mark.parametrize("name", [b"caf\xe9.txt", b"new\nline.txt", b"tab\t\x1b[31m.txt", "日本.txt".encode()])
def test_any_name(tmp_path: Path, name: bytes) -> None:
    """Names in any bytes are told, and reach the prompt on one line without what a terminal obeys."""
    top = repository(tmp_path / "p", "One")
    (Path(os.fsdecode(os.fsencode(top) + b"/" + name))).write_bytes(b"x")
    told = facts(top)
    assert told.status == (f"?? {name.decode('utf-8', 'replace')}",)
    said = overture.build("house", overture.State(git=told)).text
    block = said.partition("<prompt-git>\n")[2].partition("\n</prompt-git>")[0]
    assert "\x1b" not in said
    assert sum(line.startswith("?? ") for line in block.splitlines()) == 1
    assert len(block.splitlines()) == 5


@pytest.mark.parametrize("spoil", ["HEAD", "config", "objects", "index"])
def test_a_broken_repository(tmp_path: Path, spoil: str) -> None:
    """Whatever is broken in it, there is a line about it, and no exception."""
    top = repository(tmp_path / "p", "One")
    if spoil == "objects":
        for path in (top / ".git" / "objects").rglob("*"):
            if path.is_file():
                path.chmod(0o644)
                path.write_bytes(b"\0")
    else:
        (top / ".git" / spoil).write_bytes(b"\xff\0nonsense")
    got = found(top)
    assert got.state.git is None
    assert all(note.code == "git-failed" and "\n" not in str(note) for note in got.diagnostics)


def test_a_slow_git_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever takes too long is not waited for, and that is said."""
    top = repository(tmp_path / "p", "One")
    tools = tmp_path / "bin"
    tools.mkdir()
    (tools / "git").write_text("#!/bin/sh\nsleep 30 & sleep 30\n")
    (tools / "git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tools}:{os.environ['PATH']}")
    monkeypatch.setattr(git_module, "MAX_STATUS_SECONDS", 0.2)
    got = found(top)
    assert "longer than 0.2 seconds" in got.diagnostics[0].message


def hostile(top: Path, mark: Path) -> None:
    """Let the repository's own settings name programs wherever git may run one for a status or a log."""
    program = mark.parent / "program"
    program.write_text(f"#!/bin/sh\ntouch {mark}\ncat\n")
    program.chmod(0o755)
    for name in ("post-index-change", "fsmonitor-watchman", "reference-transaction"):
        hook = top / ".git" / "hooks" / name
        hook.parent.mkdir(exist_ok=True)
        hook.write_text(f"#!/bin/sh\ntouch {mark}\n")
        hook.chmod(0o755)
    with (top / ".git" / "config").open("a") as config:
        config.write(
            f"[core]\n\tfsmonitor = {program}\n\tpager = {program}\n\tsshCommand = {program}\n"
            f'[filter "evil"]\n\tclean = {program}\n\tsmudge = {program}\n\trequired = true\n'
            f'[filter "long=name.x"]\n\tprocess = {program}\n'
            f"[log]\n\tshowSignature = true\n[gpg]\n\tprogram = {program}\n"
            f'[diff "evil"]\n\ttextconv = {program}\n\tcommand = {program}\n'
            f"[pager]\n\tstatus = {program}\n\tlog = {program}\n"
            f"[include]\n\tpath = more\n"
        )
    (top / ".git" / "more").write_text(f'[filter "more"]\n\tclean = {program}\n')


@pytest.mark.parametrize("filter", ["evil", "long=name.x", "more"])
def test_nothing_of_the_repositorys_is_run(tmp_path: Path, filter: str) -> None:
    """Hooks, filters, monitors and signature programs that its settings name stay where they are."""
    top = repository(tmp_path / "p", "One", "Two")
    mark = tmp_path / "ran"
    hostile(top, mark)
    (top / ".gitattributes").write_text(f"* filter={filter} diff=evil\n")
    (top / "a.txt").write_text("1\n")  # as committed, and yet to be compared: here a filter would run
    os.utime(top / "a.txt", (1, 1))
    told = facts(top)
    assert told.status == ("?? .gitattributes",)
    assert [commit.subject for commit in told.commits] == ["Two", "One"]
    assert not mark.exists()
    git(top, "-c", "core.fsmonitor=false", "status")
    assert mark.exists()  # so would it have been


def test_no_filter_hides_behind_long_settings(tmp_path: Path) -> None:
    """Settings of which only a part would be read may name a filter in the rest: git is not asked then."""
    top = repository(tmp_path / "p", "One", "Two")
    mark = tmp_path / "ran"
    with (top / ".git" / "config").open("a") as config:
        config.write("[long]\n" + "".join(f"\tk{'x' * 30_000}{number}\n" for number in range(300)))
    hostile(top, mark)
    (top / ".gitattributes").write_text("* filter=evil\n")
    (top / "a.txt").write_text("1\n")
    os.utime(top / "a.txt", (1, 1))
    got = found(top)
    assert (got.state.git, got.diagnostics[0].message) == (
        None,
        "git can't be run: its settings are too long; fix it, or set features.git.enabled = false",
    )
    assert not mark.exists()


def test_nothing_is_fetched(tmp_path: Path) -> None:
    """A partial clone whose objects are missing is not completed: no program of a remote is run."""
    top = repository(tmp_path / "p", "One", "Two")
    mark = tmp_path / "ran"
    for key, value in {
        "core.repositoryformatversion": "1", "extensions.partialClone": "origin",
        "remote.origin.url": f"ext::touch {mark}", "remote.origin.promisor": "true", "protocol.ext.allow": "always",
    }.items():  # fmt: skip
        git(top, "config", key, value)
    oid = git(top, "rev-parse", "HEAD~1")
    (top / ".git" / "objects" / oid[:2] / oid[2:]).unlink()
    found(top)
    assert not mark.exists()


def test_the_repository_does_not_say_where_its_files_are(tmp_path: Path) -> None:
    """A repository whose settings call a folder above it its working tree tells nothing of that folder."""
    (tmp_path / "private.txt").write_text("x")
    top = repository(tmp_path / "p", "One")
    git(top, "config", "core.worktree", str(tmp_path))
    assert facts(top).status == ()


def test_the_index_is_not_written(tmp_path: Path) -> None:
    """Looking changes nothing: somebody else may be in the middle of a commit."""
    top = repository(tmp_path / "p", "One")
    os.utime(top / "a.txt", (1, 1))
    before = (top / ".git" / "index").read_bytes()
    (top / ".git" / "index.lock").write_bytes(b"")
    assert facts(top).status == ()
    assert (top / ".git" / "index").read_bytes() == before


def test_variables_of_another_git_do_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Called from a hook, where GIT_DIR is set, it still tells of the folder that it was asked for."""
    top, other = repository(tmp_path / "p", "One"), repository(tmp_path / "q", "Other")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / "nowhere"))
    assert [commit.subject for commit in facts(top).commits] == ["One"]


@pytest.mark.parametrize("key", ["[features.git]\nenabled", "[recipes.house.features.git]\nenabled"])
def test_a_project_does_not_switch_it_on(tmp_path: Path, key: str) -> None:
    """A project's own file has no say: it would let git run in whatever somebody unpacked. It may switch it off."""
    top = repository(tmp_path / "p", "One")
    (tmp_path / "home").mkdir()
    (top / "overture.toml").write_text(f"{key} = true\n")
    got = overture.discover("house", cwd=top, home=tmp_path / "home")
    assert got.state.git is None
    [note] = got.diagnostics
    assert note.code == "config-untrusted"
    assert str(note).startswith(f"warning: {top}/overture.toml: ")
    assert "features.git.enabled" in note.message and f"{tmp_path}/home/.config/overture/overture.toml" in note.message
    (top / "overture.toml").write_text(f"{key} = false\n")
    user = tmp_path / "home" / ".config" / "overture" / "overture.toml"
    user.parent.mkdir(parents=True)
    user.write_text("[features.git]\nenabled = true\n")
    got = overture.discover("house", cwd=top, home=tmp_path / "home")
    assert (got.state.git, got.diagnostics) == (None, ())


def test_the_user_the_environment_or_a_trusted_project_switches_it_on(tmp_path: Path) -> None:
    """The user's own file, a variable, or a project that the user trusts."""
    world = FakeWorld({"/home/user/.config/overture/overture.toml": "[features.git]\nenabled = true\n"},
                      git={"root": "/p", "branch": "main"})  # fmt: skip
    assert overture.discover("house", world=world).state.git is not None
    world = FakeWorld(environment={"OVERTURE_FEATURES_GIT_ENABLED": "true"}, git={"root": "/p", "branch": "main"})
    assert overture.discover("house", world=world).state.git is not None
    files = {
        "/home/user/.config/overture/overture.toml": 'trusted = ["/p"]\n',
        "/p/overture.toml": "[features.git]\nenabled = true\n",
    }
    got = overture.discover("house", world=FakeWorld(files, git={"root": "/p", "branch": "main"}))
    assert got.state.git is not None
    assert got.diagnostics == ()


def stray(tmp_path: Path, kind: str) -> Path:
    """A project whose `.git` leads to somebody else's repository."""
    other = repository(tmp_path / "other", "canary-7f3a")
    project = tmp_path / "p"
    project.mkdir()
    if kind == "file":
        (project / ".git").write_text(f"gitdir: {other}/.git\n")
    elif kind == "link":
        (project / ".git").symlink_to(other / ".git")
    elif kind == "link to a file":
        (project / "there").write_text(f"gitdir: {other}/.git\n")
        (project / ".git").symlink_to("there")
    elif kind == "worktree":
        git(other, "worktree", "add", "-q", str(tmp_path / "tree"))
        (project / ".git").write_text(f"gitdir: {other}/.git/worktrees/tree\n")
    elif kind == "shared folder":
        repository(project)
        (project / ".git/commondir").write_text(f"{other}/.git\n")
    else:
        repository(project)
        for name in ("objects", "refs"):
            (project / ".git" / name).rename(project / name)
            (project / ".git" / name).symlink_to(other / ".git" / name)
    return project


@pytest.mark.parametrize("kind", ["file", "link", "link to a file", "worktree", "shared folder", "links inside"])
def test_somebody_elses_repository_is_not_asked(tmp_path: Path, kind: str) -> None:
    """A `.git` that leads to a repository that does not name the project gives no facts, until the user says so."""
    project = stray(tmp_path, kind)
    got = found(project)
    assert got.state.git is None
    assert [note.code for note in got.diagnostics] == ["git-outside"]
    assert "--read-outside" in str(got.diagnostics[0])
    allowed = {**ON, "features.links.outside": True}
    got = overture.discover("house", cwd=project, home=tmp_path / "home", config=allowed)
    assert got.state.git is not None
    assert "canary-7f3a" in {commit.subject for commit in got.state.git.commits}


@pytest.mark.parametrize("head", [None, "nonsense"])
def test_a_damaged_repository_leads_to_no_other_above_it(tmp_path: Path, head: str | None) -> None:
    """Git would go on to the folder above, whose `.git` leads to somebody else's."""
    project = stray(tmp_path, "file")
    (project / "sub/.git/objects").mkdir(parents=True)
    (project / "sub/.git/refs").mkdir()
    if head is not None:
        (project / "sub/.git/HEAD").write_text(head)
    got = found(project / "sub")
    assert (got.state.git, [note.code for note in got.diagnostics]) == (None, [] if head else ["git-outside"])


def test_a_submodule_and_a_worktree_are_asked(tmp_path: Path) -> None:
    """What git itself made outside the folder names it back: its facts are read without a word."""
    other = repository(tmp_path / "other", "One")
    top = repository(tmp_path / "p", "Two")
    git(top, "submodule", "add", "-q", str(other), "sub")
    git(top, "worktree", "add", "-q", "-b", "side", str(tmp_path / "tree"))
    assert [commit.subject for commit in facts(top / "sub").commits] == ["One"]
    assert facts(tmp_path / "tree").branch == "side"


@pytest.mark.parametrize("kind", ["file", "worktree", "shared folder"])
def test_revisions_of_somebody_elses_repository_are_not_compared(tmp_path: Path, kind: str) -> None:
    """A difference of revisions is refused where `.git` leads to a repository that does not name the project."""
    project = stray(tmp_path, kind)
    with pytest.raises(ConfigError, match="does not name this project"):
        find_git_repository(str(project))
    if kind == "file":
        git(tmp_path / "other", "config", "core.worktree", str(project))
        assert find_git_repository(str(project)).root == str(project)
