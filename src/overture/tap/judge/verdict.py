"""What became of a call's cache: what it gave, what it should have given, and why it did not."""

from typing import Annotated, Literal

from ...model.struct import Frozen, note
from .bill import CallPrice
from .compare_calls import CallChange, Change

Reason = Literal[
    "hit", "first call", "expired", "prefix changed", "model changed", "settings changed", "below the minimum",
    "shortened", "no marks", "marks moved", "sent meanwhile", "evicted", "failed", "unknown",
]  # fmt: skip
"""sent meanwhile: before the call that would have filled the cache was answered. evicted: the provider no longer had
it, or routed the call elsewhere. unknown: nothing that is known explains what was measured."""


REASONS: dict[Change, Reason] = {"model": "model changed", "settings": "settings changed"}
"""The reason for a change; any other changes the prefix."""


class Loss(Frozen, frozen=True):
    """Tokens that were paid in full though an earlier call had sent them, and why."""

    reason: Reason
    cause: Annotated[str, note("in words; the same for the same cause")]
    tokens: int
    dollars: Annotated[float | None, note("beyond what reading them from the cache would have cost")] = None


class CallVerdict(Frozen, frozen=True):
    """One call, and what became of its cache."""

    call: Annotated[int, note("which of the calls")]
    reason: Reason
    cause: str
    tokens: Annotated[int, note("all that went in, as the provider counts, else as we do")]
    predicted: Annotated[int, note("of them, what we predict the cache to give back")]
    read: Annotated[int | None, note("what the provider says that it gave; null: it does not say")]
    price: CallPrice
    change: Annotated[CallChange | None, note("since the call before it in its conversation")] = None
    losses: tuple[Loss, ...] = ()
    diagnosis: Annotated[str | None, note("the provider's own words")] = None
    ruled_out: Annotated[tuple[str, ...], note("of a miss: what does not explain it, and why")] = ()
    warnings: Annotated[tuple[str, ...], note("what it sends that costs the cache")] = ()
