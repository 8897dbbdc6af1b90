"""What PtcRunner's document says of limits, sizes and names, held against the recipe."""

from pathlib import Path
from typing import Any

import pytest

import overture
from overture.model.prompt.prompt import Prompt
from overture.testing import FakeWorld, make_state


def build(active: list[dict[str, Any]] | None = None, **mission: Any) -> Prompt:
    """The prompt for a mission in its JSON form."""
    return overture.build("ptc", make_state(tools=active or [], mission={"prompt": "Do it.", **mission}))


def test_limits_that_are_not_given_are_those_of_the_document() -> None:
    """Three items of a list, 500 characters of a value that is filled in, and the reference stays."""
    prompt = build(prompt="{{long}}", data={"many": [1, 2, 3, 4], "long": "x" * 501})
    assert "`[1, 2, 3, ...]` (4 items)" in prompt.text
    assert prompt.blocks[-1].text == f"# Mission\n\n{'x' * 500}..."
    assert "# PTC-Lisp Quick Reference" in prompt.text


def test_an_error_is_told_on_the_turn_after_it_and_no_longer() -> None:
    """A session whose program failed appends the error, and goes on without it once that is mended."""
    session = overture.Session("ptc", state={"mission": {"prompt": "Go"}}, world=FakeWorld())
    first = session.turn("Go").prompt.text
    session.update(mission={"prompt": "Go", "error": {"type": "parse_error", "message": "Unexpected token"}})
    assert session.turn("Again").prompt.text.startswith(f"{first}\n\n# Previous Turn Error\n\n")
    session.update(mission={"prompt": "Go"})
    assert session.turn("Again").prompt.text == first


@pytest.mark.parametrize("shown", [True, False])
def test_an_error_is_answered_across_a_resume(shown: bool, tmp_path: Path) -> None:
    """One that the model saw before the save goes with its next reply; one that it has not seen is told first."""
    session = overture.Session("ptc", state={"mission": {"prompt": "Go"}}, world=FakeWorld())
    first = session.turn("Go").prompt.text
    session.update(mission={"error": {"type": "parse_error", "message": "Unexpected token"}})
    if shown:
        session.turn()
    session.save(tmp_path / "session.json")
    again = overture.Session.resume(tmp_path / "session.json", world=FakeWorld())
    if not shown:
        assert "Unexpected token" in again.turn().prompt.text
    again.assistant("```clojure\n(return 1)\n```")
    assert again.turn().prompt.text == first
