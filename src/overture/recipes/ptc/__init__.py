"""PtcRunner: an agent that answers with one PTC-Lisp program, over typed data and tools.

`tool_from` makes a Tool of a Python function or of a sub-agent's mission; `check` says whether a model's reply is
one readable program, and gives the error for the next turn where it is not.
"""

from .reply import ReplyCheck, check
from .tools import tool_from

__all__ = ["ReplyCheck", "check", "tool_from"]
