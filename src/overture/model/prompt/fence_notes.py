"""A recipe that fences, and a state without a mark: that is said, since nothing is fenced then."""

import re
from collections.abc import Iterator

from ..diagnostic import Diagnostic, warning
from ..recipe.recipe import Recipe
from ..state.state import State

MARK = re.compile(r"[A-Za-z0-9]{8,64}")
"""What a mark is made of: it is part of a tag."""


def fence_notes(recipe: Recipe, state: State) -> Iterator[Diagnostic]:
    """What is missing for the fences that a recipe wants."""
    if recipe.fence_below is None or MARK.fullmatch(state.mark or ""):
        return
    wants = f"recipe {recipe.name!r} fences what is below {recipe.fence_below!r}, and nothing is fenced"
    if state.mark is None:
        fault = "the state has no mark; a session gives one, and so does --set mark=WORD"
    else:
        fault = f"the mark {state.mark!r:.80} is not 8 to 64 letters and digits; give one that is"
    yield warning("fence-missing", f"{wants}: {fault}")
