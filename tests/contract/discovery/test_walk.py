from pathlib import Path

import pytest

import overture
from overture import ConfigError

from .disk import find, link, paths, put, texts


def test_root_is_inclusive(tmp_path: Path) -> None:
    """The walk begins in the root itself and nothing above it is looked at."""
    for folder in (".", "a", "a/b", "a/b/c"):
        put(tmp_path / folder / "AGENTS.md", folder)
    found = find(tmp_path, cwd="a/b/c", root=tmp_path / "a")
    assert texts(found) == ["a", "a/b", "a/b/c"]
    assert str(tmp_path / "AGENTS.md") not in {look.path for look in found.looked_at}


def test_root_may_be_the_working_directory(tmp_path: Path) -> None:
    """With the working directory as root, only that is looked at."""
    put(tmp_path / "AGENTS.md", "above")
    put(tmp_path / "p/AGENTS.md", "here")
    assert texts(find(tmp_path, root=tmp_path / "p")) == ["here"]


def test_without_root_the_walk_begins_at_the_top(tmp_path: Path) -> None:
    """Without --root, the filesystem's root is looked at first."""
    put(tmp_path / "p/AGENTS.md", "here")
    found = find(tmp_path, root=None)
    assert found.looked_at[0].path == "/AGENTS.md"
    assert texts(found)[-1] == "here"


def test_a_trailing_slash_and_dots_do_not_count(tmp_path: Path) -> None:
    """`a/../p/` is `p`, in what is found and in what is said."""
    put(tmp_path / "p/AGENTS.md", "here")
    found = overture.discover("opal", cwd=f"{tmp_path}/a/../p/", root=f"{tmp_path}/", home=tmp_path / "home")
    assert paths(found) == [f"{tmp_path}/p/AGENTS.md"]
    assert found.state.runtime is not None
    assert found.state.runtime.cwd == f"{tmp_path}/p"


@pytest.mark.parametrize("root", ["q", "p/below", "pp", "nowhere"])
def test_a_root_that_is_not_above_is_an_error(tmp_path: Path, root: str) -> None:
    """A root that does not hold the working directory is an error that names both."""
    (tmp_path / "p/below").mkdir(parents=True)
    (tmp_path / "q").mkdir()
    with pytest.raises(ConfigError) as caught:
        find(tmp_path, root=tmp_path / root)
    assert str(caught.value) == (
        f"The root '{tmp_path / root}' is not the working directory '{tmp_path}/p' or a folder above it. "
        "Pass a folder that contains the working directory."
    )


@pytest.mark.parametrize("kind", ["missing", "file", "loop"])
def test_a_working_directory_that_is_none_is_an_error(tmp_path: Path, kind: str) -> None:
    """A working directory that is missing, a file or a loop is an error that names it."""
    path = tmp_path / "x"
    if kind == "file":
        put(path, "text")
    if kind == "loop":
        link(path, "x")
    with pytest.raises(ConfigError) as caught:
        overture.discover("opal", cwd=path, home=tmp_path)
    assert str(caught.value) == f"The working directory '{path}' is not a directory. Pass one that exists."


def test_a_working_directory_behind_a_link_keeps_its_name(tmp_path: Path) -> None:
    """A working directory that is a link is walked as it is written, and its own files are inside it."""
    put(tmp_path / "AGENTS.md", "top")
    put(tmp_path / "real/AGENTS.md", "real")
    put(tmp_path / "real/p/AGENTS.md", "here")
    link(tmp_path / "p", "real/p")
    found = find(tmp_path)
    assert paths(found) == [f"{tmp_path}/AGENTS.md", f"{tmp_path}/p/AGENTS.md"]
    assert texts(found) == ["top", "here"]


def test_a_root_written_without_the_link_still_holds(tmp_path: Path) -> None:
    """A root that holds the real working directory counts, although the link's name does not begin with it."""
    put(tmp_path / "real/AGENTS.md", "real")
    put(tmp_path / "real/p/AGENTS.md", "here")
    link(tmp_path / "short", "real/p")
    found = find(tmp_path, cwd="short", root=tmp_path / "real")
    assert texts(found) == ["real", "here"]


def test_a_missing_home_is_no_problem(tmp_path: Path) -> None:
    """A home directory that does not exist is recorded as absent places, no more."""
    put(tmp_path / "p/AGENTS.md", "here")
    for recipe in ("opal", "pi"):
        found = find(tmp_path, recipe, home=tmp_path / "nowhere")
        assert texts(found) == ["here"]
        assert found.diagnostics == ()


def test_two_orders_of_creation_give_one_state(tmp_path: Path) -> None:
    """The same tree created in two orders gives the same state, record and lines."""
    tree = {
        "p/AGENTS.md": "one",
        "p/OPAL.md": "two",
        "AGENTS.md": "three",
        "p/.agents/skills/b/SKILL.md": "---\nname: same\ndescription: B.\n---\n",
        "p/.agents/skills/a/SKILL.md": "---\nname: same\ndescription: A.\n---\n",
        "p/.github/skills/c/SKILL.md": "---\nname: c\ndescription: C.\n---\n",
        "p/.agents/skills/z/SKILL.md": "no frontmatter",
    }
    told = []
    for order in (list(tree), list(tree)[::-1]):
        top = tmp_path / "tree"
        for name in order:
            put(top / name, tree[name])
        for recipe in ("opal", "pi"):
            found = find(top, recipe)
            told.append((found.state.replace(now=None).to_dict(), found.looked_at, found.diagnostics))
        top.rename(tmp_path / f"old{len(told)}")
    assert told[:2] == told[2:]
