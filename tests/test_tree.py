"""CONTRIBUTING.md opens with the tree of the project: it names every room, and none that is gone."""

import re
from pathlib import Path

from overture.known_agents import AGENTS

PROJECT = Path(__file__).parents[1]
SOURCE = PROJECT / "src" / "overture"
BRANCH = re.compile(r"^(?P<indent>[│ ]*)[├└]── (?P<name>[\w.]+)(?P<folder>/?)\s+(?P<about>\S.*)$")
WIDTH = 4
"""Characters by which each level of the tree is indented."""


def drawn() -> dict[str, str]:
    """The paths that the tree shows below src/overture, each with what is said of it; a folder ends with a slash."""
    text = (PROJECT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    tree = text.partition("```text\nsrc/overture/\n")[2].partition("```")[0]
    paths: dict[str, str] = {}
    above: list[str] = []
    for line in tree.splitlines():
        if line == "│":
            continue
        found = BRANCH.match(line)
        assert found is not None, f"{line!r} is no branch of a tree: `├── name/  what is inside`"
        above[len(found["indent"]) // WIDTH :] = [found["name"]]
        paths["/".join(above) + found["folder"]] = found["about"]
    return paths


def shown_folders() -> set[str]:
    """The folders that have a line, or are named with a slash on the line of the folder above or of a neighbour."""
    tree = {path.rstrip("/"): about for path, about in drawn().items() if path.endswith("/")}
    named = {
        f"{top}/{name}"
        for path, about in tree.items()
        for name in re.findall(r"(\w+)/", about)
        for top in (path, path.rpartition("/")[0])
    }
    return set(tree) | {path for path in named if (SOURCE / path).is_dir()}


def test_the_tree_shows_every_folder_and_no_other() -> None:
    """Each folder of the package is named in the tree, and each line is there on disk."""
    folders = {path.parent.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py")} - {"."}
    # The line of known_agents/ says that each agent has a folder there.
    folders -= {f"known_agents/{name.replace('-', '_')}" for name in AGENTS}
    assert shown_folders() >= folders
    assert [path for path in drawn() if not (SOURCE / path).exists()] == []


def test_the_tree_is_short() -> None:
    """It has at most forty lines."""
    assert len(drawn()) <= 40


def test_the_tree_shows_the_files_beside_the_folders() -> None:
    """The few files that are in no folder are all in the tree."""
    files = {path.name for path in SOURCE.glob("*.py")} - {"__main__.py"}
    assert {path for path in drawn() if not path.endswith("/")} == files


def test_no_module_is_long() -> None:
    """A module has one idea, and at most 300 lines."""
    sizes = {path.relative_to(SOURCE).as_posix(): len(path.read_bytes().splitlines()) for path in SOURCE.rglob("*.py")}
    assert {path: lines for path, lines in sizes.items() if lines > 300} == {}


def test_no_folder_is_crowded() -> None:
    """At most sixteen modules are flat in one folder."""
    crowded = {
        folder.relative_to(SOURCE).as_posix(): count
        for folder in {path.parent for path in SOURCE.rglob("*.py")}
        if (count := len([path for path in folder.glob("*.py") if path.name != "__init__.py"])) > 16
    }
    assert crowded == {}


def test_products_are_two_levels_deep() -> None:
    """A module is in a folder of the package, or in one folder below that."""
    deep = [
        path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py") if len(path.relative_to(SOURCE).parts) > 3
    ]
    assert deep == []
