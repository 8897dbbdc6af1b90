"""Agents of other people's, as data: what each reads, in which order, with which limits, in which frames."""

import re
import tomllib
from functools import cache
from importlib.resources import files

import msgspec

from ...errors import RecipeError, unknown
from ...model.recipe.agent_facts import AgentFacts
from ...model.recipe.recipe import Recipe
from ..toml.recipe import recipe_of

FACTS = re.compile(r"^\[agent\]\n(?:(?!\[).*\n)*", re.MULTILINE)
"""The table `[agent]` of a recipe: who it is, alone, without all that it reads."""


@cache
def agent_names() -> tuple[str, ...]:
    """The names of the agents, sorted."""
    folders = files(__name__).iterdir()
    return tuple(sorted(each.name.replace("_", "-") for each in folders if each.is_dir() and each.name[0] != "_"))


@cache
def agent(name: str) -> Recipe:
    """The recipe of the agent of that name."""
    return recipe_of(tomllib.loads(_written(name)), name, _no_base, "built in")


@cache
def agent_facts(name: str) -> AgentFacts:
    """Who an agent is and how it is known: a tenth of the work of its whole recipe, where all agents are asked."""
    table = FACTS.search(_written(name))
    assert table is not None, f"the recipe of {name} has no table [agent]"
    return msgspec.convert(tomllib.loads(table[0])["agent"], AgentFacts)


@cache
def _written(name: str) -> str:
    if name not in agent_names():
        raise RecipeError(unknown("Agent", name, agent_names()))
    return (files(__name__) / name.replace("-", "_") / "recipe.toml").read_text("utf-8")


def _no_base(name: str) -> Recipe:
    raise RecipeError(f"An agent extends no other recipe, as {name!r}.")
