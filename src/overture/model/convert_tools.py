"""Tools in the forms of other SDKs and of agent frameworks become a Tool."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from inspect import getattr_static
from types import NoneType, UnionType
from typing import Annotated, Any, NamedTuple, Union, get_args, get_origin, get_type_hints, is_typeddict

import msgspec

from ..errors import StateError, show_value, suggest
from .signature_and_docstring import WRAPPED, inline_references
from .struct import convert_data, explain_error
from .tool import Tool, check_schema_levels

SCHEMA_KEYS = ("parameters", "input_schema", "inputSchema", "parametersJsonSchema", "parameters_json_schema")
WRAPPERS = ("function", "toolSpec")
"""Under which OpenAI, Ollama and Bedrock put the tool itself."""
DECLARATION_KEYS = ("functionDeclarations", "function_declarations")
"""Under which Gemini puts a list of tools."""
PLAIN_TYPES = ("function", "custom")
"""A `type` that adds no information about a tool."""
OWN_KEYS = frozenset(Tool.__struct_encode_fields__)
GIVE_LIST = "Tools must be a list of objects, or an MCP tools/list result."


def tools_from(data: object, where: str = "") -> tuple[Tool, ...]:
    """Convert a list of tools: `tools_from([my_function, {"name": "read"}])`.

    Each may be a Python function, or a definition in the format of OpenAI, Anthropic, MCP or Overture. The whole
    result of MCP's `tools/list` is accepted too. Keys that only one vendor has go into `foreign`. `where` is the name
    of the list in errors.
    """
    data = as_mapping(data)
    if isinstance(data, Mapping):
        data = _unpack(data)
    if not isinstance(data, Sequence) or isinstance(data, str):
        raise StateError(GIVE_LIST)
    return tuple(tool for index, item in enumerate(data) for tool in convert_tool_item(item, f"{where}[{index}]"))


def _unpack(data: Mapping[str, Any]) -> object:
    """The list of tools in an envelope. A page of a list is not the list."""
    for key in ("result", "toolConfig"):
        if isinstance(data.get(key), Mapping):
            data = data[key]
    if data.get("nextCursor"):
        raise StateError(
            f"'nextCursor' ({data['nextCursor']!r:.40}): there are more tools than these.",
            hint="Fetch every page, and pass all tools in one list.",
        )
    return [data] if any(key in data for key in DECLARATION_KEYS) else data.get("tools", data)


def convert_tool_item(item: object, where: str) -> Iterable[Tool]:
    """The tool in one item of a list, or the tools that it declares."""
    if isinstance(item, Tool):
        return (item if type(item) is Tool else read_function(item, where),)
    form = as_mapping(item)
    if callable(form) and not isinstance(form, Mapping):
        return (read_function(form, where),)
    if not isinstance(form, Mapping):
        raise StateError(f"{where}: expected an object that describes a tool, got {show_value(item)}.")
    for key in DECLARATION_KEYS:
        if isinstance(form.get(key), list | tuple):
            _check_alone(key, form, where)
            return tools_from(form[key], f"{where}.{key}")
    return (_make_tool(*_unwrap(form, where)),)


def read_function(item: Any, where: str) -> Tool:
    """The definition of a function, as `overture.tool` makes it."""
    from .function_tool import FunctionTool, define_tool

    # A class's own methods hand over the function that was decorated.
    of = item if isinstance(item, FunctionTool) else getattr(item, "__func__", None)
    try:
        return of.definition if isinstance(of, FunctionTool) else define_tool(item)
    except StateError as problem:
        raise StateError(f"{where}: {problem}" if where else str(problem)) from None


def as_mapping(item: object) -> object:
    """An object of an SDK or a framework as a mapping; anything else unchanged."""
    item = _as_framework_tool(item)
    dump = getattr(item, "model_dump", None)
    return (
        item if dump is None or isinstance(item, Tool | type) else dump(mode="json", by_alias=True, exclude_none=True)
    )


def _check_alone(key: str, form: Mapping[str, Any], where: str) -> None:
    """Refuse a wrapper of tools with something else beside them."""
    if others := [name for name, value in form.items() if name != key and value is not None]:
        raise StateError(
            f"{where}: {', '.join(others)} beside {key!r} is not a tool with a schema.",
            hint="Remove it, and add it to the request yourself.",
        )


def _unwrap(form: Mapping[str, Any], where: str) -> tuple[Mapping[str, Any], str]:
    """The tool in its wrapper, with the keys beside it there."""
    for key in WRAPPERS:
        inner = form.get(key)
        if not isinstance(inner, Mapping):
            continue
        present = {name: value for name, value in inner.items() if value is not None}
        beside = {name: value for name, value in form.items() if name != key and value is not None}
        for name in beside:
            if name != "type" and present.get(name, beside[name]) != beside[name]:
                raise StateError(
                    f"{where}: {name!r} is in {key!r} and beside it, with different values.", hint="Keep one of them."
                )
        return {**inner, **beside, **present}, f"{where}.{key}"
    return form, where


def _make_tool(item: Mapping[str, Any], where: str) -> Tool:
    """The Tool of a definition in any SDK's form."""
    try:
        return convert_data(_convert_to_own_form(item, where), Tool)
    except msgspec.ValidationError as problem:
        raise StateError(explain_error(problem, Tool, at=where)) from None


def _convert_to_own_form(item: Mapping[str, Any], where: str) -> dict[str, Any]:
    """Our keys, the schema under any of its names, and what belongs to a vendor alone."""
    form: dict[str, Any] = {}
    foreign: dict[str, Any] = {}
    for key, value in item.items():
        if key in SCHEMA_KEYS or (key == "type" and value in PLAIN_TYPES):
            continue
        if key in OWN_KEYS:
            form |= {key: value} if value is not None or key == "name" else {}
        elif slip := suggest(str(key), (*OWN_KEYS, *SCHEMA_KEYS), cutoff=0.85):
            # Vendors have keys of their own; one that is nearly one of these is a slip.
            raise StateError(f"{where}: unknown key {key!r}.{slip}")
        elif value is not None:
            foreign[key] = value
    schema = _find_tool_schema(item, where)
    form |= {"parameters": schema} if schema is not None else {}
    known_foreign = form.get("foreign", {})
    return {**form, "foreign": {**known_foreign, **foreign}} if foreign and isinstance(known_foreign, Mapping) else form


def _find_tool_schema(item: Mapping[str, Any], where: str) -> Any:
    """The one schema of a tool, whatever its key; Bedrock's is a level deeper, Gemini's types may be in capitals."""
    schemas = {key: item[key] for key in SCHEMA_KEYS if item.get(key) is not None}
    for key, schema in schemas.items():
        if not isinstance(schema, Mapping):
            raise StateError(f"{where}.{key}: expected an object, got {show_value(schema)}.")
        check_schema_levels(item.get("name"), schema)
        if set(schema) == {"json"} and isinstance(schema["json"], Mapping):
            schemas[key] = schema["json"]
        elif schema.get("type") == "OBJECT":
            schemas[key] = _lower_types(schema)
    for key, schema in schemas.items():
        if schema != next(iter(schemas.values())):
            raise StateError(
                f"{where}: {next(iter(schemas))!r} and {key!r} differ, but a tool has one schema.", hint="Keep one."
            )
    return next(iter(schemas.values()), None)


def _lower_types(schema: Any) -> Any:
    """`OBJECT` and `STRING`, as Gemini has them, as JSON Schema has them."""
    if isinstance(schema, list | tuple):
        return [_lower_types(each) for each in schema]
    if not isinstance(schema, Mapping):
        return schema
    return {
        key: value.lower() if key == "type" and isinstance(value, str) else _lower_types(value)
        for key, value in schema.items()
    }


# Tools of agent frameworks are known by their attributes; no framework is imported, and no tool is called.

Definition = dict[str, Any]


class FrameworkForm(NamedTuple):
    """How a framework holds the definition of a tool."""

    attributes: tuple[str, ...]
    """All of them together belong to this framework alone."""
    read: Callable[[Any], Any]
    """The definition, or an object that holds it."""


def _as_framework_tool(item: object) -> object:
    """The definition that a framework's tool sends to a provider; anything else unchanged."""
    for form in () if isinstance(item, type | Mapping) else FRAMEWORK_FORMS:
        if all(getattr_static(item, name, None) is not None for name in form.attributes):
            return _read_definition(item, form)
    return item


def _read_definition(item: Any, form: FrameworkForm) -> object:
    """Errors of the framework's own code name the tool here."""
    name = getattr(item, "name", None)
    try:
        definition = form.read(item)
    except Exception as problem:
        cause = f"{type(problem).__name__}: {problem}".splitlines()[0]
        raise StateError(f"tool {name!r:.80}: its framework can't describe it ({cause:.120}).") from None
    if definition is None:
        raise StateError(
            f"tool {name!r:.80} has no function: the provider runs it.", hint="Add it to the request yourself."
        )
    return _as_framework_tool(definition)


def _define(item: Any, schema: Any, **more: Any) -> Definition:
    """A tool's name, description and schema; that a framework loads it later is stored, and reported as not sent."""
    later = {"defer_loading": True} if getattr(item, "defer_loading", None) is True else {}
    return {"name": item.name, "description": item.description or None, "parameters": schema, **more, **later}


def _define_agents_tool(tool: Any) -> Definition:
    return _define(tool, tool.params_json_schema, strict=tool.strict_json_schema or None)


def _define_pydantic_tool(definition: Any) -> Definition:
    """With the schema of the result in the description if the program asked for that: most models get it there."""
    fields = _define(definition, definition.parameters_json_schema, strict=definition.strict)
    result = getattr(definition, "return_schema", None)
    if not (result and getattr(definition, "include_return_schema", None)):
        return fields
    texts = (definition.description, "Return schema:", json.dumps(result, indent=2))
    return {**fields, "description": "\n\n".join(filter(None, texts))}


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


SDK_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean", list: "array", dict: "object"}


def _define_sdk_tool(tool: Any) -> Definition:
    schema = tool.input_schema
    if isinstance(schema, Mapping) and not (isinstance(schema.get("type"), str) and "properties" in schema):
        properties = {name: _make_type_schema(hint) for name, hint in schema.items()}
        schema = {"type": "object", "properties": properties, "required": list(properties)}
    elif isinstance(schema, type):
        schema = _make_type_schema(schema) if is_typeddict(schema) else {"type": "object", "properties": {}}
    return _define(tool, schema)


def _make_type_schema(hint: Any) -> Definition:
    """The schema that Claude's Agent SDK makes of a tool's type: optional ones as the type, unknown ones as text."""
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
    return {"type": SDK_TYPES.get(origin or hint, "string"), **items}


FRAMEWORK_FORMS = (
    FrameworkForm(("params_json_schema", "on_invoke_tool"), _define_agents_tool),  # openai-agents: FunctionTool
    FrameworkForm(("tool_def", "function_schema"), lambda tool: tool.tool_def),  # pydantic-ai: Tool
    FrameworkForm(("parameters_json_schema", "kind"), _define_pydantic_tool),  # pydantic-ai: ToolDefinition
    FrameworkForm(("tool_call_schema", "args"), _define_langchain_tool),  # LangChain: BaseTool and what @tool makes
    FrameworkForm(("input_schema", "handler"), _define_sdk_tool),  # Claude Agent SDK: SdkMcpTool
    FrameworkForm(("_get_declaration", "description"), lambda tool: tool._get_declaration()),  # ADK: BaseTool
)
