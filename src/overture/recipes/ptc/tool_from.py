"""A Python function or a sub-agent's mission -> a Tool with a signature."""

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from ...errors import StateError
from ...model.function.schema import UnsayableError
from ...model.function.tool import defined
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
    Of a function it is what `overture.tool` makes, with its signature beside the schema.
    """
    tool = (
        _of_mission(source, name)
        if isinstance(source, Mission)
        else defined(source, name=name, passed=(UnsayableError,))
    )
    if signature:
        typed = signed(f"{tool.name}.signature", signature, parse_function)
        tool = replace(tool, parameters=None, returns=None)  # the signature that is given counts alone
    else:
        typed = _of(source) if isinstance(source, Mission) else signature_of(source)
    return replace(
        tool, description=description or tool.description, signature=render(typed), planning_only=planning_only
    )


def _of_mission(source: Mission, name: str | None) -> Tool:
    if not name:
        raise StateError(f"{source!r:.80} has no name of its own. Give one: tool_from(…, name='search').")
    return Tool(name, one_line(source.prompt.strip().partition("\n\n")[0]) or None)


def _of(source: Mission) -> Function:
    params = signed("data_signature", source.data_signature, parse_params) if source.data_signature else ()
    result = signed("output_signature", source.output_signature, parse_type) if source.output_signature else ANY
    return Function(params, result)
