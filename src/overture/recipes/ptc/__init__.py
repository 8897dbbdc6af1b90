"""PtcRunner: an agent that answers with one PTC-Lisp program, over typed data and tools.

`tool_from` makes a Tool of a Python function or of a sub-agent's mission; `check` says whether a model's reply is
one readable program, and gives the error for the next turn where it is not.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .reply import ReplyCheck, check
    from .tools import tool_from

__all__ = ["ReplyCheck", "check", "tool_from"]


def __getattr__(name: str) -> object:
    """Import a public name when it is first used: whoever loads a recipe does not check replies."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(".tools" if name == "tool_from" else ".reply", __name__), name)
