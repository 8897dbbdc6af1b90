"""All rules, by their codes: every module of these folders that has `RULES` adds its own."""

import pkgutil
from collections.abc import Iterator, Mapping
from functools import cache
from importlib import import_module

from ..errors import ConfigError, unknown
from .rule import Rule

ROOMS = ("files", "project", "prompt")
"""The folders whose modules hold rules."""


@cache
def rules() -> Mapping[str, Rule]:
    """Every rule, sorted by its code."""
    return {rule.code: rule for rule in sorted(_all(), key=lambda rule: rule.code)}


def _all() -> Iterator[Rule]:
    for room in ROOMS:
        package = import_module(f".{room}", __package__)
        for module in sorted(found.name for found in pkgutil.iter_modules(package.__path__)):
            yield from getattr(import_module(f".{module}", package.__name__), "RULES", ())


@cache
def page(code: str) -> str:
    """The page of a rule: what it finds, why, how to mend it, and an example of each kind."""
    if code not in rules():
        raise ConfigError(unknown("Check", code, rules()))
    data = pkgutil.get_data(__package__, f"pages/{code}.md")
    assert data is not None
    return data.decode("utf-8").rstrip("\n")
