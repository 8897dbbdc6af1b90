"""How far up files are looked for, and what lies outside the repository."""

import subprocess
from pathlib import Path

import pytest

import overture
from overture import Discovery, Session
from overture.testing import FakeWorld

from .disk import came_of, find, names, paths, put, put_skill, texts

BEYOND = ("opal", "pi", "moltis")
"""The recipes whose documents say that the walk goes up to the filesystem's root."""


def tree(top: Path) -> None:
    """A repository below a folder that has files too."""
    put(top / "AGENTS.md", "above")
    put(top / ".agents/skills/far/SKILL.md", "---\nname: far\ndescription: Far.\n---\n")
    (top / "repo/.git").mkdir(parents=True)
    put(top / "repo/AGENTS.md", "repo")
    put_skill(top / "repo/.agents/skills/near")
    put(top / "repo/a/AGENTS.md", "here")


def walked(top: Path, recipe: str, cwd: str = "repo/a", **more: object) -> Discovery:
    """What a recipe finds where it alone says how far it looks."""
    return find(top, recipe, cwd=cwd, root=None, **more)


@pytest.mark.parametrize("recipe", BEYOND)
def test_the_walk_goes_beyond_the_repository_where_the_document_says_so(tmp_path: Path, recipe: str) -> None:
    """Files above are read, and marked in the record and in the state."""
    tree(tmp_path)
    found = walked(tmp_path, recipe)
    assert texts(found)[-3:] == ["above", "repo", "here"]
    assert [file.outside for file in found.state.context_files][-3:] == [True, False, False]
    marked = {look.path for look in found.looked_at if look.outside and look.outcome == "loaded"}
    assert str(tmp_path / "AGENTS.md") in marked
    assert str(tmp_path / "repo/AGENTS.md") not in marked


def test_house_stays_in_the_repository(tmp_path: Path) -> None:
    """Neither files nor skills nor memories are looked for above it, and what lies there is named."""
    tree(tmp_path)
    put(tmp_path / ".agents/memories.json", '["far"]')
    found = walked(tmp_path, "house")
    assert texts(found) == ["repo", "here"]
    assert names(found) == ["near"]
    assert found.state.memories == ()
    outcome, detail = came_of(found, tmp_path / "AGENTS.md")
    assert (outcome, detail) == (
        "unread",
        f"it is above the repository, where this recipe stops; to add it: --root {tmp_path}",
    )


def test_what_is_named_above_the_repository_can_be_added(tmp_path: Path) -> None:
    """--root takes the place of the recipe's own rule."""
    tree(tmp_path)
    assert texts(find(tmp_path, "house", cwd="repo/a")) == ["above", "repo", "here"]


def test_nova_stays_in_the_repository(tmp_path: Path) -> None:
    """Its document does not send it further up."""
    tree(tmp_path)
    put(tmp_path / "memories.json", '["far"]')
    assert walked(tmp_path, "nova").state.memories == ()
    put(tmp_path / "repo/memories.json", '["near"]')
    assert walked(tmp_path, "nova").state.memories == ("near",)


def test_without_a_repository_the_walk_is_not_bounded(tmp_path: Path) -> None:
    """Then nothing says where the project begins, and nothing is outside."""
    put(tmp_path / "w/AGENTS.md", "above")
    put(tmp_path / "w/p/AGENTS.md", "here")
    found = walked(tmp_path, "house", cwd="w/p")
    assert texts(found)[-2:] == ["above", "here"]
    assert not any(look.outside for look in found.looked_at)


def test_a_recipe_of_ones_own_says_how_far(tmp_path: Path) -> None:
    """`walk` in [wants] is where the walk ends."""
    tree(tmp_path)
    put(tmp_path / "repo/far.toml", 'extends = "house"\n[wants]\nwalk = "root"\n')
    put(tmp_path / "repo/near.toml", 'extends = "pi"\n[wants]\nwalk = "repository"\n')
    assert "above" in texts(walked(tmp_path, f"{tmp_path}/repo/far.toml"))
    assert "above" not in texts(walked(tmp_path, f"{tmp_path}/repo/near.toml"))


def test_files_under_home_are_outside_too(tmp_path: Path) -> None:
    """What a user keeps for all projects is marked as well."""
    tree(tmp_path)
    own = put(tmp_path / "home/.agents/AGENTS.md", "mine")
    put_skill(tmp_path / "home/.agents/skills/own")
    found = walked(tmp_path, "house")
    marked = [look.path for look in found.looked_at if look.outside and look.outcome == "loaded"]
    assert marked == [str(own), str(tmp_path / "home/.agents/skills/own/SKILL.md")]
    assert [file.outside for file in found.state.context_files] == [True, False, False]


@pytest.mark.parametrize("kind", ["repository", "submodule", "worktree elsewhere"])
@pytest.mark.parametrize("recipe", ["house", *BEYOND])
def test_a_repository_in_a_repository_is_a_project(tmp_path: Path, recipe: str, kind: str) -> None:
    """A nested repository, a submodule and a worktree of another repository: what lies above is outside."""
    put(tmp_path / "repo/.git/HEAD", "")
    put(tmp_path / "repo/AGENTS.md", "outer")
    put(tmp_path / "repo/sub/AGENTS.md", "inner")
    pointers = {"submodule": "../.git/modules/sub", "worktree elsewhere": "/elsewhere/.git/worktrees/sub"}
    if kind in pointers:
        put(tmp_path / "repo/sub/.git", f"gitdir: {pointers[kind]}\n")
    else:
        put(tmp_path / "repo/sub/.git/HEAD", "")
    found = walked(tmp_path, recipe, cwd="repo/sub")
    assert texts(found) == (["inner"] if recipe == "house" else ["outer", "inner"])
    assert all(file.outside == (file.content == "outer") for file in found.state.context_files)


@pytest.mark.parametrize("recipe", ["house", *BEYOND])
@pytest.mark.parametrize("pointer", ["{0}/repo/.git/worktrees/feat", "../../.git/worktrees/feat"])
def test_a_worktree_inside_its_checkout_is_a_project(tmp_path: Path, recipe: str, pointer: str) -> None:
    """The checkout's own files are those of another branch: they are not read, and the record says why."""
    tree(tmp_path)
    put(tmp_path / "repo/.worktrees/AGENTS.md", "between")
    put(tmp_path / "repo/.worktrees/feat/.git", f"gitdir: {pointer.format(tmp_path)}\n")
    put(tmp_path / "repo/.worktrees/feat/AGENTS.md", "feature")
    found = walked(tmp_path, recipe, cwd="repo/.worktrees/feat")
    assert texts(found)[-1] == "feature"
    assert not {"repo", "between"} & set(texts(found))
    assert ("above" in texts(found)) == (recipe in BEYOND)
    outcome, detail = came_of(found, tmp_path / "repo/AGENTS.md")
    assert (outcome, detail) == ("unread", f"it belongs to {tmp_path}/repo, the checkout of this worktree")


def test_an_agent_says_which_files_are_the_checkouts(tmp_path: Path) -> None:
    """The reason is a sentence of its own, and only one about a hiding file begins with that word."""
    tree(tmp_path)
    put(tmp_path / "repo/.git/worktrees/feat/HEAD", "ref: refs/heads/feat\n")
    put(tmp_path / "repo/.worktrees/feat/.git", f"gitdir: {tmp_path}/repo/.git/worktrees/feat\n")
    for folder in ("repo", "repo/.worktrees/feat"):
        put(tmp_path / folder / "CLAUDE.md", folder)
    table = overture.agents("claude-code", cwd=tmp_path / "repo/.worktrees/feat", home=tmp_path / "home")
    why = {use.path: table.explain(use) for use in table.uses if use.how == "skipped"}
    assert why[str(tmp_path / "repo/CLAUDE.md")] == f"it belongs to {tmp_path}/repo, the checkout of this worktree"


def test_git_itself_makes_such_a_worktree(tmp_path: Path) -> None:
    """What `git worktree add` writes is understood."""

    def git(*words: str) -> None:
        who = ["-c", "user.name=a", "-c", "user.email=a@b.c"]
        subprocess.run(["git", "-C", str(tmp_path / "repo"), *who, *words], check=True, capture_output=True)

    put(tmp_path / "repo/AGENTS.md", "main")
    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "x")
    git("worktree", "add", "-q", "wt/feat")
    put(tmp_path / "repo/wt/feat/AGENTS.md", "feature")
    for recipe in ("opal", "house"):
        assert texts(walked(tmp_path, recipe, cwd="repo/wt/feat")) == ["feature"]


def test_a_session_looks_no_further_than_a_build() -> None:
    """Files that are looked at with each turn are those of the recipe's walk."""
    files = {"/w/.agents/memories.json": '["far"]', "/w/p/.git/HEAD": "", "/w/p/AGENTS.md": "here"}
    session = Session("house", world=FakeWorld(files, cwd="/w/p"))
    assert "far" not in session.turn("hi").prompt.text
    assert "far" not in session.turn("again").prompt.text


def test_the_mark_survives_saving(tmp_path: Path) -> None:
    """A state keeps it, in JSON too, and the prompt is the same with and without."""
    tree(tmp_path)
    state = walked(tmp_path, "opal").state
    again = overture.State.from_dict(state.to_dict())
    assert [file.outside for file in again.context_files] == [file.outside for file in state.context_files]
    plain = [{k: v for k, v in file.items() if k != "outside"} for file in state.to_dict()["context_files"]]
    bare = overture.State.from_dict({**state.to_dict(), "context_files": plain})
    assert overture.build("opal", bare).text == overture.build("opal", state).text


def test_a_repository_that_comes_to_be_changes_the_mark(tmp_path: Path) -> None:
    """After `git init`, files above are outside, though none of them changed."""
    put(tmp_path / "AGENTS.md", "above")
    put(tmp_path / "p/AGENTS.md", "here")
    first = walked(tmp_path, "opal", cwd="p")
    (tmp_path / "p/.git").mkdir()
    second = walked(tmp_path, "opal", cwd="p", since=first)
    assert [file.outside for file in first.state.context_files][-2:] == [False, False]
    assert [file.outside for file in second.state.context_files][-2:] == [True, False]
    assert paths(first) == paths(second)
