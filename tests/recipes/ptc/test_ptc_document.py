"""What PtcRunner's document says of limits, sizes and names, held against the recipe."""

from pathlib import Path
from typing import Any

import pytest

import overture
from overture.model.prompt.prompt import Prompt
from overture.testing import FakeWorld, make_state
from tests.contract.recipes.ptc.test_ptc_goldens import TOOLS

O200K = overture.counter("o200k")


def build(active: list[dict[str, Any]] | None = None, **mission: Any) -> Prompt:
    """The prompt for a mission in its JSON form."""
    return overture.build("ptc", make_state(tools=active or [], mission={"prompt": "Do it.", **mission}))


def tokens(prompt: Prompt, name: str) -> int:
    """The tokens of one block."""
    return O200K(next(block.text for block in prompt.blocks if block.name == name))


def test_limits_that_are_not_given_are_those_of_the_document() -> None:
    """Three items of a list, 500 characters of a value that is filled in, and the reference stays."""
    prompt = build(prompt="{{long}}", data={"many": [1, 2, 3, 4], "long": "x" * 501})
    assert "`[1, 2, 3, ...]` (4 items)" in prompt.text
    assert prompt.blocks[-1].text == f"# Mission\n\n{'x' * 500}..."
    assert "# PTC-Lisp Quick Reference" in prompt.text


@pytest.mark.parametrize(
    ("section", "document"),
    [("role", 50), ("rules", 80), ("reference", 400), ("output-format", 50)],
)
def test_fixed_sections_have_the_size_that_the_document_estimates(section: str, document: int) -> None:
    """Its own words are at most 1.7 times as long as its table says; the reference is as long."""
    assert 0.9 * document < tokens(build(), section) < 1.7 * document


def test_what_a_field_and_a_tool_cost_is_what_the_document_estimates() -> None:
    """A small field is a row of about ten tokens, the document's own `search` an entry of about thirty."""
    fields = [build(data={f"id{n}": n for n in range(count)}) for count in (1, 11)]
    assert 10 <= (tokens(fields[1], "data-inventory") - tokens(fields[0], "data-inventory")) / 10 < 20
    tools = [build([{**TOOLS[0], "name": f"search{n}"} for n in range(count)]) for count in (1, 11)]
    assert 30 <= (tokens(tools[1], "tools") - tokens(tools[0], "tools")) / 10 < 60


def test_an_error_is_told_on_the_turn_after_it_and_no_longer() -> None:
    """A session whose program failed appends the error, and goes on without it once that is mended."""
    session = overture.Session("ptc", state={"mission": {"prompt": "Go"}}, world=FakeWorld())
    first = session.turn("Go").prompt.text
    session.update(mission={"prompt": "Go", "error": {"type": "parse_error", "message": "Unexpected token"}})
    assert session.turn("Again").prompt.text.startswith(f"{first}\n\n# Previous Turn Error\n\n")
    session.update(mission={"prompt": "Go"})
    assert session.turn("Again").prompt.text == first


def test_an_error_goes_once_the_model_has_answered_it() -> None:
    """The next program is another: unless it fails too, no turn says that the previous one failed."""
    session = overture.Session("ptc", state={"mission": {"prompt": "Go"}}, world=FakeWorld())
    first = session.turn("Go").prompt.text
    for message in ("Unexpected token", "Unexpected token", "Out of bounds"):
        session.update(mission={"error": {"type": "parse_error", "message": message}})
        assert message in session.turn().prompt.text
        assert message in session.turn().prompt.text, "a request that is sent again has the same bytes"
        session.reply({"role": "assistant", "content": "```clojure\n(return 1)\n```"})
        assert session.turn().prompt.text == session.prompt.text == first


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


def test_an_error_that_is_given_again_is_told_again() -> None:
    """The same error of the next program counts, whether it is given before the reply is added or after it."""
    session = overture.Session("ptc", state={"mission": {"prompt": "Go"}}, world=FakeWorld())
    error = {"error": {"type": "parse_error", "message": "Unexpected token"}}
    session.turn("Go")
    session.update(mission=error)
    session.turn()
    session.update(mission=error)
    session.assistant("(")
    assert "Unexpected token" in session.turn().prompt.text


@pytest.mark.parametrize("prompt", ["", " \n"])
@pytest.mark.parametrize("more", [{}, {"max_turns": 1}, {"output_signature": ":int"}])
def test_a_blank_mission_is_reported_as_a_missing_one(prompt: str, more: dict[str, Any]) -> None:
    """In every mode, and where there is only a return format."""
    built = overture.build("ptc", {"mission": {"prompt": prompt, **more}})
    assert [note.code for note in built.diagnostics] == ["mission-missing"]
