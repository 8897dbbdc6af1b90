"""`overture.tool` makes a Tool of a Python function, from its signature and its docstring."""

# ruff: noqa: N803  two keywords have pi's names
import inspect
from collections.abc import Callable, Iterable
from typing import Any, Generic, ParamSpec, Self, TypeVar, overload

import msgspec

from ..errors import StateError
from .signature_and_docstring import (
    IgnoredErrors,
    UnresolvedTypeError,
    parse_docstring,
    read_parameters,
    result_schema,
    unwrap_function,
)
from .tool import Tool

P = ParamSpec("P")
R = TypeVar("R")
FACE = ("__name__", "__qualname__", "__module__", "__doc__", "__annotations__")
COPIED = (*FACE, "__code__", "__defaults__", "__kwdefaults__")
"""Attributes that make an object look like its function: so others see whether it is async."""


class FunctionTool(Tool, Generic[P, R], frozen=True, dict=True):
    """A function that is called as before, and is a Tool."""

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function."""
        result: R = self.__dict__["__wrapped__"](*args, **kwargs)
        return result

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Self: ...
    @overload
    def __get__(self, instance: object, owner: type | None = None) -> "FunctionTool[..., R]": ...
    def __get__(self, instance: object, owner: type | None = None) -> "Self | FunctionTool[..., R]":
        """As a function in a class does: of an instance, a method."""
        if instance is None:
            return self
        return wrap_function(self.__dict__["__wrapped__"].__get__(instance, owner), self, self.__dict__["given"])

    @property
    def definition(self) -> Tool:
        """The definition for a State, made now that all its names are defined."""
        return define_tool(self.__dict__["__wrapped__"], **self.__dict__["given"])


@overload
def tool(
    function: Callable[P, R], *, name: str | None = ..., description: str | None = ..., without: Iterable[str] = ...,
    snippet: str | None = ..., guidelines: Iterable[str] = ..., strict: bool | None = ..., planning_only: bool = ...,
    promptSnippet: str | None = ..., promptGuidelines: Iterable[str] | None = ...,
) -> FunctionTool[P, R]: ...  # fmt: skip
@overload
def tool(
    function: None = None, *, name: str | None = ..., description: str | None = ..., without: Iterable[str] = ...,
    snippet: str | None = ..., guidelines: Iterable[str] = ..., strict: bool | None = ..., planning_only: bool = ...,
    promptSnippet: str | None = ..., promptGuidelines: Iterable[str] | None = ...,
) -> Callable[[Callable[P, R]], FunctionTool[P, R]]: ...  # fmt: skip
def tool(
    function: Callable[..., Any] | None = None,
    *,
    name: str | None = None,
    description: str | None = None,
    without: Iterable[str] = (),
    snippet: str | None = None,
    guidelines: Iterable[str] = (),
    strict: bool | None = None,
    planning_only: bool = False,
    promptSnippet: str | None = None,
    promptGuidelines: Iterable[str] | None = None,
) -> Any:
    """Make a Python function a tool, as a decorator or a call. You can still call the function.

    ```python
    import overture


    @overture.tool(name="find")
    def find_files(pattern: str, limit: int = 100) -> list[str]:
        "Find files by a glob pattern."
    ```

    Name, description and JSON Schema come from the function: its name, the first paragraph of its docstring, its
    annotations and defaults. Arguments of `tool` override them. `without` names parameters that the model does not
    set, such as a connection. A parameter whose type is not supported by JSON raises an error.

    Wherever Overture accepts tools, a plain function works too. `promptSnippet` and `promptGuidelines` are aliases of
    `snippet` and `guidelines`, with the names that pi uses; they may also be attributes of the function.
    """
    if isinstance(without, str) or isinstance(guidelines, str) or isinstance(promptGuidelines, str):
        raise StateError("without and guidelines are lists: without=['db'].")
    options = {
        "name": name, "description": description, "without": tuple(without), "snippet": snippet,
        "guidelines": tuple(guidelines), "strict": strict, "planning_only": planning_only,
        "prompt_snippet": promptSnippet,
        "prompt_guidelines": None if promptGuidelines is None else tuple(promptGuidelines),
    }  # fmt: skip
    return (
        make_function_tool(function, options)
        if function is not None
        else lambda function: make_function_tool(function, options)
    )


def make_function_tool(function: Callable[..., Any], options: dict[str, Any]) -> FunctionTool[..., Any]:
    """The function with its definition."""
    if isinstance(function, FunctionTool):
        function = function.__dict__["__wrapped__"]
    # A name in an annotation may be defined below; it has to exist when the tool is used.
    return wrap_function(function, define_tool(function, **options, passed=(UnresolvedTypeError,)), options)


def wrap_function(function: Callable[..., Any], definition: Tool, options: dict[str, Any]) -> FunctionTool[..., Any]:
    """The function, with a definition that it has already."""
    wrapped: FunctionTool[..., Any] = FunctionTool(**msgspec.structs.asdict(definition))
    wrapped.__dict__.update({"__wrapped__": function, "given": options})
    wrapped.__dict__.update({key: getattr(function, key) for key in COPIED if hasattr(function, key)})
    return wrapped


def define_tool(
    function: Callable[..., Any], *, name: str | None = None, description: str | None = None,
    without: tuple[str, ...] = (), passed: IgnoredErrors = (), **fields: Any,
) -> Tool:  # fmt: skip
    """The definition of a function, of a method, or of anything else that can be called.

    A parameter of whose type JSON has no values is an error, unless it is `passed` over.
    """
    if not callable(function):
        raise StateError(f"{function!r:.80} is not a function.", hint="Pass a function, a method or a callable object.")
    called = name or find_function_name(function)
    doc = parse_docstring(describe_function(function))
    schema = read_parameters(function, called, doc.parameters, without, passed)
    about = description or doc.summary or None
    return Tool(called, about, schema, returns=result_schema(function), **read_pi_attributes(function, called, fields))


def read_pi_attributes(function: Callable[..., Any], name: str, fields: dict[str, Any]) -> dict[str, Any]:
    """The fields, with `promptSnippet` and `promptGuidelines` of the function if neither is set."""
    snippet = getattr(unwrap_function(function), "promptSnippet", None)
    bullets = getattr(unwrap_function(function), "promptGuidelines", None)
    if snippet is not None and not isinstance(snippet, str):
        raise StateError(f"tool {name!r}: promptSnippet is {snippet!r:.60}.", hint="Use a string.")
    listed = isinstance(bullets, list | tuple) and all(isinstance(each, str) for each in bullets)
    if bullets is not None and not listed:
        raise StateError(f"tool {name!r}: promptGuidelines is {bullets!r:.60}.", hint="Use a list of strings.")
    extended = dict(fields)
    if snippet is not None and not (fields.get("snippet") or fields.get("prompt_snippet")):
        extended["snippet"] = snippet
    if bullets is not None and not (fields.get("guidelines") or fields.get("prompt_guidelines")):
        extended["guidelines"] = tuple(bullets)
    return extended


def find_function_name(function: Callable[..., Any]) -> str:
    """The name of a tool that is made of a function: the function's own. A lambda and an object have none."""
    name = getattr(unwrap_function(function), "__name__", "<lambda>")
    if name == "<lambda>":
        raise StateError(f"{function!r:.80} has no name.", hint="Pass one: overture.tool(…, name='search').")
    return str(name)


def describe_function(function: Callable[..., Any]) -> str:
    """Its docstring; of an object, its class's, or else that of its `__call__`."""
    inner: Any = unwrap_function(function)
    if isinstance(inner, type):
        own = inspect.cleandoc(inner.__dict__.get("__doc__") or "")
        # A dataclass without a docstring has its signature there.
        return "" if own.startswith(f"{inner.__name__}(") else own
    doc = inspect.getdoc(inner)
    return doc or ("" if hasattr(inner, "__name__") else inspect.getdoc(inner.__call__) or "")
