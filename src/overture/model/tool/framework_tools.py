"""Tools of agent frameworks are known by their attributes; no framework is imported, and no tool is called."""

import json
from collections.abc import Callable, Mapping
from inspect import getattr_static
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin, get_type_hints, is_typeddict

from ...errors import StateError
from .annotation_schema import WRAPPED, inline_references

Definition = dict[str, Any]


class FrameworkForm(NamedTuple):
    """How a framework holds the definition of a tool."""

    attributes: tuple[str, ...]
    """All of them together belong to this framework alone."""
    read: Callable[[Any], Any]
    """The definition, or an object that holds it."""


def as_framework_tool(item: object) -> object:
    """The definition that a framework's tool sends to a provider; anything else as it is."""
    for form in () if isinstance(item, type | Mapping) else FRAMEWORK_FORMS:
        if all(getattr_static(item, name, None) is not None for name in form.attributes):
            return _read_definition(item, form)
    return item


def _read_definition(item: Any, form: FrameworkForm) -> object:
    """What the framework's own code raises names the tool here."""
    name = getattr(item, "name", None)
    try:
        found = form.read(item)
    except Exception as problem:
        cause = f"{type(problem).__name__}: {problem}".splitlines()[0]
        raise StateError(f"tool {name!r:.80}: its framework can't describe it ({cause:.120}).") from None
    if found is None:
        raise StateError(
            f"tool {name!r:.80} has no function: the provider runs it.", hint="Add it to the request yourself."
        )
    return as_framework_tool(found)


def _define(item: Any, schema: Any, **more: Any) -> Definition:
    """Name, description and schema; that a framework loads a tool later is kept, and named as not sent."""
    later = {"defer_loading": True} if getattr(item, "defer_loading", None) is True else {}
    return {"name": item.name, "description": item.description or None, "parameters": schema, **more, **later}


def _define_agents_tool(tool: Any) -> Definition:
    return _define(tool, tool.params_json_schema, strict=tool.strict_json_schema or None)


def _define_pydantic_tool(definition: Any) -> Definition:
    """With the schema of the result in the description where the program asked for that: most models get it there."""
    found = _define(definition, definition.parameters_json_schema, strict=definition.strict)
    result = getattr(definition, "return_schema", None)
    if not (result and getattr(definition, "include_return_schema", None)):
        return found
    texts = (definition.description, "Return schema:", json.dumps(result, indent=2))
    return {**found, "description": "\n\n".join(filter(None, texts))}


# LangChain: a model's schema without references and titles, because that is how its chat models get it.


def _define_langchain_tool(tool: Any) -> Definition:
    if tool.args_schema is None and tool.args == {"tool_input": {"type": "string"}}:
        argument = {"__arg1": {"title": "__arg1", "type": "string"}}  # of a tool that takes one text
        return _define(tool, {"properties": argument, "required": ["__arg1"], "type": "object"})
    schema = tool.tool_call_schema
    schema = schema if isinstance(schema, Mapping) else schema.model_json_schema()
    whole = inline_references(schema, cycle={})
    return _define(tool, _drop_titles({key: value for key, value in whole.items() if key != "description"}))


def _drop_titles(schema: Mapping[str, Any], under: str = "") -> Definition:
    """Without titles; a property of that name stays."""
    return {
        key: _drop_titles(value, key) if isinstance(value, Mapping) else value
        for key, value in schema.items()
        if key != "title" or (under == "properties" and isinstance(value, Mapping))
    }


# Claude Agent SDK: a JSON Schema, or types by name, in the few types that its server knows.


PLAIN_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array", dict: "object"}


def _define_sdk_tool(tool: Any) -> Definition:
    schema = tool.input_schema
    if isinstance(schema, Mapping) and not (isinstance(schema.get("type"), str) and "properties" in schema):
        properties = {name: _make_type_schema(hint) for name, hint in schema.items()}
        schema = {"type": "object", "properties": properties, "required": list(properties)}
    elif isinstance(schema, type):
        schema = _make_type_schema(schema) if is_typeddict(schema) else {"type": "object", "properties": {}}
    return _define(tool, schema)


def _make_type_schema(hint: Any) -> Definition:
    """What the SDK's server says of a type: an optional one is the type itself, and a strange one a text."""
    origin, args = get_origin(hint), get_args(hint)
    if getattr(origin, "__name__", getattr(origin, "_name", None)) in WRAPPED:
        return _make_type_schema(args[0])
    if origin is Annotated:
        description = next((note for note in args[1:] if isinstance(note, str)), None)
        return {**_make_type_schema(args[0]), **({"description": description} if description is not None else {})}
    if origin in (Union, UnionType):
        choices = [_make_type_schema(each) for each in args if each is not NoneType]
        return choices[0] if len(choices) == 1 else {"anyOf": choices}
    if is_typeddict(hint):
        hints, required = get_type_hints(hint, include_extras=True), sorted(hint.__required_keys__)
        properties = {name: _make_type_schema(each) for name, each in hints.items()}
        return {"type": "object", "properties": properties, **({"required": required} if required else {})}
    items = {"items": _make_type_schema(args[0])} if origin is list and args else {}
    return {"type": PLAIN_TYPES.get(origin or hint, "string"), **items}


FRAMEWORK_FORMS = (
    FrameworkForm(("params_json_schema", "on_invoke_tool"), _define_agents_tool),  # openai-agents: FunctionTool
    FrameworkForm(("tool_def", "function_schema"), lambda tool: tool.tool_def),  # pydantic-ai: Tool
    FrameworkForm(("parameters_json_schema", "kind"), _define_pydantic_tool),  # pydantic-ai: ToolDefinition
    FrameworkForm(("tool_call_schema", "args"), _define_langchain_tool),  # LangChain: BaseTool and what @tool makes
    FrameworkForm(("input_schema", "handler"), _define_sdk_tool),  # Claude Agent SDK: SdkMcpTool
    FrameworkForm(("_get_declaration", "description"), lambda tool: tool._get_declaration()),  # ADK: BaseTool
)
