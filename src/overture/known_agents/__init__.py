"""Agents of other people, as data: one record each of what it reads, its limits, its files and its program."""

import pkgutil
import re
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
"""Their names. Each has a folder here, with `_` for `-`."""


@cache
def agent(name: str) -> "Recipe":
    """The recipe of the agent of that name."""
    # Most commands need the names alone: reading recipes takes longer to import than all the rest here.
    from ..recipes.toml.recipe import make_recipe

    return make_recipe(read_recipe_tables(name), name, _refuse_base, "built in")


def read_recipe_tables(name: str) -> dict[str, Any]:
    """The tables of a record that are a recipe, as any recipe in TOML has them."""
    tables = tomllib.loads(_read_record(name))
    return {key: table for key, table in tables.items() if key != "program"}


@cache
def agent_facts(name: str) -> "AgentFacts":
    """Who an agent is and how it is known: a tenth of the work of its whole recipe, where all agents are asked."""
    from msgspec import convert

    from ..model.recipe.recipe import AgentFacts

    return convert(_read_table(name, "agent"), AgentFacts)


def agent_program(name: str) -> dict[str, Any] | None:
    """How the agent's program is started behind the tap, as its record has it; None where nobody knows."""
    table = _read_table(name, "program")
    if not table:
        return None
    names = table.get("names") or _read_signs(name)["programs"]
    return {"name": names[0], "names": names, **table}


def _read_signs(name: str) -> dict[str, Any]:
    """One line of a record: the tap starts faster than all tables of all agents are parsed."""
    line = re.search(r"^signs = .*$", _read_record(name), re.MULTILINE)
    assert line is not None
    signs: dict[str, Any] = tomllib.loads(line[0])["signs"]
    return signs


def _read_table(name: str, table: str) -> dict[str, Any]:
    """One table of a record, with those below it: the rest of the record is not parsed."""
    lines = rf"^\[{table}(?:\.[^]]*)?\]\n(?:(?!\[).*\n?)*"
    found: dict[str, dict[str, Any]] = tomllib.loads("".join(re.findall(lines, _read_record(name), re.MULTILINE)))
    return found.get(table, {})


@cache
def _read_record(name: str) -> str:
    if name not in AGENTS:
        raise RecipeError(explain_unknown("Agent", name, AGENTS))
    data = pkgutil.get_data(__name__, f"{name.replace('-', '_')}/recipe.toml")
    assert data is not None
    return data.decode("utf-8")


def _refuse_base(name: str) -> "Recipe":
    raise RecipeError(f"An agent extends no other recipe, as {name!r}.")
