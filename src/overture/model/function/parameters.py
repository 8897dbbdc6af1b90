"""A function's signature -> the JSON Schema of its arguments, and of what it returns."""

import inspect
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from functools import partial
from typing import Any, get_origin, get_type_hints

import msgspec

from ...errors import StateError, nearest
from .annotated import described
from .schema import Passed, Schema, UnresolvedError, UnsayableError, schema_of

EMPTY = inspect.Parameter.empty
OWN = ("self", "cls")
CONTEXTS = ("RunContext", "RunContextWrapper", "ToolContext", "ToolRuntime")
"""Classes of frameworks whose instances they hand over themselves; `Context` is one where the parameter says so."""
CONTEXT_NAMES = ("ctx", "context")


class Unknown(str):
    """An annotation that names what is not there; the text says what."""


def parameters_of(
    function: Callable[..., Any], name: str, about: Mapping[str, str], without: tuple[str, ...], passed: Passed = ()
) -> Schema:
    """The schema of a function's arguments. `about` describes them; `without` are not the model's to give.

    What JSON can't say is an error that names the parameter, unless it is `passed` over.
    """
    all_of_it = signature(function)
    left = {*without, *_bound(function)}
    if strange := [each for each in without if each not in all_of_it.parameters]:
        near = nearest(strange[0], all_of_it.parameters)
        raise StateError(f"tool {name!r}: without {strange[0]!r}: it has no such parameter.{near}")
    shown = [each for each in _given(function, all_of_it) if each[0].name not in left]
    schema: Schema = {"type": "object", "properties": {}}
    for parameter, hint in shown:
        if parameter.kind is parameter.VAR_KEYWORD:
            schema["additionalProperties"] = True
        else:
            said = _property(parameter, hint, about.get(parameter.name), name, passed)
            schema["properties"][parameter.name] = said
    required = [parameter.name for parameter, _ in shown if _required(parameter)]
    return {**schema, "required": required} if required else schema


def returned(function: Callable[..., Any]) -> Schema | None:
    """The schema of what a function returns; None where it does not say, or JSON can't."""
    if isinstance(function, type):
        return None
    hint = resolved(function, "return", signature(function).return_annotation)
    if hint in (EMPTY, None, type(None)) or isinstance(hint, Unknown):
        return None
    try:
        return schema_of(hint) or None
    except UnsayableError:
        return None


def signature(function: Callable[..., Any]) -> inspect.Signature:
    """The signature; of some that are written in C there is none."""
    try:
        return inspect.signature(function)
    except (ValueError, TypeError, NameError) as problem:
        raise StateError(f"The signature of {function!r:.80} can't be read: {problem}.") from None


def _bound(function: Callable[..., Any]) -> frozenset[str]:
    """What a partial gives by name: it is not the model's to give, nor to see."""
    found: set[str] = set()
    while isinstance(function, partial):
        found.update(function.keywords)
        function = function.func
    return frozenset(found)


def _given(function: Callable[..., Any], whole: inspect.Signature) -> Iterator[tuple[inspect.Parameter, Any]]:
    """The parameters that a caller gives by name, each with its annotation: no `self`, no context, no `*args`."""
    for index, parameter in enumerate(whole.parameters.values()):
        hint = resolved(function, parameter.name, parameter.annotation)
        own = index == 0 and parameter.name in OWN and hint is EMPTY
        if not own and parameter.kind is not parameter.VAR_POSITIONAL and not _context(parameter.name, hint):
            yield parameter, hint


def _context(name: str, hint: Any) -> bool:
    called = getattr(get_origin(hint) or hint, "__name__", "")
    return called in CONTEXTS or (called == "Context" and name in CONTEXT_NAMES)


def resolved(function: Callable[..., Any], name: str, annotation: Any) -> Any:
    """An annotation as what it names; each by itself, so that one that can't be resolved does not spoil the others."""
    while isinstance(function, partial):
        function = function.func
    target: Any = function
    target = target if inspect.isroutine(target) else target.__call__
    known = getattr(inspect.unwrap(getattr(target, "__func__", target)), "__globals__", {})

    def alone() -> None: ...

    alone.__annotations__ = {name: annotation}
    if annotation is EMPTY:
        return EMPTY
    try:
        return get_type_hints(alone, known, include_extras=True)[name]
    except Exception as problem:  # an annotation is code of the caller's: whatever it does, it names no type
        return Unknown(f"{annotation!r:.60}, which can't be resolved ({problem})")


def _required(parameter: inspect.Parameter) -> bool:
    if parameter.kind is parameter.VAR_KEYWORD:
        return False
    if _is_field(parameter.default):
        return bool(parameter.default.is_required())
    return parameter.default is EMPTY


def _is_field(default: Any) -> bool:
    """Whether a default is pydantic's `Field(…)`, which stands for one."""
    return callable(getattr(default, "is_required", None)) and hasattr(default, "description")


def _property(parameter: inspect.Parameter, hint: Any, about: str | None, name: str, passed: Passed) -> Schema:
    try:
        if isinstance(hint, Unknown):
            raise UnresolvedError(hint)
        said = {} if hint is EMPTY else schema_of(hint)
    except UnsayableError as problem:
        if isinstance(problem, passed):
            return {}
        raise StateError(_unsayable(parameter.name, name, problem.args[0])) from None
    default = parameter.default
    if _is_field(default):
        about, default = described(default) or about, EMPTY if default.is_required() else default.default
    words = {"description": about} if about and "description" not in said else {}
    return {**said, **words, **_default(default)}


def _unsayable(parameter: str, tool: str, hint: Any) -> str:
    kind = hint if isinstance(hint, Unknown) else getattr(hint, "__name__", repr(hint))
    said = f"tool {tool!r}: parameter {parameter!r} is {kind}"
    what = "" if isinstance(hint, Unknown) else ", of which JSON has no values"
    return f"{said}{what}. Annotate it otherwise, or leave it out: overture.tool(…, without=[{parameter!r}])."


def _default(value: Any) -> Schema:
    """A default that JSON can say; None is what leaving it out says."""
    plain = value.value if isinstance(value, Enum) else value
    if plain is EMPTY or plain is None or type(plain) not in (str, int, float, bool, list, dict, tuple):
        return {}
    try:
        told = msgspec.json.decode(msgspec.json.encode(plain))
    except (TypeError, ValueError, RecursionError):
        return {}
    return {} if told is None else {"default": told}  # of infinity JSON says nothing
