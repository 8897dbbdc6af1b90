"""Tools that are too many, too large, too deep or badly named cost a diagnostic, never the request."""

import warnings
from typing import Any

import pytest

from overture import State, StateError, build, render, tools_from
from overture.errors import OvertureWarning
from overture.providers.write.tools import NAME_RULES
from tests.contract.session.worlds import session

SCHEMA = {"type": "object", "properties": {"a": {"type": "string", "description": "An a."}}}


def tool(name: str, **more: Any) -> dict[str, Any]:
    """A tool of that name."""
    return {"name": name, "description": "Does it.", "parameters": SCHEMA, **more}


@pytest.mark.parametrize("own", ["tools", "register"])
def test_of_two_tools_of_one_name_the_last_counts(own: str) -> None:
    """The request has the name once, and the record says how often it was given."""
    twice = [tool("find"), tool("read"), tool("find", description="Finds.")]
    live = session(tools=twice if own == "tools" else [])
    if own == "register":
        live.register(*twice)
    turn = live.turn("Go")
    assert [each.name for each in turn.tools if each.name == "find"] == ["find"]
    assert next(each for each in turn.tools if each.name == "find").description == "Finds."
    notes = [note.message for note in turn.entry.diagnostics if note.code == "tool-duplicate"]
    assert notes == ["tool 'find' is given 2 times: it is used once"]


REFUSED = {
    "mcp.server/tool name": tuple(NAME_RULES),
    "über": tuple(NAME_RULES),
    "a.b": ("openai-chat", "openai-responses", "anthropic", "bedrock"),
    "x" * 65: ("openai-chat", "openai-responses", "bedrock", "gemini"),
    "x" * 129: tuple(NAME_RULES),
    "1st": ("gemini",),
    "-x": ("gemini",),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("provider", [*NAME_RULES, "ollama"])
def test_a_name_that_a_provider_refuses_is_left_out_and_named(provider: str, name: str) -> None:
    """The request holds the other tools, and a warning names the one that is not in it; other providers get it."""
    refused = provider in REFUSED[name]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        body = render(provider, build("house", State()), tools=[tool(name), tool("read")])
        turn_body = session(tools=[tool(name), tool("read")]).turn("Go").render(provider)
    texts = [
        str(each.message) for each in caught if each.category is OvertureWarning and "is not sent" in str(each.message)
    ]
    assert len(texts) == (2 if refused else 0) and all(provider in text and repr(name)[:40] in text for text in texts)
    for each in (body, turn_body):
        assert "'name': 'read'" in str(each)
        assert (f"'name': {name!r}" in str(each)) is not refused


def test_a_large_schema_is_sent_and_named_with_its_size() -> None:
    """Five megabytes cost a line on the record; the tool is sent whole."""
    large = {"type": "object", "properties": {f"p{at}": {"enum": ["x" * 5_000]} for at in range(1_000)}}
    turn = session(tools=[tool("large", parameters=large)]).turn("Go")
    (note,) = [note for note in turn.entry.diagnostics if note.code == "tool-large"]
    assert note.message.startswith("tool 'large' has 5,0") and "bytes that every request sends" in note.message
    (sent,) = [each for each in turn.render("anthropic")["tools"] if each["name"] == "large"]
    assert len(sent["input_schema"]["properties"]) == 1_000


def deep(levels: int, kind: str = "object") -> dict[str, Any]:
    """Objects within each other."""
    found: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        found = {"type": kind, "properties": {"a": found}}
    return found


class Later:
    """A LangChain tool whose schema is deep."""

    name, description, args_schema, args = "deep", "Goes down.", object, {"x": 1}

    @property
    def tool_call_schema(self) -> dict[str, Any]:
        """What its models would get."""
        return deep(1_000)


FORMS: dict[str, Any] = {
    "ours": lambda schema: {"name": "deep", "parameters": schema},
    "openai": lambda schema: {"type": "function", "function": {"name": "deep", "parameters": schema}},
    "anthropic": lambda schema: {"name": "deep", "input_schema": schema},
    "gemini": lambda schema: {"functionDeclarations": [{"name": "deep", "parametersJsonSchema": schema}]},
    "bedrock": lambda schema: {"toolSpec": {"name": "deep", "inputSchema": {"json": schema}}},
    "langchain": lambda schema: Later(),
}


@pytest.mark.parametrize("levels", [1_000, 20_000])
@pytest.mark.parametrize("kind", ["object", "OBJECT"])
@pytest.mark.parametrize("form", FORMS)
def test_a_deep_schema_is_an_error_that_names_its_tool(form: str, kind: str, levels: int) -> None:
    """In every form, and whatever the depth, a StateError says which tool it is."""
    given = FORMS[form](deep(levels, kind))
    live = session()
    for take in (lambda: tools_from([given]), lambda: live.register(given), lambda: session(tools=[given])):
        with pytest.raises(StateError, match="tool 'deep'"):
            take()
