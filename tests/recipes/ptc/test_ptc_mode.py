"""The two modes, given or not, and which tools a mission has."""

from typing import Any

import pytest

import overture
from overture.model.prompt.prompt import Prompt
from overture.testing import make_state

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


@pytest.mark.parametrize(("fields", "names"), [({}, ["return", "fail"]), ({"mode": "single"}, [])])
@pytest.mark.parametrize("recipe", ["ptc", "house"])
def test_no_tools_means_none(recipe: str, fields: dict[str, Any], names: list[str]) -> None:
    """`mission.tools: []` shows none of the caller's tools; an agent keeps the two that end its mission."""
    prompt = build([SEARCH, HELPER], recipe, tools=[], **fields)
    assert [line[4:] for line in prompt.text.split("\n") if line.startswith("### ")] == names
    assert prompt.diagnostics == ()
    assert any("mission.tools excludes 2 of them: search, helper" in omission.reason for omission in prompt.omitted)
