"""Tools from Python functions and from missions."""

from typing import Any

import pytest
from msgspec.structs import replace

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
