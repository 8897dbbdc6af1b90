"""Applies the quirks of one agent: functions in the module `quirks` of its folder.

A step of a recipe, or its skills, names the agent (`quirks = "goose"`). Each hook takes the value for most agents, and
returns the value for this one. The functions are pure: the code that reads the disk passes plain values to them.
"""

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import ModuleType
from typing import Any, TypeVar

from ..errors import RecipeError, explain_unknown
from . import AGENTS

T = TypeVar("T")


def apply_quirk(agent: str, hook: str, usual: T, *facts: Any) -> T:
    """The agent's value instead of `usual`; `usual` itself without an agent, or if its module lacks the hook."""
    function = getattr(load_quirks(agent), hook, None) if agent else None
    return usual if function is None else function(usual, *facts)


@cache
def load_quirks(agent: str) -> ModuleType:
    """Import the module with the quirks of an agent."""
    if agent not in AGENTS:
        raise RecipeError(explain_unknown("Agent", agent, AGENTS))
    name = f"{__package__}.{agent.replace('-', '_')}.quirks"
    if find_spec(name) is None:
        raise RecipeError(f"{agent!r} has no quirks.")
    return import_module(name)
