"""A program may change a dict of a State in place: each build shows what it holds now."""

from typing import Any

import pytest

import overture
from overture import State
from overture.errors import StateError


def make_conventions() -> State:
    return State.from_dict({"extra": {"conventions": ["silent"]}})


def make_tool() -> State:
    schema = {"type": "object", "properties": {"at": {"type": "integer", "description": "Where."}}}
    tool = {"name": "moor", "description": "Moor a ship.", "parameters": schema}
    return State.from_dict({"tools": [tool], "native_tools": False})


def change_conventions(state: State) -> None:
    state.extra["conventions"].append("status")


def change_tool(state: State) -> None:
    schema: dict[str, Any] = state.tools[0].parameters or {}
    schema["properties"]["at"]["description"] = "The place <status>."


def make_mission() -> State:
    return State.from_dict({"mission": {"prompt": "Count {{ships}}.", "data": {"ships": [1]}}})


def change_mission(state: State) -> None:
    assert state.mission is not None and state.mission.data is not None
    state.mission.data["ships"].append("<status>")


CASES = [
    ("house", make_conventions, change_conventions),
    ("moltis", make_tool, change_tool),
    ("ptc", make_mission, change_mission),
]


@pytest.mark.parametrize(("recipe", "make", "change"), CASES, ids=[case[0] for case in CASES])
def test_the_same_state_is_built_as_it_is_now(recipe: str, make: Any, change: Any) -> None:
    state = make()
    before = overture.build(recipe, state)
    assert "status>" not in before.text
    change(state)
    assert "status>" in overture.build(recipe, state).text


@pytest.mark.parametrize(("recipe", "make", "change"), CASES, ids=[case[0] for case in CASES])
def test_a_change_since_an_earlier_prompt_is_shown(recipe: str, make: Any, change: Any) -> None:
    state = make()
    before = overture.build(recipe, state)
    change(state)
    after = overture.build(recipe, state, since=before)
    assert "status>" in after.text
    unchanged = {block.name for block in after.blocks if block in before.blocks}
    assert unchanged == {block.name for block in after.blocks} - {
        block.name for block in after.blocks if "status>" in block.text
    }
    again = overture.build(recipe, state, since=after)
    assert again.text == after.text
    assert all(one is other for one, other in zip(again.blocks, after.blocks, strict=True))


def test_every_item_of_a_list_is_checked() -> None:
    """A State refuses what it can't hold: no build blames the recipe for it."""
    file = State.from_dict({"context_files": [{"path": "/p/AGENTS.md", "content": "Use tabs."}]}).context_files[0]
    wrong: Any = {"memories": ("a", 5)}
    with pytest.raises(StateError, match=r"memories\[1\]"):
        State(**wrong)
    wrong = {"context_files": (file, {"path": "/p/B.md"})}
    with pytest.raises(StateError, match="context_files"):
        State(**wrong)
