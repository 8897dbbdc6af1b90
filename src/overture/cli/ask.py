"""What the command line says: its options, and those that are little languages of their own."""

from typing import Any, NamedTuple

from ..model.budget import Budget, Limit
from ..model.config import KEYS, kind_of, parsed
from ..model.errors import ConfigError, nearest


class Ask(NamedTuple):
    """What the command line says."""

    recipe: str | None = None
    cwd: str | None = None
    home: str | None = None
    root: str | None = None
    state_file: str | None = None
    no_discover: bool = False
    sets: tuple[str, ...] = ()
    tools_file: str | None = None
    now: str | None = None
    config: tuple[str, ...] = ()
    budgets: tuple[str, ...] = ()
    window: str | None = None
    tokenizer: str | None = None


def budget_of(ask: Ask, window: int | None) -> Budget:
    """`4000`, `10%` and `skills=500` as a budget."""
    total: str | None = None
    sections: dict[str, Limit] = {}
    for text in ask.budgets:
        name, equals, limit = text.partition("=")
        if equals:
            sections[name.strip()] = limit
        else:
            total = text
    return Budget(total, sections, window)


def command_line(ask: Ask) -> dict[str, Any]:
    """The settings that -c gives."""
    values: dict[str, Any] = {}
    for text in ask.config:
        key, equals, raw = text.partition("=")
        if not equals:
            raise ConfigError(f"-c {text!r} is not KEY=VALUE, e.g. -c features.skills.enabled=false.")
        if key not in KEYS and not key.startswith("recipes."):
            raise ConfigError(f"-c {text!r}: the setting {key!r} is not known.{nearest(key, KEYS)}")
        kind = kind_of(key)
        values[key] = parsed(raw, kind) if kind else raw
    return values
