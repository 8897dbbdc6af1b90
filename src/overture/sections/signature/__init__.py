"""The signature language: `(user_id :int, emails [{id :int}]) -> :bool`.

One language for the types of tools, data and results: `parse` reads it, and `render` writes it. `from_schema`,
`signature_of` and `infer` make it from a JSON Schema, a Python function or a value. `validate` checks a value.
"""

from .parse import parse, parse_function, parse_params, parse_type
from .types import Exit, Field, Function, ListOf, MapOf, Simple, Type, render
from .types_from_schemas import from_schema, infer, signature_of, to_schema
from .validate import Fault, validate

__all__ = [
    "Exit",
    "Fault",
    "Field",
    "Function",
    "ListOf",
    "MapOf",
    "Simple",
    "Type",
    "from_schema",
    "infer",
    "parse",
    "parse_function",
    "parse_params",
    "parse_type",
    "render",
    "signature_of",
    "to_schema",
    "validate",
]
