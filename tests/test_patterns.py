"""Regular expressions match alike on every Python that we say we run on.

Python 3.11.2, which Debian 12 has, matches possessive quantifiers on groups wrongly: they may end too early.
"""

import ast
import importlib
import pkgutil
import re
import warnings
from collections.abc import Iterator
from typing import Any

import pytest

from .sources import SOURCE, source_nodes, source_paths

WRITTEN = re.compile(r"\)(?:[*+?]|\{\d*,?\d*\})\+")
"""A possessive quantifier behind a closing bracket, as it is written."""


def possessive_groups(pattern: str, flags: int = 0) -> list[Any]:
    """The possessive quantifiers of a pattern that repeat more than one character at a time."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return list(_possessive(re._parser.parse(pattern, flags).data))


def _possessive(node: Any) -> Iterator[Any]:
    if isinstance(node, tuple) and len(node) == 2 and str(node[0]) == "POSSESSIVE_REPEAT" and not _is_simple(node[1]):
        yield node
    if isinstance(node, (tuple, list)) or type(node).__name__ == "SubPattern":
        for each in node:
            yield from _possessive(each)


def _is_simple(repeat: Any) -> bool:
    """As the compiler of patterns has it: one item of the width of one character."""
    _, _, item = repeat
    return len(item) == 1 and str(item[0][0]) not in ("SUBPATTERN", "BRANCH") and item.getwidth() == (1, 1)


def patterns() -> Iterator[tuple[str, re.Pattern[str]]]:
    """Every compiled pattern that a module holds, by itself or in a table."""
    for module in pkgutil.walk_packages([str(SOURCE)], "overture."):
        if module.name.startswith("overture.integrations."):
            continue  # their frameworks are rarely installed
        for name, value in vars(importlib.import_module(module.name)).items():
            held = value.values() if isinstance(value, dict) else value if isinstance(value, tuple) else (value,)
            for each in held:
                if isinstance(each, re.Pattern) and isinstance(each.pattern, str):
                    yield f"{module.name}.{name}", each


def test_no_pattern_has_a_possessive_group() -> None:
    """No compiled pattern repeats a group possessively, however it was put together."""
    found = {name for name, pattern in patterns() if possessive_groups(pattern.pattern, pattern.flags)}
    assert not found


def test_none_is_written_anywhere() -> None:
    """No text in the package writes one either: patterns may be compiled when they are needed."""
    found = [
        f"{path}:{node.lineno}"
        for path in source_paths()
        for node in source_nodes(path)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and WRITTEN.search(node.value)
    ]
    assert not found


@pytest.mark.parametrize("pattern", [r"(?:ab|c)*+", r"(ab)?+c", r"x(?:y(?:ab)++)*", r"(?:ab){2,3}+"])
def test_a_possessive_group_is_found(pattern: str) -> None:
    """The check finds what it forbids."""
    assert possessive_groups(pattern)


@pytest.mark.parametrize("pattern", [r"a*+", r"[^\"\\]*+(?:\\.[^\"\\]*+)*", r".?+", r"\w{0,9}+"])
def test_single_characters_may_be_possessive(pattern: str) -> None:
    """The check lets pass what every version matches alike."""
    assert not possessive_groups(pattern)
