"""The two modes, given or not, and which tools a mission has."""

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

import overture
from overture import StateError
from overture.model.prompt.prompt import Prompt
from overture.testing import FakeWorld, make_state

SEARCH = {"name": "search", "signature": "(q :string) -> [:int]", "description": "Search."}
HELPER = {"name": "helper", "signature": "(q :string) -> :any", "planning_only": True}
DIRECTLY = "Return your expression result directly - no `return` call needed."
ENDING = ("(return ", "(fail ", "### return", "### fail", "6. Call", "7. Call", "`fail`")
"""Words about how a mission ends, which only an agent is told."""


def build(active: list[dict[str, Any]] | None = None, recipe: str = "ptc", **mission: Any) -> Prompt:
    """The prompt for a mission in its JSON form."""
    state = make_state(tools=active or [], mission={"prompt": "Do it.", **mission}, now="2026-03-07T08:55:05-06:00")
    return overture.build(recipe, state)


def codes(prompt: Prompt) -> list[str]:
    """What is wrong with the prompt."""
    return [note.code for note in prompt.diagnostics]


@pytest.mark.parametrize(
    ("mode", "tools", "fields", "single", "noted"),
    [
        (None, [], {"max_turns": 1}, True, []),
        (None, [SEARCH], {"max_turns": 1}, False, []),
        (None, [SEARCH], {"max_turns": 1, "tools": []}, True, []),
        (None, [SEARCH, HELPER], {"max_turns": 1, "tools": ["helper"]}, True, []),
        (None, [], {}, False, []),
        ("agent", [], {"max_turns": 1}, False, []),
        ("agent", [SEARCH], {}, False, []),
        ("single", [], {}, True, []),
        ("single", [], {"max_turns": 1}, True, []),
        ("single", [HELPER], {}, True, []),
        ("single", [], {"max_turns": 3}, True, ["mode-turns"]),
        ("single", [SEARCH], {}, True, ["mode-tools"]),
        ("single", [SEARCH], {"tools": []}, True, []),
        ("single", [SEARCH], {"max_turns": 3}, True, ["mode-turns", "mode-tools"]),
    ],
)
@pytest.mark.parametrize("recipe", ["ptc", "house"])
def test_mode(
    recipe: str, mode: str | None, tools: list[dict[str, Any]], fields: dict[str, Any], single: bool, noted: list[str]
) -> None:
    """What is given counts, else turns and tools decide; what does not go together is reported."""
    prompt = build(tools, recipe, mode=mode, **fields)
    assert (DIRECTLY in prompt.text) is single
    for words in ENDING:
        assert (words in prompt.text) is not single
    assert codes(prompt) == noted


def test_single_without_tools_is_the_documents_variant() -> None:
    """With nothing to call, the role is that of an expression evaluator, character for character."""
    assert build(mode="single").blocks[0].text == (
        "# Role\n\n"
        "You are a PTC-Lisp expression evaluator. Evaluate the given expression and return\n"
        "the result directly. No `return` call is needed - your expression result is the answer."
    )


def test_single_with_tools_is_a_program_whose_value_is_the_answer() -> None:
    """Where there is something to call, the role is a program's, as in the template, and the tools are listed."""
    prompt = build([SEARCH], mode="single")
    assert prompt.blocks[0].text == (
        "# Role\n\n"
        "You are a PTC-Lisp program generator. Your task is to write programs that accomplish\n"
        "the user's mission by calling tools and processing data.\n\n"
        "You MUST respond with a single PTC-Lisp program in a ```clojure code block.\n\n" + DIRECTLY
    )
    assert "### search\n```\nsearch(q :string) -> [:int]\n```\nSearch." in prompt.text
    assert "mission.tools" in prompt.diagnostics[0].message


def test_a_mode_that_is_none_is_one_line() -> None:
    """A slip is told with the nearest mode."""
    with pytest.raises(
        StateError, match=r"mission\.mode: 'singel' is not one of agent, single\. Did you mean 'single'\?"
    ):
        build(mode="singel")


def test_mode_is_kept_in_json() -> None:
    """A state is read again as it was written."""
    state = make_state(mission={"prompt": "Go", "mode": "single", "tools": []})
    assert state.to_dict() == {"mission": {"prompt": "Go", "mode": "single", "tools": []}}
    assert overture.State.from_dict(state.to_dict()) == state


def test_a_session_may_change_the_mode() -> None:
    """The next turn is built for the mode that is given with it."""
    session = overture.Session("ptc", state={"mission": {"prompt": "Go"}}, world=FakeWorld())
    assert DIRECTLY not in session.turn("Go").prompt.text
    session.update(mission={"prompt": "Go", "mode": "single"})
    assert DIRECTLY in session.turn("Go").prompt.text


def test_a_recipe_of_ones_own_may_ask_for_the_mode(tmp_path: Path) -> None:
    """In TOML it is a field like any other."""
    path = tmp_path / "mine.toml"
    path.write_text(
        'extends = "ptc"\n[[sections]]\nname = "own"\ntext = "Mode: {{ mission.mode }}"\n'
        'when = { field = "mission.mode" }\n'
    )
    assert "Mode: single" in build(recipe=str(path), mode="single").text
    assert "Mode:" not in build(recipe=str(path)).text


@pytest.mark.parametrize(("fields", "names"), [({}, ["return", "fail"]), ({"mode": "single"}, [])])
@pytest.mark.parametrize("recipe", ["ptc", "house"])
def test_no_tools_means_none(recipe: str, fields: dict[str, Any], names: list[str]) -> None:
    """`mission.tools: []` shows none of the caller's tools; an agent keeps the two that end its mission."""
    prompt = build([SEARCH, HELPER], recipe, tools=[], **fields)
    assert [line[4:] for line in prompt.text.split("\n") if line.startswith("### ")] == names
    assert prompt.diagnostics == ()
    assert any("mission.tools excludes 2 of them: search, helper" in omission.reason for omission in prompt.omitted)


def test_no_tools_keeps_the_callers_own_ending() -> None:
    """A `return` of the caller's own still takes the place of ours, as with any other list of tools."""
    prompt = build([SEARCH, {"name": "return", "signature": "(n :int) -> :any"}], tools=[])
    assert "return(n :int) -> :any" in prompt.text
    assert "return(data :any)" not in prompt.text
    assert "### search" not in prompt.text


def test_headings_stay_tight_under_a_budget() -> None:
    """However much is cut, a tool's fence follows its name, and bullets follow the heading of the reference."""
    tools = [{**SEARCH, "name": f"search_{n}", "description": "Search for items. " * 20} for n in range(9)]
    whole = build(tools)
    for budget in range(500, 1600, 100):
        text = overture.fit(whole, budget=budget).text
        lines = text.split("\n")
        below = {line: after for line, after in pairwise(lines) if line.startswith(("### ", "## "))}
        assert {after for line, after in below.items() if line.startswith("### ")} <= {"```"}
        assert below.get("## Syntax", "- ").startswith("- ")
