"""Overture assembles the system prompt of an LLM agent, shows what is in it and why, and guards it."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .api import build, discover, load_recipe
    from .assemble.change import Change
    from .assemble.derive import derive
    from .model.body import Body, Group, Part, Skip
    from .model.diagnostic import Diagnostic
    from .model.errors import (
        ConfigError,
        OvertureError,
        RecipeError,
        SealedError,
        SessionError,
        SignatureError,
        StateError,
    )
    from .model.found import Found
    from .model.prompt import Prompt
    from .model.recipe import Recipe
    from .model.section import Section, heading, section, tag
    from .model.state import State
    from .model.tool_forms import tools_from
    from .report.diff import diff
    from .session.message import Call, Message
    from .session.session import Session
    from .session.triggers import Resources
    from .session.turn import Turn

__version__ = "0.1.0"

_HOMES = {
    "Body": "model.body",
    "Call": "session.message",
    "Change": "assemble.change",
    "ConfigError": "model.errors",
    "Diagnostic": "model.diagnostic",
    "Found": "model.found",
    "Group": "model.body",
    "Message": "session.message",
    "OvertureError": "model.errors",
    "Part": "model.body",
    "Prompt": "model.prompt",
    "Recipe": "model.recipe",
    "RecipeError": "model.errors",
    "Resources": "session.triggers",
    "SealedError": "model.errors",
    "Section": "model.section",
    "Session": "session.session",
    "SessionError": "model.errors",
    "SignatureError": "model.errors",
    "Skip": "model.body",
    "State": "model.state",
    "StateError": "model.errors",
    "Turn": "session.turn",
    "build": "api",
    "derive": "assemble.derive",
    "diff": "report.diff",
    "discover": "api",
    "heading": "model.section",
    "load_recipe": "api",
    "section": "model.section",
    "tag": "model.section",
    "tools_from": "model.tool_forms",
}

__all__ = [
    "Body",
    "Call",
    "Change",
    "ConfigError",
    "Diagnostic",
    "Found",
    "Group",
    "Message",
    "OvertureError",
    "Part",
    "Prompt",
    "Recipe",
    "RecipeError",
    "Resources",
    "SealedError",
    "Section",
    "Session",
    "SessionError",
    "SignatureError",
    "Skip",
    "State",
    "StateError",
    "Turn",
    "build",
    "derive",
    "diff",
    "discover",
    "heading",
    "load_recipe",
    "section",
    "tag",
    "tools_from",
]


def __getattr__(name: str) -> object:
    """Import a public name when it is first used, so that `import overture` stays light."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'overture' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f".{home}", __name__), name)
    return value


# `overture.discover` is the function, not the folder. Once the folder is loaded, Python binds its name no more.
import_module(".discover", __name__)
del globals()["discover"]


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
