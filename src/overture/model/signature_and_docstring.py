"""A function's signature and docstring become the JSON Schema of its arguments and of its result."""

import dataclasses
import inspect
import sys
import types
from collections import abc
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from functools import partial
from typing import (
    Annotated,
    Any,
    Literal,
    NamedTuple,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

import msgspec

from ..errors import StateError, find_similar
from ..text.normalize import to_one_line

LIMITS = {"ge": "minimum", "gt": "exclusiveMinimum", "le": "maximum", "lt": "exclusiveMaximum",
          "multiple_of": "multipleOf", "pattern": "pattern", "examples": "examples"}  # fmt: skip
LENGTHS = {"min_length": "min", "max_length": "max"}
LENGTH_OF = {"string": "Length", "array": "Items", "object": "Properties"}


def add_notes_to_schema(schema: dict[str, Any], notes: Iterable[Any]) -> dict[str, Any]:
    """A schema with the notes beside its type: a text, `Doc`, `msgspec.Meta`, pydantic's `Field`, `Ge` and others."""
    for note in notes:
        if description := describe_note(note):
            schema = {**schema, "description": description}
        limits = getattr(note, "metadata", None)  # a list in pydantic's `Field`
        for each in (note, *(limits if isinstance(limits, list | tuple) else ())):
            schema = {**schema, **_read_annotation_limits(each, schema.get("type"))}
    return schema


def describe_note(note: Any) -> str | None:
    """The description in a note."""
    text = note if isinstance(note, str) else getattr(note, "description", None) or getattr(note, "documentation", None)
    return text if isinstance(text, str) else None


def _read_annotation_limits(note: Any, kind: Any) -> dict[str, Any]:
    if isinstance(note, str | type):
        return {}
    limits = {key: value for name, key in LIMITS.items() if (value := getattr(note, name, None)) is not None}
    of = LENGTH_OF.get(kind) if isinstance(kind, str) else None
    for name, side in LENGTHS.items() if of else ():
        if (value := getattr(note, name, None)) is not None:
            limits[f"{side}{of}"] = value
    return {key: value for key, value in limits.items() if isinstance(value, str | int | float | list)}


class RecordField(NamedTuple):
    """One field of a class."""

    name: str
    hint: Any
    required: bool


def record_fields(cls: type) -> list[RecordField] | None:
    """The fields of a class, in order; None if it is no class of fields, or its annotations can't be resolved."""
    try:
        fields = _list_record_fields(cls)
    except (NameError, TypeError, AttributeError):
        return None
    return None if fields is None else list(fields)


def _list_record_fields(cls: type) -> Iterator[RecordField] | None:
    if issubclass(cls, msgspec.Struct):
        return (RecordField(f.encode_name, f.type, f.required) for f in msgspec.structs.fields(cls))
    if is_typeddict(cls):
        needed: frozenset[str] = getattr(cls, "__required_keys__", frozenset())
        return (RecordField(name, hint, name in needed) for name, hint in _hints(cls).items())
    if dataclasses.is_dataclass(cls):
        return _list_dataclass_fields(cls)
    if issubclass(cls, tuple) and hasattr(cls, "_field_defaults"):
        return (RecordField(name, _hints(cls).get(name, Any), name not in cls._field_defaults) for name in cls._fields)  # type: ignore[attr-defined]
    return None


def _list_dataclass_fields(cls: type) -> Iterator[RecordField]:
    hints, missing = _hints(cls), dataclasses.MISSING
    for field in dataclasses.fields(cls):
        if field.init:
            required = field.default is missing and field.default_factory is missing
            yield RecordField(field.name, hints[field.name], required)


def _hints(cls: type) -> dict[str, Any]:
    return get_type_hints(cls, include_extras=True)


# A JSON Schema with references -> the same without: a nested schema has no root of its own.


PREFIX = "#/$defs/"
MAX_REFERENCE_LEVELS = 20
AN_OBJECT: dict[str, Any] = {"type": "object"}


def inline_references(schema: Mapping[str, Any], cycle: dict[str, Any] = AN_OBJECT) -> dict[str, Any]:
    """The schema with each reference inlined; a reference that leads back to itself becomes `cycle`."""
    defs = schema.get("$defs", {})
    own = {key: value for key, value in schema.items() if key != "$defs"}
    inlined: dict[str, Any] = _inline_schema(own, defs, (), cycle)
    return inlined


def _inline_schema(value: Any, defs: dict[str, Any], path: tuple[str, ...], cycle: dict[str, Any]) -> Any:
    if isinstance(value, list):
        return [_inline_schema(item, defs, path, cycle) for item in value]
    if not isinstance(value, dict):
        return value
    ref = value.get("$ref")
    if not isinstance(ref, str):
        return {key: _inline_schema(item, defs, path, cycle) for key, item in value.items()}
    beside = {key: _inline_schema(item, defs, path, cycle) for key, item in value.items() if key != "$ref"}
    name = ref.removeprefix(PREFIX)
    if name in path or name not in defs or len(path) >= MAX_REFERENCE_LEVELS:
        return {**cycle, **beside}
    return {**_inline_schema(defs[name], defs, (*path, name), cycle), **beside}


Schema = dict[str, Any]
ANYTHING: tuple[Any, ...] = (Any, object)
PLAIN: tuple[tuple[type, Schema], ...] = (
    # The first that fits counts: True is an int, and a datetime is a date.
    (bool, {"type": "boolean"}),
    (int, {"type": "integer"}),
    (float, {"type": "number"}),
    (Decimal, {"type": "number"}),
    (str, {"type": "string"}),
    (bytes, {"type": "string", "contentEncoding": "base64"}),
    (datetime, {"type": "string", "format": "date-time"}),
    (date, {"type": "string", "format": "date"}),
    (time, {"type": "string", "format": "time"}),
    (timedelta, {"type": "string", "format": "duration"}),
)
KINDS = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}
LISTS = (list, tuple, set, frozenset, abc.Sequence, abc.MutableSequence, abc.Iterable, abc.Collection, abc.Set)
MAPS = (dict, abc.Mapping, abc.MutableMapping)
WRAPPED = ("Required", "NotRequired", "ReadOnly", "Final", "ClassVar")


class UnsupportedTypeError(TypeError):
    """An annotation whose values JSON can't represent."""


class UnresolvedTypeError(UnsupportedTypeError):
    """An annotation with a name that is not defined, or not yet."""


IgnoredErrors = tuple[type[UnsupportedTypeError], ...]
"""Errors that are ignored: the type then allows any value."""


def annotation_schema(hint: Any, outer: frozenset[Any] = frozenset()) -> Schema:
    """The schema of an annotation; `outer` are the types around it. A type that JSON lacks is an error."""
    origin, args = get_origin(hint), get_args(hint)
    if hint in ANYTHING:
        return {}
    if hint is None or hint is type(None):
        return {"type": "null"}
    if origin is Annotated:
        return add_notes_to_schema(annotation_schema(args[0], outer), args[1:])
    if origin is Literal:
        return make_literal_schema([arg.value if isinstance(arg, Enum) else arg for arg in args], hint)
    if origin in (Union, types.UnionType):
        return merge_schema_choices([annotation_schema(arg, outer) for arg in args])
    if getattr(origin, "__name__", getattr(origin, "_name", None)) in WRAPPED:
        return annotation_schema(args[0], outer)
    if isinstance(hint, TypeVar):
        return annotation_schema(hint.__bound__ if hint.__bound__ is not None else Any, outer)
    for inner in ("__supertype__", "__value__"):  # NewType, and a type alias
        if hasattr(hint, inner):
            return {} if hint in outer else annotation_schema(getattr(hint, inner), outer | {hint})
    return _make_class_schema(origin or hint, args, outer, hint)


def _make_class_schema(cls: Any, args: tuple[Any, ...], outer: frozenset[Any], hint: Any) -> Schema:
    if not isinstance(cls, type):
        raise UnsupportedTypeError(hint)
    if issubclass(cls, Enum):
        return make_literal_schema([member.value for member in cls], hint)
    if callable(describe := getattr(cls, "model_json_schema", None)):  # pydantic's models, and similar classes
        try:
            return inline_references(describe())
        except Exception:  # the class has errors of its own for what JSON lacks
            raise UnsupportedTypeError(hint) from None
    if (known := record_fields(cls)) is not None:
        return {"type": "object"} if cls in outer else _make_record_schema(known, outer | {cls})
    if cls in MAPS or issubclass(cls, dict):
        values = annotation_schema(args[1], outer) if len(args) == 2 else {}
        return {"type": "object", "additionalProperties": values} if values else {"type": "object"}
    if cls in LISTS or issubclass(cls, list | set | frozenset):
        return _make_array_schema(cls, args, outer)
    for plain, schema in PLAIN:
        if issubclass(cls, plain):
            return dict(schema)
    if hasattr(cls, "__fspath__"):
        return {"type": "string"}
    if (cls.__module__, cls.__name__) == ("uuid", "UUID"):
        return {"type": "string", "format": "uuid"}
    raise UnsupportedTypeError(hint)


def _make_array_schema(cls: type, args: tuple[Any, ...], outer: frozenset[Any]) -> Schema:
    """A list; of a tuple the length too. Every provider wants `items`, and none takes one for each place."""
    if cls is tuple and args and args[-1] is not ...:
        items = [annotation_schema(arg, outer) for arg in args if arg != ()]
        return {"type": "array", "items": merge_schema_choices(items), "minItems": len(items), "maxItems": len(items)}
    unique = {"uniqueItems": True} if issubclass(cls, abc.Set) else {}
    return {"type": "array", "items": annotation_schema(args[0], outer) if args else {}, **unique}


def _make_record_schema(known: list[Any], outer: frozenset[Any]) -> Schema:
    schema: Schema = {"type": "object", "properties": {f.name: annotation_schema(f.hint, outer) for f in known}}
    required = [f.name for f in known if f.required]
    return {**schema, "required": required} if required else schema


def make_literal_schema(values: list[Any], hint: Any) -> Schema:
    """One of these values, which must be JSON values; with their type, if they share one."""
    kinds = {KINDS.get(type(value)) for value in values}
    if None in kinds:
        raise UnsupportedTypeError(hint)
    return {"type": kinds.pop(), "enum": values} if len(kinds) == 1 else {"enum": values}


def merge_schema_choices(choices: list[Schema]) -> Schema:
    """One of several: a list if all are plain types, and no constraint if one allows anything."""
    unique = [choice for index, choice in enumerate(choices) if choice not in choices[:index]]
    if len(unique) <= 1 or {} in unique:
        return dict(unique[0]) if len(unique) == 1 else {}
    if all(set(choice) == {"type"} and isinstance(choice["type"], str) for choice in unique):
        return {"type": [choice["type"] for choice in unique]}
    return {"anyOf": unique}


class ParsedDocstring(NamedTuple):
    """The summary and the parameters of a docstring."""

    summary: str
    parameters: dict[str, str]


def parse_docstring(text: str) -> ParsedDocstring:
    """Take a docstring apart: its first paragraph, and its parameters in the style of Google, NumPy or Sphinx."""
    from docstring_parser import ParseError, parse

    try:
        parsed = parse(f".\n\n{text}")  # it takes no docstring that begins with its parameters
    except ParseError:
        return ParsedDocstring(to_one_line(text.strip().partition("\n\n")[0]), {})
    described = {
        name.strip(" *\\"): to_one_line(each.description)
        for each in parsed.params
        for name in each.arg_name.split(",")
        if each.description
    }
    paragraphs = (parsed.description or "").split("\n\n")
    return ParsedDocstring(to_one_line(paragraphs[1]) if len(paragraphs) > 1 else "", described)


EMPTY = inspect.Parameter.empty
OWN = ("self", "cls")
CONTEXTS = ("RunContext", "RunContextWrapper", "ToolContext", "ToolRuntime")
"""Classes whose instances their frameworks inject; `Context` is one if the parameter is `ctx` or `context`."""
CONTEXT_NAMES = ("ctx", "context")


class UnresolvedName(str):
    """An annotation with an undefined name; the text is that name."""


def read_parameters(
    function: Callable[..., Any],
    name: str,
    about: Mapping[str, str],
    without: tuple[str, ...],
    passed: IgnoredErrors = (),
) -> Schema:
    """The schema of a function's arguments. `about` describes them; `without` are not the model's to give.

    A type that JSON can't represent is an error that names the parameter, unless `passed` contains the error.
    """
    all_of_it = inspect_signature(function)
    hidden = {*without, *_collect_partial_names(function)}
    if unknown := [each for each in without if each not in all_of_it.parameters]:
        tip = find_similar(unknown[0], all_of_it.parameters)
        raise StateError(f"tool {name!r}: without {unknown[0]!r}: no such parameter.", tip=tip)
    shown = [each for each in _list_inputs(function, all_of_it) if each[0].name not in hidden]
    schema: Schema = {"type": "object", "properties": {}}
    for parameter, hint in shown:
        if parameter.kind is parameter.VAR_KEYWORD:
            schema["additionalProperties"] = True
        else:
            schema_part = _make_parameter_schema(parameter, hint, about.get(parameter.name), name, passed)
            schema["properties"][parameter.name] = schema_part
    required = [parameter.name for parameter, _ in shown if _is_required(parameter)]
    return {**schema, "required": required} if required else schema


def result_schema(function: Callable[..., Any]) -> Schema | None:
    """The schema of what a function returns; None if it is not annotated, or JSON can't represent it."""
    if isinstance(function, type):
        return None
    hint = resolve_hints(function, "return", inspect_signature(function).return_annotation)
    if hint in (EMPTY, None, type(None)) or isinstance(hint, UnresolvedName):
        return None
    try:
        return annotation_schema(hint) or None
    except UnsupportedTypeError:
        return None


def inspect_signature(function: Callable[..., Any]) -> inspect.Signature:
    """The signature; some functions in C have none."""
    _complete_model(unwrap_function(function))
    try:
        return inspect.signature(function)
    except (ValueError, TypeError, NameError) as problem:
        raise StateError(f"Can't read the signature of {function!r:.80}: {problem}.") from None


def _complete_model(called: Any) -> None:
    """Give a model or dataclass of pydantic that names a class below it its fields: before, their types are unknown."""
    if not isinstance(called, type) or getattr(called, "__pydantic_complete__", True) is not False:
        return
    rebuild: Any = getattr(called, "model_rebuild", None)
    if rebuild is None:  # a dataclass; that module made it
        rebuild = partial(sys.modules["pydantic.dataclasses"].rebuild_dataclass, called)
    try:  # depth 0: otherwise it looks for the class among the names of this function
        rebuild(raise_errors=False, _parent_namespace_depth=0)
    except Exception as problem:
        reason = str(problem).partition("\n")[0].rstrip(".")
        raise StateError(f"Can't read the fields of {called!r:.80}: {reason}.") from None


def _collect_partial_names(function: Callable[..., Any]) -> frozenset[str]:
    """Arguments that a partial sets by name: the model neither sets nor sees them."""
    names: set[str] = set()
    while isinstance(function, partial):
        names.update(function.keywords)
        function = function.func
    return frozenset(names)


def unwrap_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function that a partial, or a partial of one, calls."""
    while isinstance(function, partial):
        function = function.func
    return function


def _list_inputs(function: Callable[..., Any], signature: inspect.Signature) -> Iterator[tuple[inspect.Parameter, Any]]:
    """The parameters that a caller gives by name, each with its annotation: no `self`, no context, no `*args`."""
    for index, parameter in enumerate(signature.parameters.values()):
        hint = resolve_hints(function, parameter.name, parameter.annotation)
        own = index == 0 and parameter.name in OWN and hint is EMPTY
        if (
            not own
            and parameter.kind is not parameter.VAR_POSITIONAL
            and not _is_context_parameter(parameter.name, hint)
        ):
            yield parameter, hint


def _is_context_parameter(name: str, hint: Any) -> bool:
    called = getattr(get_origin(hint) or hint, "__name__", "")
    return called in CONTEXTS or (called == "Context" and name in CONTEXT_NAMES)


def resolve_hints(function: Callable[..., Any], name: str, annotation: Any) -> Any:
    """The type that an annotation names. Each is resolved by itself, so that one failure does not affect the others."""
    target: Any = unwrap_function(function)
    target = target if inspect.isroutine(target) else target.__call__
    known = getattr(inspect.unwrap(getattr(target, "__func__", target)), "__globals__", {})

    def alone() -> None: ...

    alone.__annotations__ = {name: annotation}
    if annotation is EMPTY:
        return EMPTY
    try:
        return get_type_hints(alone, known, include_extras=True)[name]
    except Exception as problem:  # an annotation is code of the caller's: whatever it does, it names no type
        return UnresolvedName(f"{annotation!r:.60}, which can't be resolved ({problem})")


def _is_required(parameter: inspect.Parameter) -> bool:
    """Whether a caller has to give a parameter."""
    if parameter.kind is parameter.VAR_KEYWORD:
        return False
    if _is_field(parameter.default):
        return bool(parameter.default.is_required())
    return parameter.default is EMPTY


def _is_field(default: Any) -> bool:
    """Whether a default is pydantic's `Field(…)`, which holds the real one."""
    return callable(getattr(default, "is_required", None)) and hasattr(default, "description")


def _make_parameter_schema(
    parameter: inspect.Parameter, hint: Any, about: str | None, name: str, passed: IgnoredErrors
) -> Schema:
    try:
        if isinstance(hint, UnresolvedName):
            raise UnresolvedTypeError(hint)
        schema = {} if hint is EMPTY else annotation_schema(hint)
    except UnsupportedTypeError as problem:
        if isinstance(problem, passed):
            return {}
        raise StateError(_explain_unsupported(parameter.name, name, problem.args[0])) from None
    default = parameter.default
    if _is_field(default):
        about, default = describe_note(default) or about, EMPTY if default.is_required() else default.default
    words = {"description": about} if about and "description" not in schema else {}
    return {**schema, **words, **_make_default_schema(default)}


def _explain_unsupported(parameter: str, tool: str, hint: Any) -> str:
    """The error about a parameter whose type JSON does not have."""
    kind = hint if isinstance(hint, UnresolvedName) else getattr(hint, "__name__", repr(hint))
    message = f"tool {tool!r}: parameter {parameter!r} is {kind}"
    what = "" if isinstance(hint, UnresolvedName) else ", which JSON can't represent"
    return f"{message}{what}. Change its annotation, or omit it: overture.tool(…, without=[{parameter!r}])."


def _make_default_schema(value: Any) -> Schema:
    """A default that JSON can represent; None is equal to no default."""
    plain = value.value if isinstance(value, Enum) else value
    if plain is EMPTY or plain is None or type(plain) not in (str, int, float, bool, list, dict, tuple):
        return {}
    try:
        encoded = msgspec.json.decode(msgspec.json.encode(plain))
    except (TypeError, ValueError, RecursionError):
        return {}
    return {} if encoded is None else {"default": encoded}  # JSON has no infinity
