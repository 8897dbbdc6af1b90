"""The marked trees in which agents are run: the same each time, and each mark names one line of one file."""

from pathlib import Path

import pytest

from .worlds import MARK, PLACES, WORLDS, make_world, write_world
from .worlds.random_trees import random_tree
from .worlds.random_trees.tree import KITS

SHARED_ON_PURPOSE = ("equal-bytes",)
"""Worlds in which one text lies under several names."""


def written(folder: Path) -> dict[str, str]:
    """Each file's path and text, and each link's target; what git keeps for itself is left out."""
    there = sorted(path for path in folder.rglob("*") if path.is_symlink() or path.is_file())
    paths = [path for path in there if ".git" not in path.parts]
    return {
        path.relative_to(folder).as_posix(): f"-> {path.readlink()}"
        if path.is_symlink()
        else path.read_text("utf-8", "replace")
        for path in paths
    }


@pytest.mark.slow(unless=("imports",))
@pytest.mark.parametrize("name", WORLDS)
def test_a_world_is_the_same_each_time(name: str, tmp_path: Path) -> None:
    """Two folders in which a world is written hold the same files, what it names is there, and a mark is one line's."""
    first, second = tmp_path / "first", tmp_path / "other"
    for folder in (first, second):
        make_world(name, folder)
    here = {path: text.replace(str(first), "FOLDER") for path, text in written(first).items()}
    assert here == {path: text.replace(str(second), "FOLDER") for path, text in written(second).items()}
    assert all((first / place).is_dir() for place in (*PLACES.values(), WORLDS[name].cwd))
    assert all((first / path).is_file() for path in WORLDS[name].reads)
    assert (first / "w/above/repo/.git").is_dir() == WORLDS[name].git
    if name not in SHARED_ON_PURPOSE:
        marks_name_one_line(here)


@pytest.mark.slow(unless=("claude-code",))
@pytest.mark.parametrize("agent", KITS)
def test_a_random_tree_is_the_same_each_time(agent: str, tmp_path: Path) -> None:
    """A seed gives the same files twice; without one of its pieces, all others stay as they are."""
    whole, pieces = random_tree(agent, 7)
    write_world(whole, tmp_path / "a")
    write_world(random_tree(agent, 7).world, tmp_path / "b")
    first = {path: text.replace(str(tmp_path / "a"), "") for path, text in written(tmp_path / "a").items()}
    assert first == {path: text.replace(str(tmp_path / "b"), "") for path, text in written(tmp_path / "b").items()}
    marks_name_one_line(first)
    write_world(random_tree(agent, 7, range(1, len(pieces))).world, tmp_path / "c")
    fewer = {path: text.replace(str(tmp_path / "c"), "") for path, text in written(tmp_path / "c").items()}
    assert {path: text for path, text in first.items() if path != pieces[0].path}.items() <= fewer.items()


def marks_name_one_line(files: dict[str, str]) -> None:
    """No two lines of a world carry the same mark, and the number in a mark is that of its line."""
    marks: set[str] = set()
    for path, text in files.items():
        for number, line in enumerate(text.splitlines(), 1):
            for found in MARK.finditer(line):
                assert int(found[2]) == number, path
                assert found.group() not in marks, path
                marks.add(found.group())
