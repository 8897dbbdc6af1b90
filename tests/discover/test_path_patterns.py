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


@pytest.mark.parametrize("pattern", ["[", "{a", "", "a/{b,{c}", "{a,b}" * 30, "x" * 2000])
def test_what_is_no_pattern_is_said_to_be_none(pattern: str) -> None:
    """It matches nothing, and there is a word for what is wrong."""
    assert isinstance(compile_pattern(pattern), str)
    assert not matches_glob(pattern, "a")


@settings(max_examples=examples(200))
@given(st.text("ab*?[]{},/!.\\", max_size=40), st.text("ab/.", max_size=40))
def test_any_pattern_has_an_answer(pattern: str, path: str) -> None:
    """None raises, and a pattern that is fine is compared in no time."""
    assert matches_glob(pattern, path) in (True, False)


@settings(max_examples=examples(300))
@given(st.text("ab*?[]!.-", min_size=1, max_size=6), st.text("ab.*[]", min_size=1, max_size=6))
@example("*.md", ".md")
@example("*", "a")
def test_a_step_stands_for_what_a_shell_takes_it_for(step: str, name: str) -> None:
    """However a step is compared, it says what `fnmatch` says."""
    assume(isinstance(compile_pattern(f"/{step}"), Glob) and "**" not in step)
    assert matches_glob(f"/{step}", name) == fnmatchcase(name, step)


@pytest.mark.parametrize(
    ("pattern", "path", "glob", "from_base", "ignored"),
    [
        ("*.txt", "a/b.txt", True, False, True),
        ("b/**", "a/b/c.txt", False, False, True),
        ("a/**", "a/b/c.txt", True, True, True),
        ("b", "a/b/c.txt", False, False, True),
        ("a/*.txt", "x/a/b.txt", False, False, False),
        ("./a/*.txt", "a/b.txt", True, True, False),
        ("/a/b.txt", "a/b.txt", True, False, True),
        ("!*.txt", "b.txt", False, False, False),
        ("!*.txt", "b.py", False, True, False),
    ],
)
def test_agents_compare_patterns_in_three_ways(
    pattern: str, path: str, glob: bool, from_base: bool, ignored: bool
) -> None:
    """A name anywhere, whole paths, or as git ignores: a folder's name stands for all that lies in it."""
    compared = (matches_glob(pattern, path), matches_from_base(pattern, path), matches_as_ignored(pattern, path))
    assert compared == (glob, from_base, ignored)


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


@given(
    st.lists(st.sampled_from(("a", "b", "*", "a*", "**")), min_size=1, max_size=5),
    st.lists(st.sampled_from(("a", "b", "ab")), min_size=1, max_size=5),
)
def test_a_pattern_fits_as_its_steps_say(pattern: list[str], path: list[str]) -> None:
    """With no `**`, one, or several, wherever they stand."""
    assert matches_glob("/" + "/".join(pattern), "/".join(path)) == fits_by_definition(pattern, path)
