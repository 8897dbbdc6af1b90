"""A template of an agent's -> its words, and the values between them, each with its source."""

import re
from collections.abc import Mapping
from functools import lru_cache

from ...model.recipe.body import Group, Part

PLACE = re.compile(r"\{\{ *([\w.]+) *\}\}")


@lru_cache(maxsize=1024)
def split(template: str) -> tuple[str, ...]:
    """Words and names of values, in turn; the first is words."""
    return tuple(PLACE.split(template))


def filled_with(template: str, values: Mapping[str, Part | Group]) -> tuple[Part | Group | str, ...]:
    """The words, with values in their places; one that is not given leaves nothing."""
    pieces = split(template)
    parts: list[Part | Group | str] = [pieces[0]]
    for name, words in zip(pieces[1::2], pieces[2::2], strict=True):
        parts += [values[name]] if name in values else []
        parts.append(words)
    return tuple(part for part in parts if part != "")
