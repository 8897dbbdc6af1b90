"""Tools as a session takes them: what is said about them, once, and where they stand."""

from pathlib import Path
from typing import Any

import pytest

from overture import Session, StateError

from .worlds import project, session

SCHEMA = {"type": "object", "properties": {}}
DEPLOY = {"name": "deploy", "promptSnippet": "Ship it", "promptGuidelines": ["Ask before\nyou deploy"]}


def codes(live: Session, text: str = "Go") -> list[str]:
    """What the record of one more turn says."""
    return [note.code for note in live.turn(text).entry.diagnostics]


@pytest.mark.parametrize("how", ["register", "tools", "state"])
def test_a_session_takes_pis_spelling(how: str) -> None:
    """`promptSnippet` and `promptGuidelines` count wherever a session is given a tool."""
    given: dict[str, dict[str, Any]] = {"tools": {"tools": [DEPLOY]}, "state": {"state": {"tools": [DEPLOY]}}}
    live = session("pi", **given.get(how, {}))
    if how == "register":
        live.register(DEPLOY)
    text = live.turn("Go").prompt.text
    assert "- deploy: Ship it\n" in text
    assert "- Ask before\n  you deploy\n" in text


@pytest.mark.parametrize("bad", [{}, {"name": ""}, {"name": " "}, {"name": None}, {"function": {"name": ""}}])
def test_a_tool_without_a_name_is_named_by_its_place(bad: dict[str, Any]) -> None:
    """Given at the start or later, the error says which one of the caller's list it is; nothing of it is taken."""
    with pytest.raises(StateError, match=r"^tools\[2\]"):
        Session("pi", tools=["read", {"name": "a"}, bad])
    live = session("pi")
    with pytest.raises(StateError, match=r"^tools\[1\]"):
        live.register({"name": "a", "parameters": SCHEMA}, bad)
    assert "a" not in [tool.name for tool in live.turn("Go").tools]


def test_a_misspelt_key_is_refused() -> None:
    """The error gives the place, the key and the nearest that is known."""
    with pytest.raises(StateError, match=r"^tools\[0\]: unknown key 'promptSnipet'\. Did you mean 'promptSnippet'\?"):
        session("pi").register({"name": "a", "promptSnipet": "x"})


@pytest.mark.parametrize("how", ["register", "tools"])
def test_a_tool_without_a_schema_is_told_of_once(how: str) -> None:
    """The record of the turn in which it became active names it, and no other does, whatever happens later."""
    given: dict[str, Any] = {"tools": ["read", DEPLOY]} if how == "tools" else {}
    live = session("pi", **given)
    if how == "register":
        assert codes(live) == []
        live.register(DEPLOY)
    entry = live.turn("On").entry
    assert [note.message for note in entry.diagnostics] == [
        "tool 'deploy' has no schema: it is sent as a tool without arguments; add `parameters`"
    ]
    live.turn("On").render("anthropic")
    live.set_tools(["read"])
    assert codes(live) == []
    live.set_tools(["read", "deploy"])
    live.reload()
    assert codes(live) == []
    live.register({**DEPLOY, "description": "Another one."})
    assert codes(live) == ["tool-schema"]


def test_what_is_not_sent_needs_no_schema() -> None:
    """A tool for planning, and a provider without tool calling: nothing is said of a schema."""
    live = session("pi", tools=[{"name": "a", "planning_only": True}])
    assert codes(live) == []
    assert codes(session("moltis", tools=[{"name": "a"}], state={"native_tools": False})) == []


def test_keys_of_another_form_are_named_once_in_the_record() -> None:
    """The turn in which the tool came names them; the prompt has it among what is to be known."""
    live = session("pi")
    live.register({"name": "look", "inputSchema": SCHEMA, "annotations": {"readOnlyHint": True}})
    turn = live.turn("Go")
    (note,) = turn.entry.diagnostics
    told = "tool 'look' has keys of another format, which are stored but not sent: annotations;"
    assert note.message.startswith(told)
    assert [each.code for each in turn.prompt.diagnostics] == ["tool-foreign"]
    assert codes(live) == []


def test_order_and_words_survive_a_save(tmp_path: Path) -> None:
    """A session that is resumed has the tools in the caller's order, and says nothing about them again."""
    world = project()
    live = session("pi", world, tools=["read", "bash", "edit", DEPLOY])
    live.set_tools(["deploy", "write", "read"])
    before = live.turn("Go")
    live.save(tmp_path / "s.json")
    again = Session.resume(tmp_path / "s.json", world=world)
    after = again.turn("On")
    assert [tool.name for tool in after.tools] == ["deploy", "write", "read"]
    assert after.prompt.text == before.prompt.text
    again.update(runtime={"model": "other"})
    assert codes(again) == []
    again.register({"name": "late", "parameters": SCHEMA})
    assert [tool.name for tool in again.turn("On").tools] == ["deploy", "write", "read", "late"]


def test_a_sub_agent_does_not_say_it_again() -> None:
    """Its tools are those of the session that it came from, where they were named."""
    live = session("opal", tools=["read_file", DEPLOY])
    live.turn("Go")
    assert [note.code for note in live.subagent("Look.").turn().entry.diagnostics] == []


@pytest.mark.parametrize("recipe", ["opal", "house"])
def test_the_tool_that_loads_skills_is_the_recipes_own(recipe: str) -> None:
    """A session lists skills, and so offers the recipe's `use_skill` with the recipe's schema."""
    live = session(recipe, tools=[])
    (tool,) = (tool for tool in live.turn("Go").tools if tool.name == "use_skill")
    assert tool is next(own for own in live.prompt.recipe.tools if own.name == "use_skill")
    assert tool.parameters is not None
    assert tool.parameters["required"] == ["name"]
