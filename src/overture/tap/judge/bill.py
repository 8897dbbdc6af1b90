"""What a call cost, by the provider's own counts where it gives them, and what the parts of its input were."""

from collections.abc import Iterator
from typing import Annotated

from msgspec.structs import replace

from ...known_models.model_facts import ModelFacts
from ...known_models.prices import BilledUsage, cost_of
from ...model.struct import Frozen, note
from ..call import Call
from ..read.billed_extras import asked_for, iterations, marked_ttl, unknown_charges, written_by_life


class CallPrice(Frozen, frozen=True):
    """The tokens of a call as they are paid for, and the price in US dollars."""

    fresh: Annotated[int, note("input tokens at the full price")]
    read: Annotated[int, note("input tokens from the cache")]
    written: Annotated[int, note("input tokens that the cache takes")]
    output: Annotated[int | None, note("null: not said")]
    said: Annotated[bool, note("false: the provider said nothing, and the counts are predicted")]
    dollars: Annotated[float | None, note("null: no price is known for the model")] = None
    uncached: Annotated[float | None, note("the same with no cache at all")] = None
    at_least: Annotated[bool, note("some price is not known: the true price is this or more")] = False
    unknown: Annotated[tuple[str, ...], note("what is not known")] = ()
    parts: Annotated[dict[str, float], note("fresh, read, written, output, searches: what `dollars` adds up")] = {}

    @property
    def input(self) -> int:
        """All tokens that went in."""
        return self.fresh + self.read + self.written


def price_of_call(call: Call, facts: ModelFacts, tokens: int, read: int, written: int) -> CallPrice:
    """The price; the numbers are what is predicted, and count where the provider says nothing."""
    usage = billed_usage(call, facts, tokens, read, written)
    cost, plain = cost_of(usage, facts), cost_of(usage.uncached, facts)
    put, counted = sum(usage.written.values()), call.usage is not None and call.usage.input is not None
    output = usage.output if counted else None
    return CallPrice(
        usage.fresh, usage.read, put, output, counted, cost.dollars, plain.dollars,
        cost.at_least, cost.unknown, cost.parts,
    )  # fmt: skip


def price_by_counts(call: Call, facts: ModelFacts) -> CallPrice:
    """The price of a call of which a log does not hold all; None in dollars where it has no counts either."""
    counted = call.usage is not None and call.usage.input is not None
    if counted or not call.answered:
        return price_of_call(call, facts, 0, 0, 0)
    return CallPrice(0, 0, 0, None, False, at_least=True, unknown=("the tokens of calls that a log does not count",))


def billed_usage(call: Call, facts: ModelFacts, tokens: int = 0, read: int = 0, written: int = 0) -> BilledUsage:
    """All that a call is billed for; the numbers count where the provider says nothing."""
    usage = call.usage
    if not call.answered and (usage is None or usage.input is None):
        # What a provider refuses, it does not charge.
        return BilledUsage()
    extras = replace(asked_for(call), unknown=tuple(unknown_charges(call, facts)))
    if usage is None or usage.input is None:
        put = {marked_ttl(call, facts): written} if written else {}
        return replace(extras, fresh=tokens - read - written, read=read, written=put, output=None)
    got = min(usage.read or 0, usage.input)
    lives = written_by_life(call, min(usage.written or 0, usage.input - got), facts)
    inner = iterations(usage.raw)
    return replace(
        extras,
        fresh=usage.input - got - sum(lives.values()),
        read=got,
        written=lives,
        output=usage.output,
        shortest=min(inner) if len(inner) > 1 else None,
    )


def cost_of_lost(lost: int, price: CallPrice, call: Call, facts: ModelFacts) -> float | None:
    """What tokens cost that were not read from the cache: beyond what reading them would have cost."""
    usage = billed_usage(call, facts, price.input, price.read, price.written)
    paid, ideal = cost_of(usage, facts).dollars, cost_of(_as_read(usage, lost), facts).dollars
    return None if paid is None or ideal is None else max(paid - ideal, 0.0)


def _as_read(usage: BilledUsage, lost: int) -> BilledUsage:
    """The same request, had it read so many tokens more: of those written first, then of the fresh ones."""
    written = dict(_less(usage.written, lost))
    moved = sum(usage.written.values()) - sum(written.values())
    fresh = min(lost - moved, usage.fresh)
    return replace(usage, fresh=usage.fresh - fresh, read=usage.read + moved + fresh, written=written)


def _less(written: dict[str, int], lost: int) -> Iterator[tuple[str, int]]:
    for ttl, tokens in written.items():
        yield ttl, tokens - min(lost, tokens)
        lost -= min(lost, tokens)
