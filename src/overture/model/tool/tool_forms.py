"""Tools in the forms of other SDKs become a Tool; what is odd about them is reported."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from ...errors import StateError, show_value, suggest
from ..diagnostic import Diagnostic, warning
from ..struct import convert_data, explain_error
from .framework_tools import as_framework_tool
from .tool import Tool, check_schema_levels

SCHEMA_KEYS = ("parameters", "input_schema", "inputSchema", "parametersJsonSchema", "parameters_json_schema")
WRAPPERS = ("function", "toolSpec")
"""Under which OpenAI, Ollama and Bedrock put the tool itself."""
DECLARATION_KEYS = ("functionDeclarations", "function_declarations")
"""Under which Gemini puts a list of tools."""
PLAIN_TYPES = ("function", "custom")
"""A `type` that says of a tool no more than that it is one."""
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
    return tuple(tool for index, item in enumerate(data) for tool in read_tools(item, f"{where}[{index}]"))


def _unpack(data: Mapping[str, Any]) -> object:
    """The list in an envelope. A page of a list is not the list."""
    for key in ("result", "toolConfig"):
        if isinstance(data.get(key), Mapping):
            data = data[key]
    if data.get("nextCursor"):
        raise StateError(
            f"'nextCursor' ({data['nextCursor']!r:.40}): there are more tools than these.",
            hint="Fetch every page, and pass all tools in one list.",
        )
    return [data] if any(key in data for key in DECLARATION_KEYS) else data.get("tools", data)


def read_tools(item: object, where: str) -> Iterable[Tool]:
    """The tool that one item of a list is, or the tools that it declares."""
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
    """An object of an SDK or a framework as the mapping that it stands for; anything else as it is."""
    item = as_framework_tool(item)
    dump = getattr(item, "model_dump", None)
    return (
        item if dump is None or isinstance(item, Tool | type) else dump(mode="json", by_alias=True, exclude_none=True)
    )


def _check_alone(key: str, form: Mapping[str, Any], where: str) -> None:
    if others := [name for name, value in form.items() if name != key and value is not None]:
        raise StateError(
            f"{where}: {', '.join(others)} beside {key!r} is not a tool with a schema.",
            hint="Remove it, and add it to the request yourself.",
        )


def _unwrap(form: Mapping[str, Any], where: str) -> tuple[Mapping[str, Any], str]:
    """The tool in its wrapper, with what stands beside it there."""
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
    """The one schema that is given, whatever it is called; Bedrock's lies a level deeper, Gemini's may shout."""
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


def report_tools(tools: Sequence[Tool]) -> list[Diagnostic]:
    """A line for each tool that is not quite in order."""
    return [
        *report_duplicates(tools),
        *(vendor_keys(tool, f"tools[{i}]") for i, tool in enumerate(tools) if tool.foreign),
    ]


def vendor_keys(tool: Tool, field: str | None = None) -> Diagnostic:
    """The keys of a tool that belong to a vendor's own form; `field` is where it stands in a state."""
    where = f"{field}: " if field else "tool "
    message = (
        f"{where}{tool.name!r} has keys of another format, which are stored but not sent: {', '.join(tool.foreign)}"
    )
    advice = "remove them, or add them to the request yourself"
    return Diagnostic("warning", "tool-foreign", f"{message}; {advice}", field=field)


def report_duplicates(tools: Sequence[Tool]) -> list[Diagnostic]:
    """A line for each name that several tools have; the last of them is sent."""
    names = Counter(tool.name for tool in tools)
    return [
        warning("tool-duplicate", f"tools: {name!r} is given {times} times; keep one")
        for name, times in names.items()
        if times > 1
    ]
