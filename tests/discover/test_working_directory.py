"""A location is made once, and a command looks into each folder above it a few times, however deep it is."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from overture import ConfigError
from overture.discover.disk.cached_world import MIN_DEPTH, CachedWorld
from overture.discover.disk.working_directory import locate
from overture.testing import FakeWorld

DEEP = 3 * MIN_DEPTH
COUNT = """
import sys
asked = 0
def count(frame, event, arg):
    global asked
    asked += event == "c_call" and arg.__name__ in {"lstat", "stat", "open", "scandir", "readlink", "listdir"}
from overture.cli.main import main
sys.argv = ["overture", *sys.argv[1:]]
sys.setprofile(count)
try:
    main()
finally:
    sys.setprofile(None)
    print(asked, file=sys.stderr)
"""


@pytest.fixture
def here() -> Iterator[None]:
    """The working directory, left as it was."""
    before = os.getcwd()
    yield
    os.chdir(before)


def count_questions(top: Path, depth: int, *command: str) -> int:
    """How often a command asks the machine for files, so many folders below a repository."""
    (top / ".git").mkdir(parents=True)
    (top / "AGENTS.md").write_text("Moor at pier 7.\n")
    os.chdir(top)
    for _ in range(depth):
        os.mkdir("d")
        os.chdir("d")
    environment = {**os.environ, "HOME": str(top.parent / "home")}
    done = subprocess.run(
        [sys.executable, "-c", COUNT, *command], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return int(done.stderr.splitlines()[-1])


@pytest.mark.slow(unless=("command0-3",))
@pytest.mark.usefixtures("here")
@pytest.mark.parametrize(("command", "limit"), [(("build", "house"), 3), (("lock",), 10)])
def test_a_folder_above_costs_a_few_questions(tmp_path: Path, command: tuple[str, ...], limit: int) -> None:
    """Each further folder is looked up, listed and followed once for each world, however often settings are read."""
    (tmp_path / "home").mkdir()
    few, many = (count_questions(tmp_path / str(depth), depth, *command) for depth in (DEEP, 2 * DEEP))
    assert many - few < limit * DEEP


def test_a_location_names_folders_in_full() -> None:
    """What a caller leaves out is the process's; a path that is relative begins there."""
    world = FakeWorld({"/p/a/x": ""}, cwd="/p", home="/home/user")
    assert locate(world=world)[1:] == ("/p", "/home/user", None, {})
    assert locate("a", "h", "..", {"recipe": "pi"}, world)[1:] == ("/p/a", "/p/h", "..", {"recipe": "pi"})


def test_a_working_directory_that_is_not_there_is_an_error() -> None:
    """Nothing is looked for in a folder that nobody has."""
    with pytest.raises(ConfigError, match="'/p/b' is not a directory"):
        locate("b", world=FakeWorld({"/p/a": ""}, cwd="/p"))


def test_only_a_deep_folder_is_listed_at_one_moment() -> None:
    """Where few folders are above, each name is asked for by itself."""
    folder = "/d" * MIN_DEPTH
    world = FakeWorld({f"{folder}/x": ""})
    assert locate("/d", world=world).at_one_moment().world is world
    assert isinstance(locate(folder, world=world).at_one_moment().world, CachedWorld)
