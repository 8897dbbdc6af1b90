"""Overture assembles the system prompt of an LLM agent, shows what is in it and why, and guards it."""

from importlib import import_module
from typing import TYPE_CHECKING

from .version import __version__ as __version__

if TYPE_CHECKING:
    from .agents.agent_report import AgentFile, AgentReport
    from .api import build, counter, discover, load_models, load_recipe, window
    from .assemble.change_prompt import Change
    from .check.findings_and_input import Finding
    from .check.run_rules import Checked, CheckResult
    from .errors import (
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
    from .fit.fit import fit
    from .model.convert_tools import tools_from
    from .model.diagnostic import Diagnostic
    from .model.function_tool import tool
    from .model.message import Call, Content, Message, Usage
    from .model.prompt.budget import Budget
    from .model.prompt.prompt import Prompt
    from .model.recipe.body import Body, Group, Part, Skip
    from .model.recipe.recipe import Recipe
    from .model.recipe.section import Section, heading, section, tag
    from .model.state.audience_and_subagents import derive
    from .model.state.discovery import Discovery, Found
    from .model.state.state import State
    from .providers.render import render
    from .report.diff import diff
    from .report.explain import Explanation
    from .report.stats_and_cut_notes import Stats
    from .report.why import PathStatus
    from .report_api import agents, check, explain, stats, why
    from .session.files.nested_files import Nested, NestedFile
    from .session.files.session_files import Resources
    from .session.options_and_setup import SessionOptions
    from .session.request.framework_request import SessionFramework
    from .session.session import Session
    from .session.turn.turn_and_context import Turn
    from .tokens.counter import Counter

_HOMES = {
    name: home
    for home, names in {
        "agents.agent_report": "AgentFile AgentReport",
        "api": "build counter discover load_models load_recipe window",
        "assemble.change_prompt": "Change",
        "check.findings_and_input": "Finding",
        "check.run_rules": "CheckResult Checked",
        "errors": "BudgetError ConfigError CountError OvertureError OvertureWarning "
        "RecipeError SealedError SessionError SignatureError StateError",
        "fit.fit": "fit",
        "model.convert_tools": "tools_from",
        "model.diagnostic": "Diagnostic",
        "model.function_tool": "tool",
        "model.message": "Call Content Message Usage",
        "model.prompt.budget": "Budget",
        "model.prompt.prompt": "Prompt",
        "model.recipe.body": "Body Group Part Skip",
        "model.recipe.recipe": "Recipe",
        "model.recipe.section": "Section heading section tag",
        "model.state.discovery": "Discovery Found",
        "model.state.audience_and_subagents": "derive",
        "model.state.state": "State",
        "providers.render": "render",
        "report.diff": "diff",
        "report.explain": "Explanation",
        "report.stats_and_cut_notes": "Stats",
        "report.why": "PathStatus",
        "report_api": "agents check explain stats why",
        "session.files.nested_files": "Nested NestedFile",
        "session.files.session_files": "Resources",
        "session.options_and_setup": "SessionOptions",
        "session.request.framework_request": "SessionFramework",
        "session.session": "Session",
        "session.turn.turn_and_context": "Turn",
        "tokens.counter": "Counter",
    }.items()
    for name in names.split()
}
"""The module of each public name."""

__all__ = [
    "AgentFile",
    "AgentReport",
    "Body",
    "Budget",
    "BudgetError",
    "Call",
    "Change",
    "CheckResult",
    "Checked",
    "ConfigError",
    "Content",
    "CountError",
    "Counter",
    "Diagnostic",
    "Discovery",
    "Explanation",
    "Finding",
    "Found",
    "Group",
    "Message",
    "Nested",
    "NestedFile",
    "OvertureError",
    "OvertureWarning",
    "Part",
    "PathStatus",
    "Prompt",
    "Recipe",
    "RecipeError",
    "Resources",
    "SealedError",
    "Section",
    "Session",
    "SessionError",
    "SessionFramework",
    "SessionOptions",
    "SignatureError",
    "Skip",
    "State",
    "StateError",
    "Stats",
    "Turn",
    "Usage",
    "agents",
    "build",
    "check",
    "counter",
    "derive",
    "diff",
    "discover",
    "explain",
    "fit",
    "heading",
    "load_models",
    "load_recipe",
    "render",
    "section",
    "stats",
    "tag",
    "tool",
    "tools_from",
    "why",
    "window",
]


def __getattr__(name: str) -> object:
    """Import a public name when it is first used, so that `import overture` stays light."""
    if name == "batch":  # a folder whose functions are used by its name
        return import_module(".batch", __name__)
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'overture' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f".{home}", __name__), name)
    return value


# `agents`, `check`, `discover` and `fit` are functions, not folders. Once a folder is loaded, Python binds its name no
# more.
for _name in ("agents", "check", "discover", "fit"):
    import_module(f".{_name}", __name__)
    del globals()[_name]


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
