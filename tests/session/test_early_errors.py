"""What no turn could use is refused where it is written: by the constructor, before anything of the project is read."""

from pathlib import Path
from typing import Any

import pytest

import overture
from overture import ConfigError, RecipeError, Session, SessionError, StateError
from overture.model.recipe.recipe import Recipe
from tests.contract.session.worlds import project


@pytest.mark.parametrize(
    ("recipe", "options", "error", "words"),
    [
        ("opal", {"state": 5}, StateError, "expected an object, got a whole number"),
        ("opal", {"tools": 5}, StateError, "Tools must be a list"),
        ("opal", {"memories": "never"}, SessionError, "memories is 'never'. Pass 'live', 'frozen' or None."),
        ("opal", {"hook_limit": "10"}, SessionError, "hook_limit is '10'. Pass seconds, or None."),
        ("opal", {"max_depth": "1"}, SessionError, "max_depth is '1'. Pass a whole number from 0 on."),
        ("opal", {"keep": -1}, SessionError, "keep is -1. Pass a whole number from 0 on."),
        ("hose", {}, RecipeError, "'hose' is not known.*Did you mean 'house'"),
        ("nowhere.toml", {}, RecipeError, "nowhere.toml"),
        (Path("nowhere.toml"), {}, RecipeError, "nowhere.toml"),
        (7, {}, RecipeError, "7 is not a recipe"),
        (["opal"], {}, RecipeError, "is not a recipe"),
        ("opal", {"config": {"nope": 1}}, ConfigError, "Unknown setting 'nope'"),
        ("opal", {"config": {"features.skils.enabled": True}}, ConfigError, "Did you mean 'features.skills.enabled'"),
        ("opal", {"config": {"features.skills.enabled": "maybe"}}, ConfigError, "maybe"),
        (None, {"config": {"recipe": "hose"}}, RecipeError, "'hose' is not known"),
        ("opal", {"cwd": "/gone"}, ConfigError, "'/gone' is not a directory"),
        ("opal", {"cwd": "/p", "root": "/q"}, ConfigError, "'/q' is not the working directory"),
    ],
)
def test_the_constructor_refuses_what_it_can_know(
    recipe: Any, options: dict[str, Any], error: type[Exception], words: str
) -> None:
    """An unknown recipe, a missing .toml, a wrong type, a bad setting or folder: our error, at once."""
    with pytest.raises(error, match=words):
        Session(recipe, world=project(), **options)


def test_a_recipe_of_the_projects_own_is_found() -> None:
    """Names from the configuration of `cwd`, paths of .toml files as text or Path, and Recipes are as good."""
    world = project(**{"overture.toml": '[recipes.mine]\nextends = "pi"', "my.toml": 'extends = "opal"\nname = "my"'})
    assert Session("mine", world=world).prompt.recipe.name == "mine"
    assert (
        Session(Path("/p/my.toml"), world=world).prompt.recipe.name
        == Session("my.toml", world=world).prompt.recipe.name
    )
    recipe = overture.load_recipe("pi")
    assert Session(recipe, world=world).prompt.recipe is recipe and isinstance(recipe, Recipe)
