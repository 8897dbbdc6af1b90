"""The recipes that a request may name: found once, when the service starts. No request leads to a file."""

from collections.abc import Iterable
from typing import NamedTuple

from ...discover.discover import ResolvedProject
from ...errors import RecipeError, explain_unknown
from ...known_agents import AGENTS, agent
from ...model.diagnostic import Diagnostic, warning
from ...model.recipe.recipe import Recipe
from ...project.find_recipe import find_recipe, list_recipe_names


class OfferedRecipes(NamedTuple):
    """What can be named, and what counts where a request names nothing."""

    made: dict[str, Recipe]
    """Those that are ready; agents of others come with the package and are made when they are asked for."""
    default: str
    notes: tuple[Diagnostic, ...] = ()
    """What is wrong with those that can't be offered."""

    @property
    def names(self) -> tuple[str, ...]:
        """All names, each once."""
        return tuple(dict.fromkeys([*self.made, *AGENTS]))

    def recipe(self, name: str) -> Recipe:
        """The recipe of that name. A path is no name, whatever lies there."""
        if name in self.made:
            return self.made[name]
        if name in AGENTS:
            return agent(name)
        raise RecipeError(explain_unknown("Recipe", name, self.made, AGENTS))

    @property
    def all(self) -> Iterable[Recipe]:
        """Every recipe, in the order of the names."""
        return map(self.recipe, self.names)


def offer_recipes(project: ResolvedProject) -> OfferedRecipes:
    """The built-in recipes, those that the configuration and packages have, and the one that was asked for."""
    by_name: dict[str, Recipe] = {}
    notes: list[Diagnostic] = []
    for name in list_recipe_names(project.config):
        if name in AGENTS and name not in project.config.recipes:
            continue
        try:
            by_name[name] = find_recipe(project.world, name, project.config, project.cwd)
        except RecipeError as problem:
            notes.append(warning("recipe-broken", str(problem)))
    by_name[project.recipe.name] = project.recipe
    return OfferedRecipes(by_name, project.recipe.name, tuple(notes))
