"""The last prompt of each recipe: whoever builds again without naming it still gets what is equal taken over.

A service, a batch and a test build one state after another, and most of each is as it was in the one before.
"""

from typing import NamedTuple

from ..lazy import cached
from ..model.prompt.prompt import Prompt
from ..model.recipe.recipe import Recipe
from ..model.state.state import State

KEY = "last prompt"


class LastPrompt(NamedTuple):
    """A prompt, and the state of which somebody wanted it: that of the prompt may be an earlier one that is equal."""

    prompt: Prompt
    state: State


def last_prompt(recipe: Recipe) -> LastPrompt | None:
    """What was built of it last, if all of its sections are ours: others may say what no state holds."""
    return recipe.__dict__.get(KEY) if _is_pure(recipe) else None


def keep_prompt(prompt: Prompt, state: State) -> None:
    """Keep it as the last one of its recipe. It stays as long as the recipe does, or until the next comes."""
    prompt.recipe.__dict__[KEY] = LastPrompt(prompt, state)


@cached
def _is_pure(recipe: Recipe) -> bool:
    return all(str(getattr(section.body, "__module__", "")).startswith("overture.") for section in recipe.sections)
