"""The budget, the counter and the window that --budget, --tokenizer and --window give."""

from typing import TYPE_CHECKING

from ..api import counter, load_models, window
from ..errors import ConfigError
from ..model.prompt.budget import Budget, BudgetLimit, is_share
from ..tokens.counter import Counter
from .options import CommandOptions, load_settings

if TYPE_CHECKING:
    from ..known_models.model_facts import TableForm

MAX_WINDOW_DIGITS = 12


def parse_budget(options: CommandOptions, window: int | None) -> Budget | None:
    """`4000`, `10%` and `skills=500` as a budget."""
    limits: dict[str, str] = {}
    for text in options.budgets:
        name, equals, limit = text.partition("=")
        name, limit = (name.strip(), limit) if equals else ("", text)
        if name in limits:
            whose = f"of section {name!r}" if equals else "for the whole prompt"
            raise ConfigError(
                f"--budget is given twice {whose}: {limits[name]!r} and {limit!r}.", hint="Omit one of them."
            )
        limits[name] = limit
    _check_window(options, window, [limit for limit in limits.values() if is_share(limit)])
    total = limits.pop("", None)
    sections: dict[str, BudgetLimit] = {**limits}
    return Budget(total, sections, window) if options.budgets else None


def _check_window(options: CommandOptions, window: int | None, shares: list[str]) -> None:
    """A share needs a window, and a window without a share would change nothing."""
    if shares and window is None:
        raise ConfigError(
            f"--budget {shares[0]!r} is a share of the model's window.",
            hint="Pass its size: --window 200000, or a model's name: --window claude-opus-5.",
        )
    if options.window is not None and not shares:
        raise ConfigError(
            f"--window {options.window!r} has no effect without a share such as --budget 10%.",
            hint="Pass a share, or omit --window.",
        )


def budget_for(options: CommandOptions) -> Budget | None:
    """The budget that --budget and --window give."""
    return parse_budget(options, window_for(options))


def counter_for(options: CommandOptions) -> Counter | None:
    """What counts, where somebody wants to know: loading a tokenizer takes longer than all the rest."""
    return counter(options.tokenizer) if options.budgets or options.tokenizer is not None else None


def window_for(options: CommandOptions) -> int | None:
    """`200000`, or what the table says of a model."""
    digits = (options.window or "").replace(",", "").replace("_", "")
    if not digits.removeprefix("-").isdecimal():
        return window(options.window, models_for(options)) if options.window else None
    if len(digits) > MAX_WINDOW_DIGITS or int(digits) < 1:
        raise ConfigError(
            f"--window {options.window!r} is not a window size.",
            hint="Pass the size of the model's context window in tokens, e.g. 200000.",
        )
    return int(digits)


def models_for(options: CommandOptions) -> "TableForm":
    """Limits and prices of models: the package's own, with the configured file over them."""
    if options.no_discover:
        return load_models(None, world=options.world)
    setting = load_settings(options).get("models", options.recipe)
    return load_models(setting.value, world=options.world, within=setting.within)
