"""The built-in recipes, by name. Each is imported on first use."""

from importlib import import_module
from typing import Any

from ..errors import RecipeError, explain_unknown
from ..model.recipe.recipe import Recipe

BUILTIN = ("opal", "pi", "moltis", "nova", "ptc", "house")
"""The names of the built-in recipes."""


def builtin(name: str) -> Recipe:
    """The built-in recipe of that name."""
    if name not in BUILTIN:
        raise RecipeError(explain_unknown("Recipe", name, BUILTIN))
    recipe = import_module(f".{name}.recipe", __name__).RECIPE
    assert isinstance(recipe, Recipe)
    return recipe


def read_prose(package: str, file: str) -> str:
    """Read a .md file beside a recipe, without its last newline."""
    home: Any = import_module(package)
    data: bytes = home.__loader__.get_data(f"{home.__path__[0]}/{file}")  # as pkgutil, which imports five modules
    return data.decode("utf-8").rstrip("\n")
