"""What a call cost, by the provider's own counts where it gives them, and what the parts of its input were."""

from typing import Annotated

from ...known_models.model_facts import Facts
from ...model.struct import Frozen, note
from .call import Call

MILLION = 1e6


class CallPrice(Frozen, frozen=True):
    """The tokens of a call as they are paid for, and the price in US dollars."""

    fresh: Annotated[int, note("input tokens at the full price")]
    read: Annotated[int, note("input tokens from the cache")]
    written: Annotated[int, note("input tokens that the cache takes")]
    output: Annotated[int | None, note("null: not said")]
    said: Annotated[bool, note("false: the provider said nothing, and the counts are predicted")]
    dollars: Annotated[float | None, note("null: no price is known for the model")] = None
    uncached: Annotated[float | None, note("the same with no cache at all")] = None
    whole: Annotated[bool, note("false: it is the price of the input only")] = True

    @property
    def input(self) -> int:
        """All tokens that went in."""
        return self.fresh + self.read + self.written


def price_of_call(call: Call, facts: Facts, tokens: int, read: int, written: int) -> CallPrice:
    """The price; the numbers are what is predicted, and count where the provider says nothing."""
    usage = call.usage
    if usage is None or usage.input is None:
        if not call.answered:
            # What a provider refuses, it does not charge.
            return _priced(CallPrice(0, 0, 0, None, False), call, facts)
        return _priced(CallPrice(tokens - read - written, read, written, None, False), call, facts)
    got, put = min(usage.read or 0, usage.input), usage.written or 0
    put = min(put, usage.input - got)
    return _priced(CallPrice(usage.input - got - put, got, put, usage.output, True), call, facts)


def price_by_counts(call: Call, facts: Facts) -> CallPrice:
    """The price of a call of which a log does not hold all; None in dollars where it has no counts either."""
    counted = call.usage is not None and call.usage.input is not None
    return price_of_call(call, facts, 0, 0, 0) if counted or not call.answered else CallPrice(0, 0, 0, None, False)


def _priced(price: CallPrice, call: Call, facts: Facts) -> CallPrice:
    if facts.input is None:
        return price
    paid = price.fresh + price.read * facts.read + price.written * write_factor(call, facts)
    out = (price.output or 0) * (facts.output or 0.0) / MILLION
    return CallPrice(
        price.fresh,
        price.read,
        price.written,
        price.output,
        price.said,
        paid * facts.input / MILLION + out,
        price.input * facts.input / MILLION + out,
        facts.output is not None and (price.output is not None or price.input == 0),
    )


def write_factor(call: Call, facts: Facts) -> float:
    """What writing costs, as a factor: the mean over what is kept for minutes and for an hour."""
    short = facts.write[facts.ttl()]
    usage = call.usage
    if usage is not None and usage.hour and usage.written:
        share = min(usage.hour / usage.written, 1.0)
        return share * facts.write.get("1h", short) + (1 - share) * short
    asked = next((piece.ttl for piece in call.pieces if piece.mark and piece.ttl), None)
    return short if usage is not None and usage.hour == 0 else facts.write[facts.ttl(asked)]


def cost_of_lost(lost: int, price: CallPrice, call: Call, facts: Facts) -> float | None:
    """What tokens cost that were not read from the cache: beyond what reading them would have cost."""
    if facts.input is None:
        return None
    written = min(lost, price.written)
    paid = written * write_factor(call, facts) + min(lost - written, price.fresh)
    return max(paid - min(lost, price.written + price.fresh) * facts.read, 0.0) * facts.input / MILLION
