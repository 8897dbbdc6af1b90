"""The real SDKs take the tools of every recipe, and they arrive with their schemas."""

import json
from typing import Any

import pytest

import overture
from overture import Recipe
from overture.recipes import BUILTIN, builtin
from overture.recipes.ptc.recipe import FINISH
from overture.testing import FakeWorld, make_state
from tests.contract.providers.arriving import Loopback
from tests.contract.providers.sendable import PROVIDERS, SOME
from tests.contract.providers.test_render_contract import SENDERS

TALK = [{"role": "user", "content": "Go."}]


def tools_in(value: Any) -> list[dict[str, Any]]:
    """The tools in a request of any provider, each with its schema under `parameters`."""
    found = value.get("tools") or value.get("toolConfig", {}).get("tools")
    if "functionDeclarations" in found[0]:
        found = found[0]["functionDeclarations"]
    forms = [tool.get("function") or tool.get("toolSpec") or tool for tool in found if "cachePoint" not in tool]
    return [{"name": form["name"], "description": form["description"], "parameters": schema_in(form)} for form in forms]


def schema_in(form: dict[str, Any]) -> Any:
    """The schema under the key that the provider has for it."""
    keys = ("parameters", "input_schema", "parametersJsonSchema", "parameters_json_schema", "inputSchema")
    schema = next(form[key] for key in keys if key in form)
    return schema.get("json", schema)


def own(recipe: Recipe) -> Recipe:
    """The recipe; for one without tools of its own, with those that end its missions."""
    return recipe if recipe.tools else Recipe(recipe.name, recipe.sections, tools=FINISH)


@pytest.mark.slow(unless=("house",))
@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("name", BUILTIN)
def test_the_tools_of_a_recipe_arrive(loopback: Loopback, name: str, provider: str) -> None:
    """All of a recipe's own tools pass the SDK's checks, and reach the provider with every parameter."""
    recipe = own(builtin(name))
    state = make_state(agent={"name": "Ada"}).replace(tools=recipe.tools)
    # Those of ptc are for its programs: a provider has them when they are handed over.
    tools = recipe.tools if name == "ptc" else True
    body = overture.render(provider, overture.build(recipe, state), model=SOME[provider], messages=TALK, tools=tools)
    SENDERS[provider](loopback.url, body)
    arrived = {tool["name"]: (tool["description"], tool["parameters"]) for tool in tools_in(json.loads(loopback.body))}
    taken = flattened if provider == "ollama" else dict
    assert arrived == {tool.name: (tool.description, taken(tool.parameters or {})) for tool in recipe.tools}


def flattened(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema as Ollama's client hands it on: of an object within it, no more than what it is and what it is for."""
    known = ("type", "items", "description", "enum")
    flat = {name: {key: each[key] for key in known if key in each} for name, each in schema["properties"].items()}
    return {**schema, "properties": flat}


@pytest.mark.parametrize("provider", PROVIDERS)
def test_a_session_sends_its_tools_with_their_schemas(loopback: Loopback, provider: str) -> None:
    """What a turn renders can be sent as it is, with the recipe's own tools and those that were registered."""
    live = overture.Session(
        "pi", world=FakeWorld({"/p/AGENTS.md": "Use tabs."}), tools=["read", "bash", "edit", "write"]
    )
    live.register({"name": "deploy", "description": "Ships it.", "input_schema": {"type": "object", "properties": {}}})
    SENDERS[provider](loopback.url, live.turn("Go.").render(provider, model=SOME[provider]))
    tools = {tool["name"]: tool["parameters"] for tool in tools_in(json.loads(loopback.body))}
    assert list(tools) == ["read", "bash", "edit", "write", "deploy"]
    assert set(tools["read"]["properties"]) == {"path", "offset", "limit"}
