"""What the command line says: its options, and those that are little languages of their own."""

from typing import Any, NamedTuple

from ..model.budget import Budget, Limit, is_share
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
    subagent: bool = False
    sets: tuple[str, ...] = ()
    tools_file: str | None = None
    now: str | None = None
    config: tuple[str, ...] = ()
    budgets: tuple[str, ...] = ()
    window: str | None = None
    tokenizer: str | None = None


def budget_of(ask: Ask, window: int | None) -> Budget | None:
    """`4000`, `10%` and `skills=500` as a budget."""
    limits: dict[str, str] = {}
    for text in ask.budgets:
        name, equals, limit = text.partition("=")
        name, limit = (name.strip(), limit) if equals else ("", text)
        if name in limits:
            whose = f"of section {name!r}" if equals else "for the whole prompt"
            raise ConfigError(f"--budget is given twice {whose}: {limits[name]!r} and {limit!r}. Leave one out.")
        limits[name] = limit
    _check_window(ask, window, [limit for limit in limits.values() if is_share(limit)])
    total = limits.pop("", None)
    sections: dict[str, Limit] = {**limits}
    return Budget(total, sections, window) if ask.budgets else None


def _check_window(ask: Ask, window: int | None, shares: list[str]) -> None:
    """A share needs a window, and a window without a share would change nothing."""
    if shares and window is None:
        raise ConfigError(
            f"--budget {shares[0]!r} is a share of the model's window. Say how large that is, with --window 200000 "
            "or with a model's name, such as --window claude-opus-5."
        )
    if ask.window is not None and not shares:
        raise ConfigError(
            f"--window {ask.window!r} has no effect: only a share is taken of it, such as --budget 10%. "
            "Give one, or leave --window out."
        )


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
