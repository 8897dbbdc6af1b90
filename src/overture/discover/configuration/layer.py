"""A layer of configuration: what one place says."""

from collections.abc import Mapping
from typing import Any, NamedTuple

PROJECT, USER = 2, 3
"""How near a layer of a project's file is, and one of the user's."""


class Layer(NamedTuple):
    """Values from one place."""

    origin: str
    folder: str
    values: dict[str, Any]
    rank: int
    """How near: command line 0, environment 1, project file 2, user file 3."""
    recipes: dict[str, Mapping[str, Any]] = {}
