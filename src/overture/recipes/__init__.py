"""The built-in recipes, by name. Each is imported when it is asked for."""

import pkgutil
from importlib import import_module

from ..errors import RecipeError, explain_unknown
from ..model.recipe.recipe import Recipe

BUILTIN = ("opal", "pi", "moltis", "nova", "ptc", "house")
"""Names of the recipes that come with the package."""


def builtin(name: str) -> Recipe:
    """The built-in recipe of that name."""
    if name not in BUILTIN:
        raise RecipeError(explain_unknown("Recipe", name, BUILTIN))
    recipe = import_module(f".{name}.recipe", __name__).RECIPE
    assert isinstance(recipe, Recipe)
    return recipe


def prose(package: str, file: str) -> str:
    """A text that lies beside a recipe as a .md file, without its last newline."""
    data = pkgutil.get_data(package, file)
    assert data is not None
    return data.decode("utf-8").rstrip("\n")
