"""Overture assembles the system prompt of an LLM agent, shows what is in it and why, and guards it."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .api import build, counter, discover, load_models, load_recipe, window
    from .assemble.change import Change
    from .assemble.derive import derive
    from .assemble.fit import fit
    from .model.body import Body, Group, Part, Skip
    from .model.budget import Budget
    from .model.counter import Counter
    from .model.diagnostic import Diagnostic
    from .model.errors import (
        BudgetError,
        ConfigError,
        CountError,
        OvertureError,
        OvertureWarning,
        RecipeError,
        SealedError,
        SessionError,
        SignatureError,
        StateError,
    )
    from .model.found import Found
    from .model.message import Call, Message
    from .model.prompt import Prompt
    from .model.recipe import Recipe
    from .model.section import Section, heading, section, tag
    from .model.state import State
    from .model.tool_forms import tools_from
    from .render.render import render
    from .report.diff import diff
    from .session.session import Session
    from .session.triggers import Resources
    from .session.turn import Turn

__version__ = "0.1.0"

_HOMES = {
    "Body": "model.body",
    "Budget": "model.budget",
    "BudgetError": "model.errors",
    "Call": "model.message",
    "Change": "assemble.change",
    "ConfigError": "model.errors",
    "CountError": "model.errors",
    "Counter": "model.counter",
    "Diagnostic": "model.diagnostic",
    "Found": "model.found",
    "Group": "model.body",
    "Message": "model.message",
    "OvertureError": "model.errors",
    "OvertureWarning": "model.errors",
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
    "counter": "api",
    "derive": "assemble.derive",
    "diff": "report.diff",
    "discover": "api",
    "fit": "assemble.fit",
    "heading": "model.section",
    "load_models": "api",
    "load_recipe": "api",
    "render": "render.render",
    "section": "model.section",
    "tag": "model.section",
    "tools_from": "model.tool_forms",
    "window": "api",
}

__all__ = [
    "Body",
    "Budget",
    "BudgetError",
    "Call",
    "Change",
    "ConfigError",
    "CountError",
    "Counter",
    "Diagnostic",
    "Found",
    "Group",
    "Message",
    "OvertureError",
    "OvertureWarning",
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
    "counter",
    "derive",
    "diff",
    "discover",
    "fit",
    "heading",
    "load_models",
    "load_recipe",
    "render",
    "section",
    "tag",
    "tools_from",
    "window",
]


def __getattr__(name: str) -> object:
    """Import a public name when it is first used, so that `import overture` stays light."""
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'overture' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f".{home}", __name__), name)
    return value


# `discover` and `render` are the functions, not the folders. Once a folder is loaded, Python binds its name no more.
for _name in ("discover", "render"):
    import_module(f".{_name}", __name__)
    del globals()[_name]


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
