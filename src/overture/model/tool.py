"""A tool that the model can call."""

from typing import Annotated, Any

from .struct import Frozen, note


class Tool(Frozen, frozen=True):
    """One active tool, in a form from which every recipe and every provider can say it."""

    name: str
    description: Annotated[str | None, note("what it does, for the provider's tool list")] = None
    parameters: Annotated[dict[str, Any] | None, note("JSON Schema of its arguments")] = None
    snippet: Annotated[str | None, note("its one line in a prompt's tool list")] = None
    guidelines: Annotated[tuple[str, ...], note("bullets that appear while it is active")] = ()
    signature: Annotated[str | None, note("(param :type) -> type, without the name")] = None
    planning_only: Annotated[bool, note("shown for planning, not to be called")] = False
