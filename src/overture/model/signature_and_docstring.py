"""A function's signature and docstring become the JSON Schema of its arguments and of its result."""

import inspect
import re
import sys
from collections.abc import Callable, Iterator, Mapping
from enum import Enum
from functools import partial
from typing import Any, NamedTuple, get_origin, get_type_hints

import msgspec

from ..errors import StateError, find_similar
from ..text.normalize import to_one_line
from .annotation_schema import (
    IgnoredErrors,
    Schema,
    UnresolvedTypeError,
    UnsupportedTypeError,
    annotation_schema,
    describe_note,
)

GOOGLE = re.compile(r"(?:(?:Keyword )?Arg(?:ument)?s|(?:Other )?Param(?:eter)?s):")
NUMPY = re.compile(r"(?:Other )?Parameters")
RULE = re.compile(r"-{3,}|={3,}")
HEADING = re.compile(r"[A-Z][A-Za-z ]*:")
FIELD = re.compile(r"[:@](\w+)(?:\s+([^:]*?))?\s*:\s*(.*)")
"""`:param int limit: How many`, and the same with `@`."""
FIELDS = ("param", "parameter", "arg", "argument", "key", "keyword")
ENTRY = re.compile(r"\*{0,2}(\w+)\s*(?:\([^)]*\))?\s*:(?:\s+(.*)|$)")
"""`limit (int, optional): How many`."""
NAMES = re.compile(r"\*{0,2}\w+(?:\s*,\s*\*{0,2}\w+)*")


class ParsedDocstring(NamedTuple):
    """The summary and the parameters of a docstring."""

    summary: str
    parameters: dict[str, str]


def parse_docstring(text: str) -> ParsedDocstring:
    """Take a docstring apart; `text` is one whose indentation was taken away, as `inspect.getdoc` gives it."""
    lines = text.strip().splitlines()
    parameters = [*_parse_google_parameters(lines), *_parse_numpy_parameters(lines), *_parse_field_parameters(lines)]
    return ParsedDocstring(
        _extract_docstring_summary(lines),
        {name: to_one_line(description) for name, description in parameters if description.strip()},
    )


def _extract_docstring_summary(lines: list[str]) -> str:
    """The first paragraph, unless the parameters begin with it."""
    lines_kept: list[str] = []
    for index, line in enumerate(lines):
        rule = index + 1 < len(lines) and RULE.fullmatch(lines[index + 1].strip())
        if not line.strip() or rule or GOOGLE.fullmatch(line.strip()) or FIELD.match(line):
            break
        lines_kept.append(line)
    return to_one_line(" ".join(lines_kept))


def _parse_google_parameters(lines: list[str]) -> Iterator[tuple[str, str]]:
    for index, line in enumerate(lines):
        if GOOGLE.fullmatch(line.strip()):
            below = _take_indented_lines(lines[index + 1 :], _measure_indent(line))
            for name, text in _parse_docstring_entries(below):
                if entry := ENTRY.match(name):
                    yield entry[1], f"{entry[2] or ''} {text}"


def _parse_numpy_parameters(lines: list[str]) -> Iterator[tuple[str, str]]:
    for index in range(len(lines) - 1):
        if NUMPY.fullmatch(lines[index].strip()) and RULE.fullmatch(lines[index + 1].strip()):
            below = lines[index + 2 :]
            ends = (at for at, line in enumerate(below[1:]) if RULE.fullmatch(line.strip()))  # of the next title
            for head, text in _parse_docstring_entries(below[: next(ends, len(below))]):
                if names := NAMES.match(head):
                    yield from ((name.strip(" *"), text) for name in names[0].split(","))


def _parse_field_parameters(lines: list[str]) -> Iterator[tuple[str, str]]:
    for index, line in enumerate(lines):
        field = FIELD.match(line.strip())
        if field and field[1] in FIELDS and field[2]:
            more = _take_indented_lines(lines[index + 1 :], _measure_indent(line), blank=False)
            yield field[2].split()[-1].lstrip("*\\"), " ".join([field[3], *(each.strip() for each in more)])


def _measure_indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _take_indented_lines(lines: list[str], indent: int, *, blank: bool = True) -> list[str]:
    """The lines that are indented further; blank ones between them too, where `blank`."""
    inside: list[str] = []
    for line in lines:
        if _measure_indent(line) <= indent if line.strip() else not blank:
            break
        inside.append(line)
    return inside


def _parse_docstring_entries(lines: list[str]) -> Iterator[tuple[str, str]]:
    """Each line of the least indentation, with the words of those below it."""
    nonblank = [line for line in lines if line.strip()]
    least = min(map(_measure_indent, nonblank), default=0)
    heads = [index for index, line in enumerate(nonblank) if _measure_indent(line) == least]
    for head, end in zip(heads, [*heads[1:], len(nonblank)], strict=True):
        yield nonblank[head].strip(), " ".join(line.strip() for line in nonblank[head + 1 : end])


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
