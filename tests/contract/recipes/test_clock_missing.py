"""A recipe that tells the time says so where it is given none."""

from pathlib import Path
from typing import Any

import pytest

import overture
from overture.testing import FakeWorld, make_state

NOW = "2026-03-07T08:55:05-06:00"
TELLING = ("nova", "pi", "house")
"""The recipes that tell the time."""
WRITTEN = """
extends = "opal"

[[sections]]
name = "night"
text = "It is {{ now }}."
when = { field = "now" }
"""


def missing(prompt: overture.Prompt) -> list[overture.Diagnostic]:
    """What the prompt reports of its clock."""
    return [note for note in prompt.diagnostics if note.code == "clock-missing"]


@pytest.mark.parametrize("fields", [{}, {"runtime": {"cwd": "/p"}}, {"runtime": {"timezone": "Europe/Paris"}}])
@pytest.mark.parametrize("recipe", TELLING)
def test_a_state_without_a_clock_is_reported_once(recipe: str, fields: dict[str, Any]) -> None:
    """One line: which field, and what to do; the time itself is left out."""
    prompt = overture.build(recipe, make_state(**fields))
    (note,) = missing(prompt)
    assert (note.level, note.field) == ("warning", "now")
    assert "now" in note.message and "2026-03-07T08:55:05-06:00" in note.message
    assert "Current" not in prompt.text.replace("Current working directory", "")


@pytest.mark.parametrize("recipe", TELLING)
def test_a_clock_ends_the_report(recipe: str) -> None:
    """With `now` nothing is reported, also where it comes later, on top of a prompt without it."""
    state = make_state(runtime={"cwd": "/p"})
    first = overture.build(recipe, state)
    later = overture.build(recipe, make_state(runtime={"cwd": "/p"}, now=NOW), since=first)
    assert missing(first) and not missing(later)
    assert missing(overture.build(recipe, later.state.replace(now=None), since=later))


@pytest.mark.parametrize("recipe", ["opal", "moltis", "ptc"])
def test_a_recipe_without_a_clock_does_not_ask_for_one(recipe: str) -> None:
    """Who never tells the time has nothing to report."""
    assert missing(overture.build(recipe, make_state())) == []


@pytest.mark.parametrize("removed", [["day"], ["clock"], ["day", "clock"]])
def test_what_is_left_of_the_clock_counts(tmp_path: Path, removed: list[str]) -> None:
    """A recipe that extends house reports it as long as it keeps one of the two sections."""
    path = tmp_path / "mine.toml"
    path.write_text(f'extends = "house"\nremove = {removed}\n')
    assert len(missing(overture.build(str(path), make_state()))) == (0 if len(removed) == 2 else 1)


def test_a_written_section_that_tells_the_time_reports_it(tmp_path: Path) -> None:
    """A TOML section with `{{ now }}` under a condition is left out without a clock, and not in silence."""
    path = tmp_path / "night.toml"
    path.write_text(WRITTEN)
    assert len(missing(overture.build(str(path), make_state()))) == 1
    assert missing(overture.build(str(path), make_state(now=NOW))) == []


@pytest.mark.parametrize("recipe", TELLING)
def test_a_session_always_has_a_clock(recipe: str) -> None:
    """Its turns report nothing of the kind, whatever the state that it was given."""
    session = overture.Session(recipe, state={"runtime": {"cwd": "/p"}}, world=FakeWorld())
    assert missing(session.turn("Hello").prompt) == []
    assert missing(overture.build(recipe, cwd=".")) == []


def test_a_budget_keeps_the_report() -> None:
    """What was reported before the prompt was cut is reported after it."""
    prompt = overture.build("nova", make_state(agent={"identity": "I."}, memories=["One. " * 300]))
    small = overture.fit(prompt, budget=400)
    assert small.cuts and len(missing(small)) == 1
