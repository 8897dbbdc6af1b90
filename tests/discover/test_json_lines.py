"""JSON with the line of every value."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from overture.discover.agent_and_memories import read_agent
from overture.discover.convert_json import JsonSpot, JsonValues, locate_json_values

LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
VALUES = st.recursive(LEAVES, lambda v: st.lists(v, max_size=3) | st.dictionaries(st.text(max_size=3), v, max_size=3))


def unlocated(spot: JsonSpot) -> Any:
    """The value again, put together from what lies in it."""
    inner = [(key, unlocated(item)) for key, item in spot.inner]
    if not inner:
        return spot.value
    return dict(inner) if isinstance(spot.value, dict) else [item for _, item in inner]


@given(VALUES, st.sampled_from([None, 0, 2]))
def test_what_lies_in_a_value_makes_the_value(value: Any, indent: int | None) -> None:
    """Whatever the layout, the located values are those that a JSON reader sees."""
    spot = locate_json_values(" \n" + json.dumps(value, indent=indent) + "\n", depth=50)
    assert unlocated(spot) == value


@given(st.lists(LEAVES, min_size=1, max_size=20))
def test_each_item_stands_on_its_line(items: list[Any]) -> None:
    """With one item a line, the nth stands on line n + 1."""
    spot = locate_json_values(json.dumps(items, indent=1), depth=1)
    assert [item.line for _, item in spot.inner] == list(range(2, len(items) + 2))


@given(st.text())
def test_no_text_raises(text: str) -> None:
    """A text is JSON or it is not; it never raises."""
    values, notes = read_agent(text, "agent.json")
    assert isinstance(values, JsonValues) or [note.code for note in notes] == ["agent-skipped"]
