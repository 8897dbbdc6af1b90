"""Agents of other people's, as data: what each reads, in which order, with which limits, in which frames."""

import tomllib
from functools import cache
from importlib.resources import files

from ...errors import RecipeError, unknown
from ...model.recipe.recipe import Recipe
from ..toml.recipe import recipe_of


@cache
def agent_names() -> tuple[str, ...]:
    """The names of the agents, sorted."""
    folders = files(__name__).iterdir()
    return tuple(sorted(each.name.replace("_", "-") for each in folders if each.is_dir() and each.name[0] != "_"))


@cache
def agent(name: str) -> Recipe:
    """The recipe of the agent of that name."""
    if name not in agent_names():
        raise RecipeError(unknown("Agent", name, agent_names()))
    path = files(__name__) / name.replace("-", "_") / "recipe.toml"
    table = tomllib.loads(path.read_text("utf-8"))
    return recipe_of(table, name, _no_base, "built in")


def _no_base(name: str) -> Recipe:
    raise RecipeError(f"An agent extends no other recipe, as {name!r}.")
