"""Types from JSON Schema and from Python, and back."""

import enum
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, NamedTuple, TypedDict

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from overture.sections.signature import Field, ListOf, MapOf, Simple, Type, render
from overture.sections.signature_schemas import from_schema, signature_of, to_schema

NAMES = ("string", "int", "float", "bool", "keyword", "map", "datetime")
types: st.SearchStrategy[Type] = st.recursive(
    st.builds(Simple, st.sampled_from(NAMES), st.booleans()) | st.just(Simple("any")),
    lambda inner: (
        st.builds(ListOf, inner, st.booleans())
        | st.builds(
            MapOf,
            st.lists(st.builds(Field, st.text(max_size=5), inner), max_size=4, unique_by=lambda f: f.name).map(tuple),
            st.booleans(),
        )
    ),
    max_leaves=10,
)


@given(types)
def test_schema_of_a_type_gives_the_type(type: Type) -> None:
    """from_schema(to_schema(t)) == t."""
    assert from_schema(to_schema(type)) == type


LOOP = {
    "$ref": "#/$defs/Node",
    "$defs": {
        "Node": {
            "type": "object",
            "properties": {"value": {"type": "integer"}, "next": {"$ref": "#/$defs/Node"}},
            "required": ["value"],
        }
    },
}


@pytest.mark.parametrize(
    ("schema", "type"),
    [
        ({}, ":any"),
        (True, ":any"),
        ({"type": "null"}, ":any"),
        ({"type": "string", "format": "date-time"}, ":datetime"),
        ({"type": ["string", "null"]}, ":string?"),
        ({"type": ["string", "integer"]}, ":any"),
        ({"type": "string", "nullable": True}, ":string?"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, ":int?"),
        ({"anyOf": [{"type": "integer"}, {"type": "number"}]}, ":float"),
        ({"oneOf": [{"type": "integer"}, {"type": "string"}]}, ":any"),
        ({"enum": ["a", "b", None]}, ":string?"),
        ({"const": 3}, ":int"),
        ({"type": "array"}, "[:any]"),
        ({"items": {"type": "boolean"}}, "[:bool]"),
        ({"type": "array", "prefixItems": [{"type": "integer"}]}, "[:any]"),
        ({"type": "object"}, ":map"),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, ":map"),
        ({"properties": {"a": {"type": "integer"}}}, "{a :int?}"),
        (
            {"properties": {"a": {"type": "integer"}}, "required": ["a"], "anyOf": [{"required": ["a"]}]},
            "{a :int}",
        ),
        (
            {"allOf": [{"properties": {"a": {"type": "integer"}}}, {"properties": {"b": {"type": "string"}}}]},
            "{a :int?, b :string?}",
        ),
        ({"$ref": "#/$defs/a~1b", "$defs": {"a/b": {"type": "integer"}}}, ":int"),
        ({"$ref": "#/$defs/nowhere"}, ":any"),
        ({"$ref": "https://example.com/schema"}, ":any"),
        ({"$ref": "#"}, ":any"),
        (LOOP, "{value :int, next :map?}"),
        ({"type": 3, "properties": 4, "required": 5}, ":any"),
    ],
)
def test_type_of_a_schema(schema: Any, type: str) -> None:
    """A schema is said as far as the language can; loops and what it can't say end well."""
    assert render(from_schema(schema)) == type


def test_references_that_double_end_soon() -> None:
    """A small schema that unfolds without end is read in a bounded time."""
    defs = {f"d{n}": {"properties": {key: {"$ref": f"#/$defs/d{n + 1}"} for key in "abc"}} for n in range(60)}
    assert len(render(from_schema({"$ref": "#/$defs/d0", "$defs": defs}))) < 200_000


class Colour(enum.Enum):
    RED = "red"


@dataclass
class User:
    name: str
    friends: list["User"]
    since: datetime
    email: str | None = None


class Point(NamedTuple):
    x: int
    y: float = 0.0


class Options(TypedDict, total=False):
    limit: int


class Row(msgspec.Struct):
    id: int
    tags: set[str] = set()


class Model:
    """Describes itself as pydantic's models do."""

    @classmethod
    def model_json_schema(cls) -> dict[str, Any]:
        ref = {"$ref": "#/$defs/Id"}
        return {"type": "object", "properties": {"id": ref}, "required": ["id"], "$defs": {"Id": {"type": "integer"}}}


def simple(text: str, number: int = 1, *rest: int, flag: bool, ratio: float = 0.5, **more: int) -> dict[str, int]:
    return {}


def rich(user: User, model: Model, models: list[Model] | None, when: datetime, colour: Colour) -> tuple[int, float]:
    return 1, 2.0


def records(point: Point, options: Options, row: Row, mode: Literal["a", "b"] = "a") -> None: ...


def untyped(a, b=1):  # type: ignore[no-untyped-def]
    return a


def unresolved(a: "Nowhere", b: "int" = 1) -> "Nowhere":  # type: ignore[name-defined]  # noqa: F821
    return a


@pytest.mark.parametrize(
    ("function", "signature"),
    [
        (simple, "(text :string, number :int?, flag :bool, ratio :float?) -> :map"),
        (
            rich,
            "(user {name :string, friends [:map], since :datetime, email :string?}, model {id :int}, "
            "models [{id :int}]?, when :datetime, colour :string) -> [:float]",
        ),
        (
            records,
            "(point {x :int, y :float?}, options {limit :int?}, row {id :int, tags [:string]?}, mode :string?) -> :any",
        ),
        (untyped, "(a :any, b :any?) -> :any"),
        (unresolved, "(a :any, b :int?) -> :any"),
        (lambda: None, "() -> :any"),
        (User("Ada", [], datetime.min).__eq__, "(other :any) -> :any"),
    ],
)
def test_signature_of_a_function(function: Any, signature: str) -> None:
    """Annotations become types; what has a default is optional; what can't be resolved is `:any`."""
    assert render(signature_of(function)) == signature
