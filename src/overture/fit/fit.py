"""Prompt + budget -> a Prompt that is never longer, with the least of the least important cut.

Every block has a ladder. The block of the lowest priority goes down its own to the end before the next one takes a
step, so a lower priority never stays while a higher one goes, and more room never shows less.
"""

from ..errors import BudgetError, ConfigError, unknown
from ..model.prompt.budget import Budget, Limit, as_budget
from ..model.prompt.prompt import Prompt
from ..tokens.counter import Count, as_counter
from .kept_cuts import as_since, carried

STEP = 16
"""A prompt that outgrows its cuts is cut by this part of the budget more than it must be, so that the cuts last."""


def fit(prompt: Prompt, budget: Limit | Budget, count: Count | None = None, *, since: Prompt | None = None) -> Prompt:
    """Cut `prompt` to `budget`, which is never exceeded by `count`, the lines about the cuts included.

    `budget` is a number of tokens, or a `Budget`. With `since`, the prompt that was fitted a turn ago, all but what may
    change every turn keeps its cuts as long as that is possible. What must stay and does not fit is a BudgetError.
    """
    counter = prompt.counter if count is None else as_counter(count)
    whole = (prompt.fitted.whole if prompt.fitted else prompt).counted(counter)
    allowed = as_budget(budget)
    limit = allowed.limit
    _check(whole, allowed.limits)
    if (again := as_since(whole, allowed, since)) is not None:
        return again
    fitting, same = carried(whole, allowed, since)
    if fitting.fits(limit) or limit is None:
        return fitting.prompt(allowed)
    if since is not None and not (same and fitting.descend(limit, turns_only=True) and fitting.fair()):
        fitting, _ = carried(whole, allowed, since)
        fitting.descend(limit - limit // STEP)
    if not fitting.descend(limit):
        raise BudgetError(fitting.unmet(limit))
    return fitting.prompt(allowed)


def least(prompt: Prompt) -> int:
    """The tokens of the shortest form that a prompt has: a budget below that can't be met."""
    fitting, _ = carried(prompt.fitted.whole if prompt.fitted else prompt, Budget(1), None)
    fitting.descend(0)
    return fitting.tokens()


def _check(whole: Prompt, limits: dict[str, int]) -> None:
    names = [section.name for section in whole.recipe.sections]
    for name in limits:
        if name not in names:
            raise ConfigError(unknown("Section", name, names))
