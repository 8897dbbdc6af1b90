"""What users' own tests need: a world in memory, states in one line, and assertions on prompts."""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .assertions import assert_fits, assert_loaded, assert_prefix_stable, assert_says
    from .worlds import NOON, FakeWorld, make_state

_HOMES = {
    "NOON": ".worlds",
    "FakeWorld": ".worlds",
    "assert_fits": ".assertions",
    "assert_loaded": ".assertions",
    "assert_prefix_stable": ".assertions",
    "assert_says": ".assertions",
    "make_state": ".worlds",
}
__all__ = ["NOON", "FakeWorld", "assert_fits", "assert_loaded", "assert_prefix_stable", "assert_says", "make_state"]


def __getattr__(name: str) -> object:
    """Import a name when it is first used: pytest loads this package in every run, also where nobody uses it."""
    if name not in _HOMES:
        raise AttributeError(f"module 'overture.testing' has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_HOMES[name], __name__), name)
    return value
