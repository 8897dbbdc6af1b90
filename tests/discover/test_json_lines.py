"""JSON with the line of every value."""

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from overture.discover.agent_and_memories import JsonValues, find_lines, read_agent

LEAVES = st.none() | st.booleans() | st.integers() | st.text(max_size=5)
VALUES = st.recursive(LEAVES, lambda v: st.lists(v, max_size=3) | st.dictionaries(st.text(max_size=3), v, max_size=3))


def list_paths(value: Any, path: str = "") -> set[str]:
    """The paths of all values in a value."""
    items = [(f"[{index}]", item) for index, item in enumerate(value)] if isinstance(value, list) else []
    if isinstance(value, dict):
        items = [(f".{key}" if path else key, item) for key, item in value.items()]
    return {path}.union(*(list_paths(item, path + step) for step, item in items))


@given(VALUES, st.sampled_from([None, 0, 2]))
def test_every_value_has_a_line(value: Any, indent: int | None) -> None:
    """Whatever the layout, the located values are those that a JSON reader sees."""
    assert find_lines(" \n" + json.dumps(value, indent=indent) + "\n", depth=50).keys() == list_paths(value)


@given(st.lists(LEAVES, min_size=1, max_size=20))
def test_each_item_stands_on_its_line(items: list[Any]) -> None:
    """With one item a line, the nth stands on line n + 1."""
    lines = find_lines(json.dumps(items, indent=1), depth=1)
    assert lines == {"": 1} | {f"[{index}]": index + 2 for index in range(len(items))}


@given(st.text())
def test_no_text_raises(text: str) -> None:
    """A text is JSON or it is not; it never raises."""
    values, notes = read_agent(text, "agent.json")
    assert isinstance(values, JsonValues) or [note.code for note in notes] == ["agent-skipped"]
