"""Sessions that run beside each other -> what of the prompt they share, and what ends it."""

from collections.abc import Sequence
from typing import Annotated

from ..model.facts import Facts
from ..model.struct import Frozen, note
from .cause import Blame, Turn, blame
from .kept import Count, in_steps, marks_of, shared_prefix


class FleetNote(Frozen, frozen=True, omit_defaults=False):
    """Sessions that differ in one thing: what of the prompt they share."""

    differs: str
    sessions: int
    stable: Annotated[float, note("share of the prompt that is the same in all of them")]
    effective: Annotated[float, note("the same, cut at breakpoints and minimums")]
    blame: Blame | None


def compare_fleet(differs: str, turns: Sequence[Turn], facts: Facts, count: Count) -> FleetNote:
    """What sessions that run beside each other share."""
    head = turns[0].head
    ends = [shared_prefix(turn.head, head) for turn in turns]
    shared = min(ends)
    nearest = turns[ends.index(shared)]
    tokens = count(head)
    if facts.way == "marked":
        kept = max((count(head[:mark]) for mark in marks_of(turns[0], facts, count) if mark <= shared), default=0)
    else:
        kept = in_steps(count(head[:shared]), facts)
    return FleetNote(
        differs,
        len(turns),
        min(count(head[:shared]) / tokens, 1.0) if tokens else 1.0,
        min(kept / tokens, 1.0) if tokens else 0.0,
        blame(turns[0], nearest),
    )
