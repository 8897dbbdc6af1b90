"""The cost of a request, from the provider's counts: each part, their sum, and whether it is only a lower bound."""

from collections.abc import Iterator
from math import fsum
from typing import Annotated

from msgspec.structs import replace

from ..model.struct import Frozen, note
from .model_facts import ModelFacts, PriceStep

MILLION = 1e6
NO_SPLIT = ""
"""In place of a time to live: the provider counts writes without reporting how long they are cached."""
USUAL = ("", "auto", "default", "standard", "standard_only", "unspecified", "on_demand", "global", "not_available")
"""Names of tiers, speeds and places with the prices of the table."""


class BilledUsage(Frozen, frozen=True):
    """All that a request is billed for."""

    fresh: Annotated[int, note("input tokens at the full price")] = 0
    read: Annotated[int, note("input tokens from the cache")] = 0
    written: Annotated[dict[str, int], note("input tokens written to the cache, by time to live; '': unknown")] = {}
    output: Annotated[int | None, note("null: unknown")] = 0
    searches: Annotated[int | None, note("web searches; null: some were made, but their number is unknown")] = 0
    tier: Annotated[str, note("the service tier of the response")] = ""
    asked_tier: Annotated[str, note("the requested service tier; used if the response names none")] = ""
    speed: str = ""
    geo: Annotated[str, note("where the model ran, from `inference_geo`")] = ""
    host: Annotated[str, note("the host that was called, without its port")] = ""
    shortest: Annotated[int | None, note("of several requests in one call, the tokens of the shortest prompt")] = None
    unknown: Annotated[tuple[str, ...], note("what else is billed, but unknown")] = ()

    @property
    def input(self) -> int:
        """All tokens of the prompt, by which steps of the price go."""
        return self.fresh + self.read + sum(self.written.values())

    @property
    def uncached(self) -> "BilledUsage":
        """What is billed for the same request without a cache."""
        return replace(self, fresh=self.input, read=0, written={})


class Cost(Frozen, frozen=True, omit_defaults=False):
    """US dollars. With `at_least`, some price was not known, and the true sum is this or more."""

    dollars: Annotated[float | None, note("null: no price is known at all")]
    at_least: bool = False
    unknown: Annotated[tuple[str, ...], note("what has no known price")] = ()
    parts: Annotated[dict[str, float], note("fresh, read, written, output, searches; their sum is `dollars`")] = {}


def cost_of(usage: BilledUsage, facts: ModelFacts) -> Cost:
    """The cost of a request on a model. Parts without a price are named, and make the sum a lower bound."""
    unknown = dict.fromkeys(_list_unknown_prices(usage, facts))
    if facts.input is None:
        return Cost(None, True, (f"the price of {facts.model or 'the model'}", *unknown))
    factor = compute_token_factor(usage, facts)
    step = _find_price_step(usage.input if usage.shortest is None else usage.shortest, facts) if facts.steps else None
    into, out = (step.input, step.output) if step else (1.0, 1.0)
    each = facts.input * into * factor / MILLION
    reads = factor / min(_find_tier_factor(usage, facts), 1.0) if facts.full_reads else factor
    parts = {
        "fresh": usage.fresh * each,
        "read": usage.read * facts.read * facts.input * into * reads / MILLION,
        "written": fsum(tokens * write_factor(facts, ttl) for ttl, tokens in usage.written.items()) * each,
        "output": (usage.output or 0) * (facts.output or 0.0) * out * factor / MILLION,
        "searches": _count_billed_searches(usage, facts) * (facts.search or 0.0) / 1_000,
    }
    # Not `sum`, which adds in another way on some versions of Python.
    return Cost(fsum(parts.values()), bool(unknown), tuple(unknown), parts)


def write_factor(facts: ModelFacts, ttl: str) -> float:
    """What writing costs, as a factor of the input price; of a time to live without a price, the default's."""
    return facts.write.get(ttl, facts.write[facts.ttl()])


def compute_token_factor(usage: BilledUsage, facts: ModelFacts) -> float:
    """All factors of a request's tokens except that of its length; unknown ones are 1."""
    return (
        _find_tier_factor(usage, facts)
        * facts.speeds.get(usage.speed.lower(), 1.0)
        * facts.geos.get(usage.geo.lower(), 1.0)
        * facts.hosts.get(usage.host.lower(), 1.0)
        * (facts.region or 1.0)
        * (1.0 if facts.off_peak is None else facts.off_peak)
    )


def _find_price_step(tokens: int, facts: ModelFacts) -> PriceStep | None:
    return max((each for each in facts.steps if tokens > each.above), key=lambda each: each.above, default=None)


def _find_tier_factor(usage: BilledUsage, facts: ModelFacts) -> float:
    if usage.tier:
        return facts.tiers.get(usage.tier.lower(), 1.0)
    # A provider may serve a request in another tier than requested: only the cheaper of the two is certain.
    return min(facts.tiers.get(usage.asked_tier.lower(), 1.0), 1.0)


def _count_billed_searches(usage: BilledUsage, facts: ModelFacts) -> int:
    count = usage.searches or 0
    return min(count, 1) if facts.search_by == "request" else count


def _list_unknown_prices(usage: BilledUsage, facts: ModelFacts) -> Iterator[str]:
    """Parts without a known price."""
    if usage.output is None:
        yield "the number of output tokens"
    elif usage.output and facts.output is None and facts.input is not None:
        yield "the price of output"
    if usage.searches is None:
        yield "the number of web searches"
    elif usage.searches and facts.search is None:
        yield "the price of web searches"
    yield from _list_unknown_writes(usage, facts)
    if usage.read and "read" in facts.unsure:
        yield "the price of cache reads"
    for what, value, known in (
        ("service tier", usage.tier or usage.asked_tier, facts.tiers),
        ("speed", usage.speed, facts.speeds),
        ("inference_geo", usage.geo, facts.geos),
    ):
        if value and value.lower() not in USUAL and value.lower() not in known:
            yield f"the price of {what} {value!r:.40}"
    if not usage.tier and usage.asked_tier.lower() in facts.tiers:
        yield f"whether service tier {usage.asked_tier!r:.40} was given"
    if usage.input and facts.region is None:
        yield "the region of the model, which may cost more"
    if usage.input and facts.off_peak is not None:
        yield "the hours of the lower price"
    if usage.shortest is not None and _find_price_step(usage.shortest, facts) != _find_price_step(usage.input, facts):
        yield "which of the requests in one call are long enough to cost more"
    yield from usage.unknown


def _list_unknown_writes(usage: BilledUsage, facts: ModelFacts) -> Iterator[str]:
    for ttl, tokens in usage.written.items():
        if not tokens:
            continue
        if ttl == NO_SPLIT and len(set(facts.write.values())) > 1:
            yield "how long cache writes are kept"
        elif ttl != NO_SPLIT and (ttl not in facts.write or ttl in facts.unsure):
            yield f"the price of cache writes for {ttl}"
