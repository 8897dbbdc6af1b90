"""Tools from Python functions and from missions."""

from typing import Any

import pytest
from msgspec.structs import replace

import overture
from overture import SignatureError, StateError
from overture.model.state.agent_and_runtime import Mission
from overture.model.tool import Tool
from overture.recipes.ptc import tool_from


def search(query: str, limit: int = 10) -> list[dict[str, Any]]:
    """Search for items matching query.

    Not part of the description.
    """
    return []


def plain(a):  # type: ignore[no-untyped-def]
    return a


class Weather:
    """Objects that can be called."""

    def __call__(self, city: str) -> float:
        return 0.0


AGENT = Mission(
    "Summarise the emails\nof {{user}}.\n\nBe brief.",
    data_signature="(user :string)",
    output_signature="{summary :string}",
)


@pytest.mark.parametrize(
    ("source", "given", "tool"),
    [
        (
            search,
            {},
            Tool("search", "Search for items matching query.", signature="(query :string, limit :int?) -> [:map]"),
        ),
        (
            search,
            {"name": "find", "description": "Find."},
            Tool("find", "Find.", signature="(query :string, limit :int?) -> [:map]"),
        ),
        (
            search,
            {"signature": "->:any", "planning_only": True},
            Tool("search", "Search for items matching query.", signature="() -> :any", planning_only=True),
        ),
        (plain, {}, Tool("plain", signature="(a :any) -> :any")),
        (
            Weather(),
            {"name": "weather"},
            Tool("weather", "Objects that can be called.", signature="(city :string) -> :float"),
        ),
        (
            AGENT,
            {"name": "mail"},
            Tool("mail", "Summarise the emails of {{user}}.", signature="(user :string) -> {summary :string}"),
        ),
        (Mission("Go."), {"name": "go"}, Tool("go", "Go.", signature="() -> :any")),
    ],
)
def test_tool_from(source: Any, given: dict[str, Any], tool: Tool) -> None:
    """What is given wins; then the docstring or the mission, and the annotations or the signatures."""
    made = tool_from(source, **given)
    assert replace(made, parameters=None, returns=None) == tool


def test_the_schema_is_that_of_overture_tool() -> None:
    """One mechanism: a function has the same schema here and there; a signature that is given counts alone."""
    assert tool_from(search).parameters == overture.tool(search).parameters != {}
    assert tool_from(search, signature="->:any").parameters is None


def test_a_tool_of_a_function_needs_no_signature() -> None:
    """The prompt says the same of a function as of the tool that is made of it, its result too."""
    mission = {"prompt": "Go."}
    one, other = (
        overture.build("ptc", {"mission": mission, "tools": [each]}).text for each in (search, tool_from(search))
    )
    assert one == other and "search(query :string, limit :int?) -> [:map]" in one


@pytest.mark.parametrize("source", [lambda: 1, Weather(), AGENT])
def test_what_has_no_name_needs_one(source: Any) -> None:
    """A lambda, an object and a mission have no name of their own."""
    with pytest.raises(StateError, match="Pass one"):
        tool_from(source)


def test_bad_signature_names_the_tool() -> None:
    """A signature that can't be read is told with the tool's name."""
    with pytest.raises(SignatureError, match=r"search\.signature: line 1, column 3"):
        tool_from(search, signature="(a")
