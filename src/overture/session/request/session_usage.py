"""What the requests of a session cost: tokens as the providers counted them, and the price."""

from typing import Annotated

from ...errors import ConfigError
from ...known_models.model_facts import ModelFacts, TableForm
from ...known_models.model_table import find_facts, find_vendors, packaged_table
from ...known_models.prices import BilledUsage, cost_of
from ...model.message import Usage
from ...model.struct import Frozen, note


class SessionUsage(Frozen, frozen=True, omit_defaults=False):
    """The sum over all replies of a session."""

    requests: int = 0
    input: Annotated[int, note("tokens of the whole requests, cached ones included")] = 0
    output: int = 0
    cached: Annotated[int, note("of the input: read from the provider's cache")] = 0
    written: Annotated[int, note("of the input: written to the provider's cache")] = 0
    price: Annotated[float | None, note("US dollars; null: no price is known")] = None
    at_least: Annotated[bool, note("some prices are unknown: the true sum is `price` or more")] = False

    @property
    def tokens(self) -> int:
        """Input and output together."""
        return self.input + self.output


def add_usage(total: SessionUsage, usage: Usage, model: str | None) -> SessionUsage:
    """The sum with one more reply of a model."""
    price, at_least = price_reply(usage, model)
    return SessionUsage(
        total.requests + 1,
        total.input + usage.input,
        total.output + usage.output,
        total.cached + usage.cache_read,
        total.written + usage.cache_write,
        total.price if price is None else (total.price or 0.0) + price,
        total.at_least or at_least,
    )


def price_reply(usage: Usage, model: str | None) -> tuple[float | None, bool]:
    """What a reply cost, and whether that is only a lower bound."""
    facts = _find_facts(model, packaged_table())
    if facts is None or facts.input is None:
        return None, True
    fresh = max(0, usage.input - usage.cache_read - usage.cache_write)
    written = {facts.ttl(None): usage.cache_write} if usage.cache_write else {}
    cost = cost_of(BilledUsage(fresh, usage.cache_read, written, usage.output), facts)
    return cost.dollars, cost.at_least


def _find_facts(model: str | None, models: TableForm) -> ModelFacts | None:
    """What is known of a model, by its name alone: as its maker sells it."""
    if not model:
        return None
    try:
        vendors = find_vendors(models, model)
        return find_facts(models, vendors[0], model) if vendors else None
    except ConfigError:
        return None
