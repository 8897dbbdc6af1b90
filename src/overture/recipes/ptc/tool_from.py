"""A Python function or a sub-agent's mission -> a Tool."""

import inspect
from collections.abc import Callable
from typing import Any

from ...errors import StateError
from ...model.state.tasks import Mission
from ...model.state.tool import Tool
from ...sections.signature.from_function import signature_of
from ...sections.signature.parse import parse_function, parse_params, parse_type
from ...sections.signature.types import ANY, Function, render, signed
from ...text.normalize import one_line


def tool_from(
    source: Callable[..., Any] | Mission,
    *,
    name: str | None = None,
    description: str | None = None,
    signature: str | None = None,
    planning_only: bool = False,
) -> Tool:
    """A Tool with the name, the description and the signature of a function, or of a sub-agent by its mission.

    What is given wins. Otherwise the description is the first paragraph of the docstring, or of the mission's prompt.
    """
    name = name or name_of(source)
    typed = signed(f"{name}.signature", signature, parse_function) if signature else _signature(source)
    return Tool(
        name,
        description=description or _description(source) or None,
        signature=render(typed),
        planning_only=planning_only,
    )


def name_of(source: Callable[..., Any] | Mission) -> str:
    """The function's name. A lambda, a partial and a mission have none."""
    name = getattr(source, "__name__", "<lambda>")
    if name == "<lambda>":
        raise StateError(f"{source!r:.80} has no name of its own. Give one: tool_from(…, name='search').")
    return str(name)


def _signature(source: Callable[..., Any] | Mission) -> Function:
    if not isinstance(source, Mission):
        return signature_of(source)
    params = signed("data_signature", source.data_signature, parse_params) if source.data_signature else ()
    result = signed("output_signature", source.output_signature, parse_type) if source.output_signature else ANY
    return Function(params, result)


def _description(source: Callable[..., Any] | Mission) -> str:
    text = source.prompt if isinstance(source, Mission) else inspect.getdoc(source) or ""
    return one_line(text.strip().partition("\n\n")[0])
