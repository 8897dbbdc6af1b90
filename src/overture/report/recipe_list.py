"""Recipes -> a row for each: its name, what it is, how many sections it has, whether it is somebody else's agent."""

from collections.abc import Iterable
from typing import Annotated

from ..model.recipe.recipe import Recipe
from ..model.struct import Frozen, note


class RecipeRow(Frozen, frozen=True, omit_defaults=False):
    """One recipe that can be named."""

    name: str
    about: str
    sections: Annotated[int, note("how many it has")]
    agent: Annotated[bool, note("it says what somebody else's agent is told")]


def listed(recipes: Iterable[Recipe]) -> tuple[RecipeRow, ...]:
    """A row for each, in their order."""
    return tuple(RecipeRow(each.name, each.about, len(each.sections), bool(each.agent)) for each in recipes)
