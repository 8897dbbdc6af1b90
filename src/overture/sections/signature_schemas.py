"""Types are made from JSON Schema, functions and values, and become JSON Schema. Unsupported types are `:any`."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from ..model.signature_and_docstring import UnsupportedTypeError, read_parameters, result_schema
from ..text.escape import unescape_percent
from .literal import is_hidden
from .signature import ANY, MAP, Field, Function, ListOf, MapOf, Name, Simple, Type, make_optional, unite_types

MAX_INFERRED_LEVELS = 6
"""Below this depth a type is `:any`."""
MAX_INFERRED_FIELDS = 20
"""A map with more keys than this is `:map`: it is a table, not a record."""
KINDS: tuple[tuple[Name, type | tuple[type, ...]], ...] = (
    ("bool", bool),
    ("int", int),
    ("float", (int, float)),
    ("string", str),
    ("datetime", datetime),
)
MAX_READ_LEVELS = 20
MAX_READ_NODES = 5000
"""How much of a schema is read. References can double at every level; the rest is `:any`."""
SIMPLE: dict[str, dict[str, Any]] = {
    "string": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
    # Other readers ignore an unknown format; `from_schema` restores the keyword from it.
    "keyword": {"type": "string", "format": "keyword"},
    "map": {"type": "object"},
    "any": {},
    "datetime": {"type": "string", "format": "date-time"},
}
READ: dict[str, Type] = {
    "string": Simple("string"),
    "integer": Simple("int"),
    "number": Simple("float"),
    "boolean": Simple("bool"),
}
READ_BY_KIND = ("properties", "items", "required", "format", "nullable")
"""The other keys that are read if `type` is a list."""
FORMATS: dict[str, Type] = {"date-time": Simple("datetime"), "keyword": Simple("keyword")}


def infer(value: Any) -> Type:
    """The type of one value: `[{id: 1}, {id: 2, name: "x"}]` is `[{id :int, name :string?}]`."""
    return infer_all((value,))


def infer_all(values: Iterable[Any], levels: int = MAX_INFERRED_LEVELS, secret: bool = False) -> Type:
    """One type for all of the values; optional if one of them is nil. The keys of `secret` maps are not shown."""
    all_values = list(values)
    present = [value for value in all_values if value is not None]
    if not present or levels == 0:
        return ANY
    common_type = _infer_common_type(present, levels, secret)
    return make_optional(common_type) if len(present) < len(all_values) and common_type != ANY else common_type


def _infer_common_type(values: list[Any], levels: int, secret: bool) -> Type:
    if all(isinstance(value, Mapping) for value in values):
        return MAP if secret else _infer_map_type(values, levels)
    if all(isinstance(value, (list, tuple)) for value in values):
        return ListOf(infer_all((item for value in values for item in value), levels - 1, secret))
    # A bool is an int in Python only.
    flags = sum(isinstance(value, bool) for value in values)
    if 0 < flags < len(values):
        return ANY
    for name, kind in KINDS:
        if all(isinstance(value, kind) for value in values):
            return Simple(name)
    return ANY


def _infer_map_type(values: Sequence[Mapping[Any, Any]], levels: int) -> Type:
    keys = dict.fromkeys(key for value in values for key in value)
    if not 0 < len(keys) <= MAX_INFERRED_FIELDS or not all(isinstance(key, str) for key in keys):
        return MAP
    return MapOf(tuple(Field(key, _infer_field_type(key, values, levels - 1)) for key in keys))


def _infer_field_type(key: str, values: Sequence[Mapping[Any, Any]], levels: int) -> Type:
    present = [value[key] for value in values if key in value]
    field_type = infer_all(present, levels, is_hidden(key))
    return make_optional(field_type) if len(present) < len(values) else field_type


def to_schema(type: Type) -> dict[str, Any]:
    """The JSON Schema that accepts the same values."""
    schema = _make_type_schema(type)
    if not type.optional or not schema:
        return schema
    if set(schema) <= {"type", "format"}:
        return {**schema, "type": [schema["type"], "null"]}
    return {"anyOf": [schema, {"type": "null"}]}


def _make_type_schema(type: Type) -> dict[str, Any]:
    """The JSON Schema of a type that is not optional."""
    if isinstance(type, Simple):
        return dict(SIMPLE[type.name])
    if isinstance(type, ListOf):
        return {"type": "array", "items": to_schema(type.item)}
    required = [field.name for field in type.fields if not field.type.optional]
    schema = {"type": "object", "properties": {field.name: to_schema(field.type) for field in type.fields}}
    return {**schema, "required": required} if required else schema


def from_schema(schema: object) -> Type:
    """The type that a JSON Schema describes, as far as the language can express it."""
    return SchemaReader(schema).type(schema, MAX_READ_LEVELS, frozenset())


def params_from_schema(schema: object) -> tuple[Field, ...]:
    """The parameters of a tool whose arguments a JSON Schema describes."""
    parsed = from_schema(schema)
    return parsed.fields if isinstance(parsed, MapOf) else ()


class SchemaReader:
    """One schema, and how much of it may still be read. Lives for one call."""

    def __init__(self, root: object) -> None:
        """Make types from a JSON Schema; references lead to parts of this root."""
        self.root = root
        self.left = MAX_READ_NODES
        self.values: dict[int, Type] = {}
        """The types of lists of values, by identity: many references may lead to the same list."""

    def type(self, schema: object, levels: int, visited: frozenset[str]) -> Type:
        """The type of one schema within the root; `visited` are the references that led here."""
        self.left -= 1
        if self.left < 0 or levels == 0 or not isinstance(schema, Mapping):
            return ANY
        result = self.read(schema, levels, visited)
        return make_optional(result) if schema.get("nullable") is True and result != ANY else result

    def read(self, schema: Mapping[Any, Any], levels: int, visited: frozenset[str]) -> Type:
        """The type of a schema by reference, by values, by alternatives or by kind: the first that it has."""
        if isinstance(ref := schema.get("$ref"), str):
            return self.follow_reference(ref, levels, visited)
        if "const" in schema:
            return infer_all((schema["const"],))
        if isinstance(values := schema.get("enum"), list):
            return self.infer_enum(values)
        if not {"properties", "items"} & set(schema):
            for key in ("anyOf", "oneOf"):
                if isinstance(choices := schema.get(key), list):
                    return self.any_of(choices, levels, visited)
            if isinstance(parts := schema.get("allOf"), list):
                return _merge_all_types([self.type(part, levels - 1, visited) for part in parts])
        if isinstance(kinds := schema.get("type"), list):
            rest = {key: schema[key] for key in READ_BY_KIND if key in schema}
            names = dict.fromkeys(kind if isinstance(kind, str) else "" for kind in kinds)
            return self.any_of([{**rest, "type": name} for name in names], levels, visited)
        return self.kind(schema, levels, visited)

    def infer_enum(self, values: list[Any]) -> Type:
        """One type for the values of an enum."""
        if id(values) not in self.values:
            self.values[id(values)] = infer_all(values)
        return self.values[id(values)]

    def kind(self, schema: Mapping[Any, Any], levels: int, visited: frozenset[str]) -> Type:
        """The type of a schema by its `type`, or else by `properties` or `items`."""
        kind = schema.get("type")
        if kind == "object" or (kind is None and "properties" in schema):
            return self.map(schema, levels, visited)
        if kind == "array" or (kind is None and "items" in schema):
            return ListOf(self.type(schema.get("items"), levels - 1, visited))
        if kind == "string" and isinstance(form := schema.get("format"), str):
            return FORMATS.get(form, READ["string"])
        return READ.get(kind, ANY) if isinstance(kind, str) else ANY

    def map(self, schema: Mapping[Any, Any], levels: int, visited: frozenset[str]) -> Type:
        """A map with its fields; a field that is not required is optional."""
        properties = schema.get("properties")
        if not isinstance(properties, Mapping):
            return MAP
        required = schema.get("required")
        needed = frozenset(each for each in required if isinstance(each, str)) if isinstance(required, list) else ()
        fields = []
        for name, inner in properties.items():
            field_type = self.type(inner, levels - 1, visited)
            fields.append(Field(str(name), field_type if name in needed else make_optional(field_type)))
        return MapOf(tuple(fields))

    def follow_reference(self, ref: str, levels: int, visited: frozenset[str]) -> Type:
        """The type that a reference leads to; of a circular reference, only its kind."""
        followed = set(visited)
        nullable = False
        target = self.resolve(ref)
        # References to references are followed in a loop, not by recursion: there may be thousands in a row.
        while ref not in followed and isinstance(target, Mapping) and isinstance(further := target.get("$ref"), str):
            followed.add(ref)
            nullable = nullable or target.get("nullable") is True
            ref, target = further, self.resolve(further)
        if ref in followed:
            result: Type = MAP if isinstance(target, Mapping) and "properties" in target else ANY
        else:
            result = self.type(target, levels, frozenset((*followed, ref)))
        return make_optional(result) if nullable and result != ANY else result

    def resolve(self, ref: str) -> object:
        """`#/$defs/User` -> that part of the root; None if there is no such part."""
        if not ref.startswith("#"):
            return None
        here: object = self.root
        for step in ref[1:].split("/")[1:]:
            if not isinstance(here, Mapping):
                return None
            name = unescape_percent(step).replace("~1", "/").replace("~0", "~")
            here = here.get(name)
        return here

    def any_of(self, choices: list[Any], levels: int, visited: frozenset[str]) -> Type:
        """One type for all alternatives; optional if null is one of them."""
        kinds = [choice for choice in choices if not (isinstance(choice, Mapping) and choice.get("type") == "null")]
        return unite_types([self.type(choice, levels - 1, visited) for choice in kinds], nil=len(kinds) < len(choices))


def _merge_all_types(types: list[Type]) -> Type:
    """The type of `allOf`: the fields of all maps, or else the only type that is not `:any`."""
    known = [type for type in types if type != ANY]
    if known and all(isinstance(type, MapOf) for type in known):
        return MapOf(tuple({f.name: f for type in known if isinstance(type, MapOf) for f in type.fields}.values()))
    return known[0] if len(known) == 1 else ANY


def signature_of(function: Callable[..., Any]) -> Function:
    """The signature of a function: `def f(id: int, tag: str = "") -> bool` is `(id :int, tag :string?) -> :bool`.

    It equals the schema of `overture.tool`; an annotation without values in JSON is `:any`. Arguments are passed by
    name, so parameters without one (`*args`, `**kwargs`) are omitted.
    """
    schema = result_schema(function)
    params = params_from_schema(read_parameters(function, "", {}, (), (UnsupportedTypeError,)))
    return Function(params, from_schema(schema) if schema else ANY)
