import json
from typing import Any

import pytest

from overture import Prompt, StateError, build, tools_from
from overture.model.tool import Tool
from overture.testing import make_state

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}}
OURS = {"name": "read", "description": "Reads", "parameters": SCHEMA, "snippet": "s", "guidelines": ["g"]}
OPENAI = {"type": "function", "function": {"name": "read", "description": "Reads", "parameters": SCHEMA}}
OPENAI_FLAT = {"type": "function", "name": "read", "description": "Reads", "parameters": SCHEMA}
ANTHROPIC = {"type": "custom", "name": "read", "description": "Reads", "input_schema": SCHEMA}
MCP = {"name": "read", "description": "Reads", "inputSchema": SCHEMA}
GEMINI = {"functionDeclarations": [{"name": "read", "description": "Reads", "parametersJsonSchema": SCHEMA}]}
GEMINI_PYTHON = {"function_declarations": [{"name": "read", "description": "Reads", "parameters_json_schema": SCHEMA}]}
BEDROCK = {"toolSpec": {"name": "read", "description": "Reads", "inputSchema": {"json": SCHEMA}}}
FORMS = {
    "openai": OPENAI, "flat": OPENAI_FLAT, "anthropic": ANTHROPIC, "mcp": MCP,
    "gemini": GEMINI, "gemini python": GEMINI_PYTHON, "bedrock": BEDROCK,
}  # fmt: skip
PLAIN = Tool("read", "Reads", SCHEMA)


class Dumped:
    """What SDKs make of a tool: an object that can be written down."""

    def __init__(self, form: dict[str, Any]) -> None:
        self.form = form

    def model_dump(self, **_: Any) -> dict[str, Any]:
        """The mapping that it stands for."""
        return self.form


def notes(prompt: Prompt) -> list[str]:
    """What a prompt says of its tools."""
    return [note.message for note in prompt.diagnostics if note.code == "tool-foreign"]


@pytest.mark.parametrize("form", FORMS.values(), ids=FORMS)
def test_a_providers_form_gives_name_description_and_schema(form: dict[str, Any]) -> None:
    """A tool in any provider's form becomes the same Tool, from a list, an object of its SDK, or a state's list."""
    assert tools_from([form]) == (PLAIN,)
    assert tools_from([Dumped(form)]) == (PLAIN,)
    assert tools_from(Dumped({"tools": [form]})) == (PLAIN,)


def test_our_own_form_keeps_every_key() -> None:
    """A tool in our own form keeps its snippet and guidelines."""
    assert tools_from([OURS]) == (Tool("read", "Reads", SCHEMA, "s", ("g",)),)


@pytest.mark.parametrize(
    ("form", "kept"),
    [
        ({**ANTHROPIC, "cache_control": {"type": "ephemeral"}}, {"cache_control": {"type": "ephemeral"}}),
        ({**ANTHROPIC, "input_examples": [{}], "defer_loading": True}, {"input_examples": [{}], "defer_loading": True}),
        ({**ANTHROPIC, "type": "bash_20250124"}, {"type": "bash_20250124"}),
        ({**OPENAI_FLAT, "defer_loading": True}, {"defer_loading": True}),
        ({**OPENAI, "cache_control": {"type": "ephemeral"}}, {"cache_control": {"type": "ephemeral"}}),
        ({"type": "function", "function": {**OPENAI["function"], "x": 1}, "y": 2}, {"x": 1, "y": 2}),  # type: ignore[dict-item]
        ({**MCP, "title": "T", "annotations": {"a": 1}}, {"title": "T", "annotations": {"a": 1}}),
        ({**MCP, "outputSchema": SCHEMA, "_meta": {}}, {"outputSchema": SCHEMA, "_meta": {}}),
        ({**MCP, "icons": [], "execution": {}}, {"icons": [], "execution": {}}),
        ({"function_declarations": [{**MCP, "response": SCHEMA}]}, {"response": SCHEMA}),
        ({"toolSpec": {**MCP, "label": "L"}}, {"label": "L"}),
        ({**OURS, "colour": "red"}, {"colour": "red"}),
    ],
)
def test_no_key_vanishes(form: dict[str, Any], kept: dict[str, Any]) -> None:
    """A key that is none of ours is kept, at whatever level it stands; a prompt of that tool names it in one line."""
    (tool,) = tools_from([form])
    assert tool.foreign == kept
    prompt = build("pi", make_state().replace(tools=(Tool("first"), tool)))
    (note,) = notes(prompt)
    assert note.startswith(
        f"tools[1]: 'read' has keys of another format, which are stored but not sent: {', '.join(kept)}"
    )
    assert "\n" not in note


def test_kept_keys_survive_a_state() -> None:
    """What is kept is in the state's JSON, and still named after the way there and back."""
    state = make_state().replace(tools=tools_from([{**MCP, "title": "T"}]))
    again = make_state(**json.loads(json.dumps(state.to_dict())))
    assert again == state
    assert len(notes(build("opal", again))) == 1
    assert tools_from(state.to_dict()["tools"]) == state.tools


@pytest.mark.parametrize(
    "form", [OPENAI, OPENAI_FLAT, ANTHROPIC, BEDROCK], ids=["openai", "flat", "anthropic", "bedrock"]
)
def test_strict_is_a_key_of_ours(form: dict[str, Any]) -> None:
    """`strict`, which several providers have, is kept as what it is."""
    inner = next((key for key in ("function", "toolSpec") if key in form), None)
    given = {**form, inner: {**form[inner], "strict": True}} if inner else {**form, "strict": True}
    (tool,) = tools_from([given])
    assert (tool.strict, tool.foreign) == (True, {})


@pytest.mark.parametrize(
    "envelope",
    [
        {"tools": [MCP]},
        {"jsonrpc": "2.0", "id": 1, "result": {"tools": [MCP]}},
        {"tools": [MCP], "nextCursor": None},
        {"toolConfig": {"tools": [BEDROCK]}},
        GEMINI,
    ],
    ids=["result", "response", "last page", "bedrock", "gemini"],
)
def test_tools_may_come_with_their_envelope(envelope: dict[str, Any]) -> None:
    """The answer to `tools/list`, and a provider's own configuration, are taken as they come."""
    assert tools_from(json.loads(json.dumps(envelope))) == (PLAIN,)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([{"name": "a"}, {"description": "d"}], "[1]: the key 'name' is missing"),
        ([{"name": "a"}, {"name": ""}], "[1]: the name of a tool must not be empty ('')."),
        ([{"name": "a"}, {"name": " \n"}], "[1]: the name of a tool must not be empty (' \\n')."),
        ([{"name": "a"}, {"name": 3}], "[1].name: expected text, got a whole number."),
        ([{"type": "function", "function": {"name": None}}], "[0].function.name: expected text, got null."),
        ([{"type": "function", "function": {"name": ""}}], "[0].function: the name of a tool must not be empty"),
        ([{"type": "function", "function": {}}], "[0].function: the key 'name' is missing"),
        ([{"toolSpec": {"inputSchema": {"json": {}}}}], "[0].toolSpec: the key 'name' is missing"),
        ([{"functionDeclarations": [MCP, {}]}], "[0].functionDeclarations[1]: the key 'name' is missing"),
        ([{"type": "web_search"}], "[0]: the key 'name' is missing"),
        ([{"name": "a", "parameters": []}], "[0].parameters: expected an object"),
        ([{"name": "a"}, "b"], "[1]: expected an object that describes a tool, got 'b'."),
        ([None], "[0]: expected an object that describes a tool, got None."),
        ([{"name": "a", "promptSnipet": "x"}], "[0]: unknown key 'promptSnipet'. Did you mean 'promptSnippet'?"),
        ([{"name": "a", "guideline": ["x"]}], "[0]: unknown key 'guideline'. Did you mean 'guidelines'?"),
        ([{"name": "a", "input_shema": {}}], "[0]: unknown key 'input_shema'. Did you mean 'input_schema'?"),
        ([{**OPENAI, "descripton": "x"}], "[0].function: unknown key 'descripton'. Did you mean 'description'?"),
        ([{**ANTHROPIC, "parameters": {"type": "object"}}], "[0]: 'parameters' and 'input_schema' differ"),
        ([{**MCP, "snippet": "a", "promptSnippet": "b"}], "[0]: 'snippet' ('a') and 'promptSnippet' ('b') differ."),
        ("read", "Tools must be a list of objects, or an MCP tools/list result."),
        ({}, "Tools must be a list of objects, or an MCP tools/list result."),
        (7, "Tools must be a list of objects, or an MCP tools/list result."),
    ],
)
def test_a_bad_tool_is_named_by_its_index(data: Any, message: str) -> None:
    """The error says which tool of the list does not fit, and why, in one line."""
    with pytest.raises(StateError) as caught:
        tools_from(data)
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("key", ["input_schema", "inputSchema", "parametersJsonSchema"])
def test_a_schema_of_the_wrong_type_is_an_error_under_any_name(key: str) -> None:
    """A schema that is no object is refused under its own key, not passed over."""
    with pytest.raises(StateError, match=rf"\[0\]\.{key}: expected an object"):
        tools_from([{"name": "a", key: "object"}])


def test_no_tools_is_fine() -> None:
    """An empty list is not a tools."""
    assert tools_from([]) == ()
    assert tools_from({"tools": []}) == ()
