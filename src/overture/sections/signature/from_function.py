"""A Python function -> its signature, from its annotations."""

from collections.abc import Callable
from typing import Any

from ...model.function.parameters import parameters_of, returned
from ...model.function.schema import UnsayableError
from .schema import from_schema, params_from_schema
from .types import ANY, Function


def signature_of(function: Callable[..., Any]) -> Function:
    """The signature of a function: `def f(id: int, tag: str = "") -> bool` is `(id :int, tag :string?) -> :bool`.

    It says what the schema of `overture.tool` says; an annotation of which JSON has no values is `:any`. Arguments are
    passed by name, so parameters that have none (`*args`, `**kwargs`) are left out.
    """
    found = returned(function)
    params = params_from_schema(parameters_of(function, "", {}, (), (UnsayableError,)))
    return Function(params, from_schema(found) if found else ANY)
