"""Patterns of paths mean what people who write them expect."""

from fnmatch import fnmatchcase

import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from overture.discover.instructions.path_patterns import (
    Glob,
    compile_pattern,
    matches_as_ignored,
    matches_from_base,
    matches_glob,
)
from tests.contract.effort import examples


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("src/**/*.py", "src/a.py"),
        ("src/**/*.py", "src/x/y/a.py"),
        ("*.{ts,tsx}", "a/b.tsx"),
        ("**", "x/y"),
        ("**/*", "x"),
        ("src/", "src/a/b"),
        ("src/**", "src/a"),
        ("a/[!b]c", "a/xc"),
        ("**/test_*.py", "test_x.py"),
        ("a{,b}/c", "a/c"),
        ("/src/*.js", "src/x.js"),
        ("./docs/*.md", "docs/a.md"),
        ("{a,{b,c}}/d", "c/d"),
    ],
)
def test_a_pattern_stands_for_a_path(pattern: str, path: str) -> None:
    """`**` is any number of folders, also none; braces are choices; without a slash it counts everywhere."""
    assert matches_glob(pattern, path)


@pytest.mark.parametrize(
    ("pattern", "path"), [("src/*.py", "src/a/b.py"), ("src/**/*.py", "a.py"), ("a/?", "a/bc"), ("a", "b/ac")]
)
def test_a_pattern_stands_for_no_other_path(pattern: str, path: str) -> None:
    """`*` and `?` stay within one step of a path."""
    assert not matches_glob(pattern, path)










def test_a_hostile_pattern_costs_little() -> None:
    """Many stars in a row are no reason to try every way of sharing out a path."""
    assert not matches_glob("*a" * 400 + "b", "a" * 300)
    assert not matches_glob("**/" * 300 + "x", "a/" * 300 + "y")


def fits_by_definition(pattern: list[str], path: list[str]) -> bool:
    """Step by step: `**` stands for none of the steps, or for the first and perhaps more."""
    if not pattern:
        return not path
    if pattern[0] == "**":
        return fits_by_definition(pattern[1:], path) or (bool(path) and fits_by_definition(pattern, path[1:]))
    return bool(path) and fnmatchcase(path[0], pattern[0]) and fits_by_definition(pattern[1:], path[1:])


