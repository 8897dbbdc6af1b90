"""Every check has a page, and both examples of every page do what it says."""

import json
import re
from pathlib import Path

import pytest

import overture
from overture.check.engine import RULES, CheckResult

from .pages import codes, example, lay

NOW = "2026-03-07T08:55:05-06:00"


def checked(code: str, heading: str, folder: Path) -> CheckResult:
    """What is found in an example."""
    files = example(code, heading)
    assert files, f"{code}: no file stands under {heading!r}"
    project, home, state = lay(files, folder)
    if state is None:
        return overture.check(cwd=project, home=home)
    given = overture.State.from_dict({"now": NOW, **json.loads(state.read_text(encoding="utf-8"))})
    return overture.check(overture.build(recipe_of(project), given))


def recipe_of(project: Path) -> str:
    """The recipe that an example names, else house."""
    file = project / "overture.toml"
    found = re.search(r'^recipe = "(\w+)"', file.read_text(encoding="utf-8")) if file.exists() else None
    return found[1] if found else "house"


def test_every_rule_has_a_page_and_every_page_a_rule() -> None:
    """Nobody asks for the page of a finding in vain, and no page speaks of what is gone."""
    assert codes() == sorted(RULES)


@pytest.mark.parametrize("code", codes())
def test_the_example_that_fires_fires(code: str, tmp_path: Path) -> None:
    """The first example of every page has a finding of its code."""
    found = checked(code, "## Fires", tmp_path)
    assert code in {finding.code for finding in found.findings}, found.findings


@pytest.mark.parametrize("code", codes())
def test_the_example_that_does_not_fire_does_not(code: str, tmp_path: Path) -> None:
    """The second example of every page has none."""
    found = checked(code, "## Does not fire", tmp_path)
    assert code not in {finding.code for finding in found.findings}, found.findings
