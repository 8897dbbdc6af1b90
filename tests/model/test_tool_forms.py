import json
from typing import Any

import pytest

from overture import StateError, tools_from
from overture.model.tool import Tool

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}}
OURS = {"name": "read", "description": "Reads", "parameters": SCHEMA, "snippet": "s", "guidelines": ["g"]}
OPENAI = {
    "type": "function",
    "function": {"name": "read", "description": "Reads", "parameters": SCHEMA, "strict": True},
}
OPENAI_FLAT = {"type": "function", "name": "read", "description": "Reads", "parameters": SCHEMA, "strict": True}
ANTHROPIC = {
    "name": "read",
    "description": "Reads",
    "input_schema": SCHEMA,
    "cache_control": {"type": "ephemeral"},
}
MCP = {
    "name": "read",
    "title": "Read",
    "description": "Reads",
    "inputSchema": SCHEMA,
    "annotations": {"readOnlyHint": True},
}
PLAIN = Tool("read", "Reads", SCHEMA)


@pytest.mark.parametrize("form", [OPENAI, OPENAI_FLAT, ANTHROPIC, MCP], ids=["openai", "flat", "anthropic", "mcp"])
def test_a_providers_form_gives_name_description_and_schema(form: dict[str, Any]) -> None:
    """A tool in any provider's form becomes the same Tool; what belongs to that provider alone is left behind."""
    assert tools_from([form]) == (PLAIN,)


def test_our_own_form_keeps_every_key() -> None:
    """A tool in our own form keeps its snippet and guidelines."""
    assert tools_from([OURS]) == (Tool("read", "Reads", SCHEMA, "s", ("g",)),)


def test_forms_may_be_mixed() -> None:
    """One list may hold tools in different forms, and Tools, in the caller's order."""
    found = tools_from([OPENAI, Tool("x"), ANTHROPIC, MCP, {"name": "y"}])
    assert [tool.name for tool in found] == ["read", "x", "read", "read", "y"]


@pytest.mark.parametrize(
    "envelope",
    [
        {"tools": [MCP], "nextCursor": "c"},
        {"jsonrpc": "2.0", "id": 1, "result": {"tools": [MCP]}},
    ],
    ids=["result", "response"],
)
def test_an_mcp_result_may_come_with_its_envelope(envelope: dict[str, Any]) -> None:
    """The answer to `tools/list` is taken as it comes from the server."""
    assert tools_from(json.loads(json.dumps(envelope))) == (PLAIN,)


def test_an_mcp_error_is_not_taken_for_a_list() -> None:
    """A server's error answer is refused, not read as no tools."""
    with pytest.raises(StateError):
        tools_from({"jsonrpc": "2.0", "id": 1, "error": {"code": -1, "message": "no"}})


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([{"name": "a"}, {"description": "d"}], "[1]: the key 'name' is missing"),
        ([{"name": "a"}, {"name": 3}], "[1].name: expected text, got a whole number."),
        ([{"type": "function", "function": {"name": None}}], "[0].function.name: expected text, got null."),
        ([{"type": "function", "function": {}}], "[0].function: the key 'name' is missing"),
        ([{"name": "a", "parameters": []}], "[0].parameters: expected an object"),
        ([{"name": "a"}, "b"], "[1]: expected an object that describes a tool, got 'b'."),
        ([None], "[0]: expected an object that describes a tool, got None."),
        ("read", "Tools are given as a list of objects, or as an MCP tools/list result."),
        ({}, "Tools are given as a list of objects, or as an MCP tools/list result."),
        (7, "Tools are given as a list of objects, or as an MCP tools/list result."),
    ],
)
def test_a_bad_tool_is_named_by_its_index(data: Any, message: str) -> None:
    """The error says which tool of the list does not fit, and why."""
    with pytest.raises(StateError) as caught:
        tools_from(data)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize("key", ["input_schema", "inputSchema"])
def test_a_schema_of_the_wrong_type_is_an_error_under_any_name(key: str) -> None:
    """A schema that is no object is refused under its own key, not passed over."""
    with pytest.raises(StateError, match=rf"\[0\]\.{key}: expected an object"):
        tools_from([{"name": "a", key: "object"}])


def test_no_tools_is_fine() -> None:
    """An empty list is no tools."""
    assert tools_from([]) == ()
    assert tools_from({"tools": []}) == ()
