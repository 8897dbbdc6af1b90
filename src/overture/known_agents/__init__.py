"""Agents of other vendors as data. One record each: the files it reads, its limits and its program."""

import pkgutil
import tomllib
from functools import cache
from typing import TYPE_CHECKING, Any

from ..errors import RecipeError, explain_unknown

if TYPE_CHECKING:
    from ..model.recipe.recipe import AgentFacts, Recipe

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
"""The names of the agents. Each has a folder here, with `_` for `-`."""


@cache
def agent(name: str) -> "Recipe":
    """The recipe of another vendor's agent, by name, made of its record."""
    # Most commands need only the names, and importing the recipe reader takes longer than the rest of this module.
    from ..recipes.toml.make_recipe import make_recipe

    return make_recipe(read_recipe_tables(name), name, _refuse_base, "built in")


def read_recipe_tables(name: str) -> dict[str, Any]:
    """The tables of a record that form a recipe in TOML: all except `program`."""
    return {key: table for key, table in _read_record(name).items() if key != "program"}


@cache
def agent_facts(name: str) -> "AgentFacts":
    """The facts of an agent, without its recipe."""
    from msgspec import convert

    from ..model.recipe.recipe import AgentFacts

    return convert(_read_record(name)["agent"], AgentFacts)


def agent_program(name: str) -> dict[str, Any] | None:
    """The table `program` of a known agent's record, by which it is started; None if that is unknown."""
    record = _read_record(name)
    table = record.get("program")
    if not table:
        return None
    names = table.get("names") or record["agent"]["signs"]["programs"]
    return {"name": names[0], "names": names, **table}


@cache
def _read_record(name: str) -> dict[str, Any]:
    """The record of an agent, by name."""
    if name not in AGENTS:
        raise RecipeError(explain_unknown("Agent", name, AGENTS))
    data = pkgutil.get_data(__name__, f"{name.replace('-', '_')}/recipe.toml")
    assert data is not None
    return tomllib.loads(data.decode())


def _refuse_base(name: str) -> "Recipe":
    raise RecipeError(f"An agent can't extend another recipe: {name!r}.")
