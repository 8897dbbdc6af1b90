"""Patterns of paths mean what people who write them expect."""

import pytest

from overture.discovery.globs import (
    matches_glob,
)


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
