"""A revision of git read as a world: what discovery finds there, without a checkout and without running anything."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import overture
from overture import ConfigError, Discovery
from overture.discover import run_git
from overture.discover.disk.working_directory import locate
from overture.discover.revisions import git_objects
from overture.discover.revisions.git_objects import GitObjects, find_git_repository, find_revision
from overture.discover.revisions.tree_worlds import SteadyWorld, TreeWorld
from overture.project.resolve import resolve
from tests.contract.discover.disk import came_of, lines, link, put, put_skill, texts
from tests.contract.discover.repository import Repo


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A repository without commits in `tmp_path`/p."""
    return Repo(tmp_path / "p")


@pytest.fixture
def objects(repo: Repo) -> Iterator[GitObjects]:
    """What reads its objects."""
    with GitObjects(str(repo.folder)) as found:
        yield found


def world(repo: Repo, objects: GitObjects, name: str = "HEAD") -> TreeWorld:
    repository = find_git_repository(str(repo.folder))
    return TreeWorld(SteadyWorld(), repository.root, objects.commit(find_revision(repository, name)).tree, objects)


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


def test_configuration_recipes_and_tools_are_the_revision_s(repo: Repo, objects: GitObjects) -> None:
    """overture.toml, the recipe that it names, that recipe's texts and the tools come from the revision."""
    repo.commit("First", {
        "overture.toml": 'recipe = "team.toml"\ntools = "tools.json"\n',
        "team.toml": 'extends = "opal"\n[[sections]]\nname = "team"\nfile = "team.md"\n',
        "team.md": "Old words.",
        "tools.json": '[{"name": "dredge"}]',
    })  # fmt: skip
    repo.commit("Second", {"team.md": "New words.", "tools.json": '[{"name": "moor"}]'})
    for name, words, tool in (("HEAD~1", "Old words.", "dredge"), ("HEAD", "New words.", "moor")):
        here = world(repo, objects, name)
        project = resolve(None, locate(cwd=repo.folder, home=repo.folder.parent / "home", world=here))
        prompt = overture.build(project.recipe, project.find().state)
        assert words in prompt.text
        assert [each.name for each in prompt.state.tools] == [tool]


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


def test_the_same_file_by_two_names_counts_once(repo: Repo, objects: GitObjects) -> None:
    """A link beside its target is the same file, and two files of the same bytes are two."""
    link(repo.folder / "AGENTS.md", "OPAL.md")
    repo.commit("First", {"OPAL.md": "Once."})
    assert texts(find(repo, objects)) == ["Once."]


def test_a_submodule_is_an_empty_folder_and_named(repo: Repo, objects: GitObjects, tmp_path: Path) -> None:
    """What lies in a submodule is not in the repository: the world says which were asked about."""
    other = Repo(tmp_path / "other")
    other.commit("First", {"tides/SKILL.md": "---\nname: tides\ndescription: d\n---\n"})
    repo.git("submodule", "add", "-q", str(other.folder), ".agents/skills")
    repo.commit("First")
    here = world(repo, objects)
    found = overture.discover("opal", cwd=repo.folder, home=tmp_path / "home", world=here)
    assert found.state.skills == ()
    assert here.submodules == {str(repo.folder / ".agents/skills")}


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
        tree = objects.commit(find_revision(repository, "HEAD~1")).tree
        here = TreeWorld(SteadyWorld(), repository.root, tree, objects)
        found = overture.discover("opal", cwd=clone, root=tmp_path, home=tmp_path / "home", world=here)
    assert came_of(found, clone / "AGENTS.md")[0] == "unreadable"
    assert list(here.missing) == [str(clone / "AGENTS.md")]
    assert sorted(os.listdir(clone / ".git/objects/pack")) == packs


@pytest.mark.slow
def test_a_file_that_is_too_large_is_not_loaded(repo: Repo, objects: GitObjects) -> None:
    """What the disk would not load, a revision does not load either; and what comes after it is read."""
    repo.commit("First", {"AGENTS.md": b"\0" * (64 * 1024 * 1024 + 1), "OPAL.md": "Small."})
    found = find(repo, objects)
    assert texts(found) == ["Small."]
    assert came_of(found, repo.folder / "AGENTS.md")[0] == "skipped"


def test_names_that_are_not_utf_8(repo: Repo, objects: GitObjects) -> None:
    """The bytes of a name are kept as the disk keeps them."""
    odd = os.fsdecode(b".agents/skills/f\xff/SKILL.md")
    repo.commit("First", {odd: "---\nname: f\ndescription: d\n---\n", "a\nb/\u00e4.md": "x"})
    here = world(repo, objects)
    assert here.names(str(repo.folder / ".agents/skills")) == [(os.fsdecode(b"f\xff"), "dir")]
    assert here.read(str(repo.folder / "a\nb/\u00e4.md")) == b"x"


def test_a_repository_of_sha_256(tmp_path: Path) -> None:
    """The longer hashes are read as the shorter ones."""
    repo = Repo(tmp_path / "p", "--object-format=sha256")
    repo.commit("First", {"AGENTS.md": "Long hashes.", "sub/x": ""})
    with GitObjects(str(repo.folder)) as objects:
        assert texts(find(repo, objects)) == ["Long hashes."]


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


def test_replaced_objects_count_as_they_were_written(repo: Repo, objects: GitObjects) -> None:
    """`git replace` changes nothing: what is read is what everybody else has."""
    repo.commit("First", {"AGENTS.md": "True."})
    put(repo.folder / "false", "False.")
    repo.git("replace", repo.git("rev-parse", "HEAD:AGENTS.md"), repo.git("hash-object", "-w", "false"))
    assert texts(find(repo, objects)) == ["True."]


def test_variables_of_a_hook_do_not_lead_astray(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Inside a hook of another repository, GIT_DIR names that one: the folder counts, not the variable."""
    repo.commit("First", {"AGENTS.md": "Mine."})
    other = Repo(tmp_path / "other")
    monkeypatch.setenv("GIT_DIR", str(other.folder / ".git"))
    monkeypatch.setenv("GIT_OBJECT_DIRECTORY", str(other.folder / ".git/objects"))
    with GitObjects(str(repo.folder)) as objects:
        assert texts(find(repo, objects)) == ["Mine."]


def test_a_worktree_is_its_own_root(repo: Repo, tmp_path: Path) -> None:
    """A linked worktree has the objects of its repository, and a root of its own."""
    repo.commit("First", {"AGENTS.md": "Tree."})
    repo.git("worktree", "add", "-q", "-b", "side", str(tmp_path / "side"))
    repository = find_git_repository(str(tmp_path / "side"))
    assert repository.root == str(tmp_path / "side")
    with GitObjects(repository.root) as objects:
        tree = objects.commit(find_revision(repository, "side")).tree
        here = TreeWorld(SteadyWorld(), repository.root, tree, objects)
        assert texts(overture.discover("opal", cwd=tmp_path / "side", root=tmp_path / "side", world=here)) == ["Tree."]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("maim", ["'maim'", "Did you mean 'main'?"]),
        ("maim~2", ["Did you mean 'main'?"]),
        ("trunk", ["Did you mean 'origin/trunk'?"]),
        ("v1.O", ["Did you mean 'v1.0'?"]),
        ("HEAD~5", ["'HEAD~5'", "HEAD exists", "no such ancestor"]),
        ("HEAD:AGENTS.md", ["'HEAD:AGENTS.md'", "no commit"]),
        ("HEAD@{99}", ["'HEAD@{99}'"]),
        ("0" * 40, ["no commit"]),
        ("", ["empty"]),
        ("--output=x", ["no commit"]),
        ("a\nb", ["no commit"]),
    ],
)
def test_an_unknown_revision_is_one_line(repo: Repo, name: str, words: list[str]) -> None:
    """A name that leads to no commit is named, with the nearest branch or tag, or with what is there."""
    repo.commit("First", {"AGENTS.md": "x"})
    repo.git("tag", "v1.0")
    repo.git("update-ref", "refs/remotes/origin/trunk", "HEAD")
    with pytest.raises(ConfigError) as caught:
        find_revision(find_git_repository(str(repo.folder)), name)
    assert "\n" not in str(caught.value)
    for word in words:
        assert word in str(caught.value)
    assert set(os.listdir(repo.folder)) == {".git", "AGENTS.md"}


def test_every_way_to_name_a_commit(repo: Repo) -> None:
    """Branches, tags with a message, hashes, short hashes, ancestors and searches lead to their commit."""
    first = repo.commit("First words")
    second = repo.commit("Second")
    repo.git("tag", "-a", "v1", "-m", "one", first)
    repo.git("branch", "old", first)
    repository = find_git_repository(str(repo.folder))
    for name in ("v1", "old", first, first[:8], "HEAD~1", "@^", "main~1", ":/First words", "main^{/First}"):
        assert find_revision(repository, name).commit == first, name
    assert find_revision(repository, "@").commit == second


def test_a_repository_without_commits(repo: Repo) -> None:
    """It is said that there is no commits yet."""
    with pytest.raises(ConfigError, match="no commits yet"):
        find_revision(find_git_repository(str(repo.folder)), "HEAD")


def test_a_shallow_clone_says_how_to_get_more(repo: Repo, tmp_path: Path) -> None:
    """What lies beyond the end of a shallow clone is explained, with the command that fetches it."""
    repo.commit("First")
    repo.commit("Second")
    repo.git("clone", "-q", "--depth=1", f"file://{repo.folder}", tmp_path / "q")
    with pytest.raises(ConfigError, match=r"shallow clone.*git fetch --unshallow.*fetch-depth: 0"):
        find_revision(find_git_repository(str(tmp_path / "q")), "HEAD~1")


@pytest.mark.parametrize("form", ["none", "bare"])
def test_no_working_tree_is_one_line(tmp_path: Path, form: str) -> None:
    """Outside a repository, and in a bare one, the folder is named."""
    if form == "bare":
        Repo(tmp_path / "p", "--bare")
    (tmp_path / "p").mkdir(exist_ok=True)
    with pytest.raises(ConfigError, match=f"{tmp_path}/p' is not in a git working tree"):
        find_git_repository(str(tmp_path / "p"))


def test_without_git_it_is_said(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without git gives one line."""
    monkeypatch.setenv("PATH", "/nowhere")
    with pytest.raises(ConfigError, match="git is not installed"):
        find_git_repository(str(repo.folder))


def test_a_git_that_never_answers_is_ended(repo: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is a limit of time, for questions and for objects."""
    repo.commit("First", {"AGENTS.md": "x"})
    stuck = put(tmp_path / "bin/git", f"#!{sys.executable}\nimport time\ntime.sleep(60)\n")
    stuck.chmod(0o755)
    for module in (run_git, git_objects):
        monkeypatch.setattr(module, "MAX_GIT_SECONDS", 0.2)
    monkeypatch.setenv("PATH", str(stuck.parent))
    with pytest.raises(ConfigError, match="did not answer"):
        find_git_repository(str(repo.folder))
    with GitObjects(str(repo.folder)) as objects, pytest.raises(OSError, match="git did not answer"):
        objects.read("0" * 40)


def test_a_large_repository_is_read_where_it_is_asked(tmp_path: Path) -> None:
    """Of 20,000 files in 400 folders only the folders at the top are read, in which skills may lie, and one file."""
    repo = Repo(tmp_path / "p")
    stream = ["commit refs/heads/main\ncommitter A <a@b> 0 +0000\ndata 1\nx\n"]
    stream += [f"M 100644 inline d{n % 400}/e{n % 7}/f{n}\ndata 1\nx\n" for n in range(20_000)]
    stream.append("M 100644 inline AGENTS.md\ndata 5\nHello\n")
    subprocess.run(["git", "fast-import", "--quiet"], cwd=repo.folder, input="".join(stream).encode(), check=True)
    with GitObjects(str(repo.folder)) as objects:
        assert texts(find(repo, objects, "main")) == ["Hello"]
        assert len(objects.trees) < 410
