"""Agents of other people, as data: one record each of what it reads, its limits, its files and its program."""

import pkgutil
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
"""Their names. Each has a folder here, with `_` for `-`."""


@cache
def agent(name: str) -> "Recipe":
    """The recipe of the agent of that name."""
    # Most commands need the names alone: reading recipes takes longer to import than all the rest here.
    from ..recipes.toml.make_recipe import make_recipe

    return make_recipe(read_recipe_tables(name), name, _refuse_base, "built in")


def read_recipe_tables(name: str) -> dict[str, Any]:
    """The tables of a record that are a recipe, as any recipe in TOML has them."""
    return {key: table for key, table in _read_record(name).items() if key != "program"}


@cache
def agent_facts(name: str) -> "AgentFacts":
    """Who an agent is and how it is known: a tenth of the work of its whole recipe, where all agents are asked."""
    from msgspec import convert

    from ..model.recipe.recipe import AgentFacts

    return convert(_read_record(name)["agent"], AgentFacts)


def agent_program(name: str) -> dict[str, Any] | None:
    """How the agent's program is started behind the tap, as its record has it; None where nobody knows."""
    record = _read_record(name)
    table = record.get("program")
    if not table:
        return None
    names = table.get("names") or record["agent"]["signs"]["programs"]
    return {"name": names[0], "names": names, **table}


def _read_record(name: str) -> dict[str, Any]:
    if name not in AGENTS:
        raise RecipeError(explain_unknown("Agent", name, AGENTS))
    return _read_records()[name]


@cache
def _read_records() -> dict[str, dict[str, Any]]:
    """All records, as `make reference` writes them from the folders' TOML: that takes forty times as long to parse."""
    from msgspec.json import decode

    data = pkgutil.get_data(__name__, "records.json")
    assert data is not None
    records: dict[str, dict[str, Any]] = decode(data)
    return records


def _refuse_base(name: str) -> "Recipe":
    raise RecipeError(f"An agent can't extend another recipe: {name!r}.")
