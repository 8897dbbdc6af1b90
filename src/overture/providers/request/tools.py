"""Tools -> what providers want: the recipe's own first, the others by name, every schema with sorted keys."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from ...errors import StateError
from ...model.admitted import AdmittedTool
from ...model.diagnostic import Diagnostic
from ...model.recipe.recipe import Recipe
from ...model.state.tool import Tool
from ...sections.signature.tool_schema import parameters_of

EMPTY: dict[str, Any] = {"properties": {}, "type": "object"}
"""A tool without a schema takes no arguments; providers want that said."""


def in_order(tools: Iterable[Tool], recipe: Recipe) -> tuple[Tool, ...]:
    """The tools that can be called, in an order that does not depend on who came online first."""
    own = {tool.name: index for index, tool in enumerate(recipe.tools)}
    return tuple(sorted(callable_tools(tools), key=lambda tool: (own.get(tool.name, len(own)), tool.name)))


def callable_tools(tools: Iterable[Tool]) -> tuple[Tool, ...]:
    """The tools that are not for planning only, if no two have one name."""
    called = tuple(tool for tool in tools if not tool.planning_only)
    seen: set[str] = set()
    for tool in called:
        if tool.name in seen:
            raise StateError(f"Two tools are named {tool.name!r}, and a provider takes one. Rename or remove one.")
        seen.add(tool.name)
    return called


def schema_of(tool: AdmittedTool) -> dict[str, Any]:
    """The JSON Schema of a tool's arguments, an object in any case; without one, what the signature says."""
    given = parameters_of(tool)
    if not given:
        return dict(EMPTY)
    return {"type": "object", **given} if "type" not in given else given


def without_schema(tools: Iterable[Tool]) -> list[Diagnostic]:
    """A line for each tool that is sent as one without arguments because nothing says which it takes."""
    return [
        Diagnostic(
            "warning",
            "tool-schema",
            f"tool {tool.name!r} has no schema: it is sent as one that takes no arguments; give it `parameters`",
        )
        for tool in tools
        if not tool.planning_only and not parameters_of(tool)
    ]


def described(tool: AdmittedTool, schema: str, **more: Any) -> dict[str, Any]:
    """Name, description and, under the key `schema`, the arguments; keys sorted at every depth."""
    about = {"description": tool.description} if tool.description else {}
    form: dict[str, Any] = sorted_keys({"name": tool.name, **about, schema: schema_of(tool), **more})
    return form


def strictly(tool: AdmittedTool) -> dict[str, bool]:
    """That calls have to fit the schema, for the providers that can see to it; not every model takes more than that."""
    return {"strict": True} if tool.strict else {}


def tools_text(tools: Sequence[AdmittedTool]) -> str:
    """The tools as a provider reads them: what stands before the system prompt."""
    form = [described(tool, "parameters") for tool in tools]
    return msgspec.json.encode(form).decode() if form else ""


def sorted_keys(value: Any) -> Any:
    """The same value with the keys of every object sorted, so that it is always written the same way."""
    if isinstance(value, dict):
        return {key: sorted_keys(value[key]) for key in sorted(value)}
    if isinstance(value, list | tuple):
        return [sorted_keys(item) for item in value]
    return value
