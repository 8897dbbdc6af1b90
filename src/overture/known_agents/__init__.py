"""Agents of other vendors, one module each: the files it reads, where and in which order, its limits, its program."""

from functools import cache, partial
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from ..errors import RecipeError, explain_unknown

if TYPE_CHECKING:
    from ..model.agent_rules import AgentWants
    from ..model.recipe.recipe import AgentFacts, Recipe

AGENTS = (
    "aider", "amp", "antigravity", "auggie", "claude-code", "cline", "codex", "continue-cli", "copilot-cli",
    "copilot-vscode", "crush", "cursor", "devin", "droid", "gemini-cli", "goose", "gptme", "junie", "kilo", "kimi",
    "kiro", "opencode", "openhands", "pi-coding-agent", "qwen-code", "roo", "vibe", "warp", "zed",
)  # fmt: skip
"""The names of the agents. Each has a module here, with `_` for `-`."""


def load(name: str) -> ModuleType:
    """The module of an agent, by name."""
    if name not in AGENTS:
        raise RecipeError(explain_unknown("Agent", name, AGENTS))
    return import_module(f"{__name__}.{name.replace('-', '_')}")


def agent_facts(name: str) -> "AgentFacts":
    """The facts of an agent, without its recipe."""
    facts: AgentFacts = load(name).FACTS
    return facts


def agent_about(name: str) -> str:
    """An agent in one line."""
    return load(name).__doc__ or ""


def agent_program(name: str) -> dict[str, Any] | None:
    """By what an agent is started; None if that is unknown."""
    table: dict[str, Any] = getattr(load(name), "PROGRAM", {})
    names = table.get("names") or agent_facts(name).signs.programs
    return {"name": names[0], "names": names, **table} if table else None


@cache
def agent_wants(name: str) -> "AgentWants":
    """All that an agent looks for, and how it reads that: every step, limit and settings file that its module names."""
    from ..model.agent_rules import AgentWants, FileLimit, Settings, Step

    module = load(name)
    named = vars(module).values()
    return AgentWants(
        steps=tuple(each for each in named if isinstance(each, Step)),
        listed=getattr(module, "SKILLS", None),
        limits=tuple(each for each in named if isinstance(each, FileLimit)),
        configured=tuple(each for each in named if isinstance(each, Settings)),
        variables=getattr(module, "VARIABLES", ()),
        folders=getattr(module, "FOLDERS", {}),
    )


@cache
def agent(name: str) -> "Recipe":
    """The recipe of another vendor's agent, by name: its own prompt is only a line, its files stand in its frames."""
    # Most commands need only the names, and importing the recipe reader takes longer than the rest of this module.
    from ..model.recipe.recipe import Recipe
    from .frames import make_agent_sections
    from .kit.find_files import find_agent_files

    module, facts, wants = load(name), agent_facts(name), agent_wants(name)
    sections = make_agent_sections(module.SECTIONS, facts, wants, name)
    return Recipe(
        name, sections, about=agent_about(name), wants=wants, agent=facts, search=partial(find_agent_files, module),
        settings={key: default for key, (default, *_) in wants.folders.items()},
        tiers={section.name: "built in" for section in sections[1:]},
    )  # fmt: skip
