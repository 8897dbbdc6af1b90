"""A location is made once: where a command works."""

import pytest

from overture import ConfigError
from overture.discover.disk.working_directory import locate
from overture.testing import FakeWorld


def test_a_location_names_folders_in_full() -> None:
    """What a caller leaves out is the process's; a path that is relative begins there."""
    world = FakeWorld({"/p/a/x": ""}, cwd="/p", home="/home/user")
    assert locate(world=world)[1:] == ("/p", "/home/user", None, {})
    assert locate("a", "h", "..", {"recipe": "pi"}, world)[1:] == ("/p/a", "/p/h", "..", {"recipe": "pi"})


def test_a_working_directory_that_is_not_there_is_an_error() -> None:
    """Nothing is looked for in a folder that nobody has."""
    with pytest.raises(ConfigError, match="'/p/b' is not a directory"):
        locate("b", world=FakeWorld({"/p/a": ""}, cwd="/p"))
