"""Agents of other people, as data: what each reads, in which order, with which limits, in which frames."""

import re
import tomllib
from functools import cache

import msgspec

from ..errors import RecipeError, explain_unknown
from ..model.recipe.recipe import AgentFacts, Recipe
from ..recipes import prose
from ..recipes.toml.recipe import make_recipe

AGENTS = (
    "aider",
    "amp",
    "antigravity",
    "auggie",
    "claude-code",
    "cline",
    "codex",
    "continue-cli",
    "copilot-cli",
    "copilot-vscode",
    "crush",
    "cursor",
    "devin",
    "droid",
    "gemini-cli",
    "goose",
    "gptme",
    "junie",
    "kilo",
    "kimi",
    "kiro",
    "opencode",
    "openhands",
    "pi-coding-agent",
    "qwen-code",
    "roo",
    "vibe",
    "warp",
    "zed",
)
"""Their names. Each has a folder here, with `_` for `-`."""

FACTS = re.compile(r"^\[agent\]\n(?:(?!\[).*\n)*", re.MULTILINE)
"""The table `[agent]` of a recipe: who it is, without all that it reads."""


@cache
def agent(name: str) -> Recipe:
    """The recipe of the agent of that name."""
    return make_recipe(tomllib.loads(_written(name)), name, _no_base, "built in")


@cache
def agent_facts(name: str) -> AgentFacts:
    """Who an agent is and how it is known: a tenth of the work of its whole recipe, where all agents are asked."""
    table = FACTS.search(_written(name))
    assert table is not None, f"the recipe of {name} has no table [agent]"
    return msgspec.convert(tomllib.loads(table[0])["agent"], AgentFacts)


def _written(name: str) -> str:
    if name not in AGENTS:
        raise RecipeError(explain_unknown("Agent", name, AGENTS))
    return prose(__name__, f"{name.replace('-', '_')}/recipe.toml")


def _no_base(name: str) -> Recipe:
    raise RecipeError(f"An agent extends no other recipe, as {name!r}.")
