"""A budget: the most tokens that a prompt and its sections may have, as numbers or as shares of a model's window."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from ...errors import ConfigError

BudgetLimit = int | float | str


class Budget(Struct, frozen=True):
    """A limit on tokens, in total and by section: `Budget(4000, sections={"skills": "2%"}, window=200_000)`.

    A limit is a number of tokens, or a share of `window`: `0.1` or `"10%"`.
    """

    total: BudgetLimit | None = None
    sections: Mapping[str, BudgetLimit] = {}
    window: int | None = None
    """The size of the context window in tokens; required for shares."""

    @property
    def limit(self) -> int | None:
        """The limit in total, in tokens; None: no limit."""
        return None if self.total is None else limit_in_tokens(self.total, self.window)

    @property
    def limits(self) -> dict[str, int]:
        """The limit of each limited section, in tokens."""
        return {name: limit_in_tokens(limit, self.window) for name, limit in self.sections.items()}


def check_budget(limit: BudgetLimit | Budget | None) -> Budget | None:
    """A budget whose limits are all valid."""
    budget = None if limit is None else as_budget(limit)
    if budget is not None:
        _ = budget.limit, budget.limits
    return budget


def as_budget(limit: BudgetLimit | Budget) -> Budget:
    """A budget unchanged, or one of that many tokens in total."""
    return limit if isinstance(limit, Budget) else Budget(limit)


def limit_in_tokens(limit: BudgetLimit, window: int | None) -> int:
    """A limit in tokens."""
    share, number = is_share(limit), _parse_limit(limit)[1]
    if share and window is None:
        raise ConfigError(
            f"The budget {limit!r} is a share of the context window.",
            hint="Pass the size of the window: window=200_000.",
        )
    if share and not isinstance(window, int | float):
        raise ConfigError(f"window: {window!r:.80} is not a number of tokens.", hint="Use e.g. window=200_000.")
    count = int(number * window) if share and window is not None else int(number)
    if count < 1:
        raise ConfigError(f"The budget {limit!r} is too small.", hint="Use at least 1 token.")
    return count


def is_share(limit: BudgetLimit) -> bool:
    """Whether a limit is a share of a window; an impossible share is an error, whatever the window."""
    share, number = _parse_limit(limit)
    if share and not 0 < number <= 1:
        raise ConfigError(
            f"The budget {limit!r} is not a valid share of a window: use more than 0 and at most 1 (100%)."
        )
    return share


def _parse_limit(limit: BudgetLimit) -> tuple[bool, float]:
    """Whether it is a share, and the number."""
    try:
        if isinstance(limit, str):
            number = limit.strip().replace(",", "").replace("_", "")
            return (True, float(number[:-1]) / 100) if number.endswith("%") else (False, int(number))
        if type(limit) in (int, float):
            return isinstance(limit, float), limit
    except ValueError:
        pass
    raise ConfigError(f"{limit!r} is not a valid budget.", hint="Use tokens (4000) or a share of the window (10%).")
