"""The report on what a program sent, as data."""

from typing import Annotated, Any

from ...model.struct import Frozen, as_json, note
from .verdict import CallVerdict, Reason


class Part(Frozen, frozen=True, omit_defaults=False):
    """A part of a request: a section, a tool, a kind of message."""

    name: str
    tokens: int
    share: Annotated[float, note("of the whole request, 0 to 1")]
    count: int = 1
    under: Annotated[str, note("of a section: the heading or tag that it stands in")] = ""
    level: int = 0


class Cause(Frozen, frozen=True, omit_defaults=False):
    """What one cause cost."""

    reason: Reason
    cause: str
    calls: int
    tokens: int
    dollars: float | None


class CallTold(Frozen, frozen=True, omit_defaults=False):
    """One call in the report."""

    id: str
    at: str
    model: str
    status: int
    verdict: CallVerdict


class ConversationTold(Frozen, frozen=True, omit_defaults=False):
    """One conversation in the report."""

    name: str
    why: str
    calls: tuple[CallTold, ...]
    input: int
    read: int
    written: int
    output: int
    dollars: Annotated[float | None, note("null: of no call is a price known")]
    at_least: Annotated[bool, note("of some calls not every price is known: the true sum is `dollars` or more")]
    lost: Annotated[float | None, note("of them, because of misses")]
    causes: tuple[Cause, ...]
    sections: Annotated[tuple[Part, ...], note("the system prompt of its last call")]
    tools: tuple[Part, ...]
    messages: tuple[Part, ...]
    tokens: Annotated[int, note("of its last call, as we count")]
    not_counted: Annotated[tuple[str, ...], note("what has a size that nobody here knows")] = ()


class TapReport(Frozen, frozen=True, omit_defaults=False):
    """What a program sent."""

    calls: int
    conversations: tuple[ConversationTold, ...]
    causes: tuple[Cause, ...]
    dollars: float | None
    lost: float | None
    at_least: Annotated[bool, note("of some calls not every price is known: the true sum is `dollars` or more")]
    unpriced: Annotated[tuple[str, ...], note("models of which no price is known")]
    as_known_on: str
    tokenizer: str
    exact: bool
    missing: Annotated[
        tuple[str, ...], note("what could not be recorded, with the call's id, or of how many calls")
    ] = ()
    uncached: Annotated[float | None, note("what the same had cost without any cache")] = None
    warnings: Annotated[
        tuple[str, ...], note("what is sent that costs the cache, with the call's id, or of how many calls")
    ] = ()
    not_priced: Annotated[tuple[str, ...], note("what is not known of the price")] = ()

    def to_dict(self) -> dict[str, Any]:
        """The JSON form."""
        return as_json(self)
