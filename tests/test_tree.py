"""CONTRIBUTING.md opens with the tree of the project: it names every room, and none that is gone."""

import re
from pathlib import Path

PROJECT = Path(__file__).parents[1]
SOURCE = PROJECT / "src" / "overture"
BRANCH = re.compile(r"^(?P<indent>[│ ]*)[├└]── (?P<name>[\w.]+)(?P<folder>/?)\s+(?P<about>\S.*)$")
WIDTH = 4
"""Characters by which each level of the tree is indented."""


def drawn() -> dict[str, bool]:
    """The paths that the tree shows below src/overture, and whether each is a folder."""
    text = (PROJECT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    tree = text.partition("```text\nsrc/overture/\n")[2].partition("```")[0]
    paths: dict[str, bool] = {}
    above: list[str] = []
    for line in tree.splitlines():
        found = BRANCH.match(line)
        assert found is not None, f"{line!r} is no branch of a tree: `├── name/  what is inside`"
        above[len(found["indent"]) // WIDTH :] = [found["name"]]
        paths["/".join(above)] = bool(found["folder"])
    return paths


def test_the_tree_shows_every_room_and_no_other() -> None:
    """Each folder of the package has a line in the tree, and each line is there on disk."""
    rooms = {path.parent.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py")} - {"."}
    assert {path for path, is_folder in drawn().items() if is_folder} == rooms


def test_the_tree_shows_the_files_beside_the_rooms() -> None:
    """The few files that lie in no room are all in the tree."""
    files = {path.name for path in SOURCE.glob("*.py")} - {"__main__.py"}
    assert {path for path, is_folder in drawn().items() if not is_folder} == files


def test_no_room_is_crowded() -> None:
    """At most a dozen files lie flat in one folder; one more where each is a command of its own."""
    crowded = {
        room.relative_to(SOURCE).as_posix(): count
        for room in {path.parent for path in SOURCE.rglob("*.py")}
        if (count := len([path for path in room.glob("*.py") if path.name != "__init__.py"])) > 12
    }
    assert set(crowded) <= {"cli/commands"}, crowded
