"""Agents of other people, as data: what each reads, in which order, with which limits, in which frames."""

import tomllib
from functools import cache

from ...errors import RecipeError, unknown
from ...model.recipe.recipe import Recipe
from .. import prose
from ..toml.recipe import recipe_of

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


@cache
def agent(name: str) -> Recipe:
    """The recipe of the agent of that name."""
    if name not in AGENTS:
        raise RecipeError(unknown("Agent", name, AGENTS))
    table = tomllib.loads(prose(__name__, f"{name.replace('-', '_')}/recipe.toml"))
    return recipe_of(table, name, _no_base, "built in")


def _no_base(name: str) -> Recipe:
    raise RecipeError(f"An agent extends no other recipe, as {name!r}.")
