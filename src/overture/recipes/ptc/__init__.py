"""PtcRunner: an agent that answers with one PTC-Lisp program, over typed data and tools.

`tool_from` makes a Tool from a Python function or a sub-agent's mission. `check` returns whether a model's reply is
one readable program; if not, it has the error for the next turn.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .recipe import tool_from
    from .reply import ReplyCheck, check

__all__ = ["ReplyCheck", "check", "tool_from"]


def __getattr__(name: str) -> object:
    """Import a public name on first use: loading the recipe does not need the reply checker."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(".recipe" if name == "tool_from" else ".reply", __name__), name)
