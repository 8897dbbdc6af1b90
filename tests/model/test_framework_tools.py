"""A tool of a framework is known by its attributes, whether the framework is installed or not."""

from types import SimpleNamespace as Object
from typing import Any

import pytest

from overture import Session, State, StateError, build, render, tools_from
from overture.model.tool import Tool
from overture.session.change_session import unregister_tools
from overture.session.session import get_parts
from overture.testing import FakeWorld

SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}}


def called(*_: object, **__: object) -> object:
    """A tool's own function."""
    raise AssertionError("called")


class Model:
    """A model of arguments, as pydantic has them."""

    @staticmethod
    def model_json_schema() -> dict[str, Any]:
        """With titles, a description and a reference that leads back to itself."""
        node = {"title": "Node", "type": "string", "properties": {"next": {"$ref": "#/$defs/Node"}}}
        properties = {"path": {"$ref": "#/$defs/Node"}}
        return {
            "title": "read",
            "description": "d",
            "type": "object",
            "properties": properties,
            "$defs": {"Node": node},
        }


class Declares(Object):
    """A tool of Google ADK."""

    def _get_declaration(self) -> Any:
        return self.declaration


def named(**more: Any) -> Object:
    """An object with a tool's name and description."""
    return Object(name="read", description="Reads", **more)


class Mapped:
    """A declaration of google-genai."""

    @staticmethod
    def model_dump(**_: Any) -> dict[str, Any]:
        """The mapping that it stands for."""
        return {"name": "read", "description": "Reads", "parametersJsonSchema": SCHEMA}


FORMS: dict[str, Any] = {
    "openai-agents": named(params_json_schema=SCHEMA, strict_json_schema=False, on_invoke_tool=called),
    "pydantic-ai definition": named(parameters_json_schema=SCHEMA, strict=None, kind="function"),
    "pydantic-ai": Object(function_schema=1, tool_def=named(parameters_json_schema=SCHEMA, strict=None, kind="f")),
    "claude-agent-sdk": named(input_schema={"path": str}, handler=called),
    "langchain": named(args_schema=SCHEMA, args={}, tool_call_schema={**SCHEMA, "description": "Reads"}, func=called),
    "google-adk": Declares(name="x", description="x", declaration=Mapped()),
}  # fmt: skip


def parameters(name: str) -> dict[str, Any]:
    """The SDK's server adds which of the arguments have to be there."""
    return {**SCHEMA, "required": ["path"]} if name == "claude-agent-sdk" else SCHEMA


@pytest.mark.parametrize("name", FORMS)
def test_a_frameworks_tool_is_a_tool_wherever_tools_are_taken(name: str) -> None:
    """Lists, states, sessions and requests take it, with name, description and schema, and never call it."""
    tool, wanted = FORMS[name], Tool("read", "Reads", parameters(name))
    assert tools_from([tool]) == State(tools=[tool]).tools == (wanted,)  # type: ignore[arg-type]
    assert State.from_dict({"tools": [tool]}).tools == State().replace(tools=(tool,)).tools == (wanted,)
    world = FakeWorld({"/p/AGENTS.md": "Rules."})
    live = Session("house", tools=[tool], world=world, cwd="/p", home="/h")
    assert live.turn("Go").tools == (wanted,)
    unregister_tools(get_parts(live), ["read"])
    live.register(tool)
    assert live.turn("Go").tools == (wanted,)
    body = render("anthropic", build("house", State()), tools=[tool])
    assert body["tools"][0]["input_schema"] == wanted.parameters


def test_a_models_schema_comes_without_references_and_titles() -> None:
    """LangChain's chat models get a model's schema so; a reference that leads back to itself allows anything."""
    tool = named(args_schema=Model, args={}, tool_call_schema=Model)
    properties = {"path": {"type": "string", "properties": {"next": {}}}}
    assert tools_from([tool])[0].parameters == {"type": "object", "properties": properties}


def test_what_a_framework_can_not_describe_is_an_error_with_its_name() -> None:
    """What the framework raises, and a tool that a provider runs, are a StateError that names the tool."""
    with pytest.raises(StateError, match=r"tool 'read': its framework can't describe it \(AttributeError: "):
        tools_from([named(input_schema=None, args_schema=object(), args={}, tool_call_schema=object())])
    with pytest.raises(StateError, match=r"tool 'search' has no function"):
        tools_from([Declares(name="search", description="d", declaration=None)])
