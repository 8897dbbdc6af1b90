"""The signature language: `(user_id :int, emails [{id :int}]) -> :bool`.

One language for the types of tools, data and results: read it (`parse`), write it (`render`), take it from a JSON
Schema, a Python function or a value, and hold a value against it (`validate`).
"""

from .convert import from_schema, infer, signature_of, to_schema
from .parse import parse, parse_function, parse_params, parse_type
from .types import Exit, Field, Function, ListOf, MapOf, Simple, Type, render
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
