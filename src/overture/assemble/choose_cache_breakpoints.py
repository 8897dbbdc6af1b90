"""Chooses cache breakpoints by the paces: a prefix is as stable as its fastest block. Providers write the marks."""

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import NamedTuple

from ..known_models.model_facts import ModelFacts
from ..model.recipe.section import Pace

PACES: tuple[Pace, ...] = ("static", "session", "turn")
PROVIDERS_WITH_TOOL_MARKS = ("anthropic", "bedrock")
"""Providers that accept a mark after the tools."""
CONVERSATION_MARKS = 2
"""Marks that a conversation needs: one mark looks back over few blocks, so a long turn needs a second."""


class Breakpoints(NamedTuple):
    """Where a request sets its marks."""

    tools: bool = False
    """After the last tool."""
    system: tuple[int, ...] = ()
    """At these characters of the system prompt."""
    left: int = 0
    """How many marks the conversation may have. A turn has many requests, and all begin with the same bytes."""
    tokens: int = 0
    """The tokens of tools and system prompt together."""


def find_stable_ends(ends: Iterable[tuple[Pace, int]]) -> dict[Pace, int]:
    """The end of the static part, of the part that lasts a session, and of the rest."""
    reached: dict[Pace, int] = {}
    rank = 0
    for pace, end in ends:
        rank = max(rank, PACES.index(pace))
        reached[PACES[rank]] = end
    return reached


@lru_cache(maxsize=8)
def _count_tools(count: Callable[[str], int], tools: str) -> int:
    """The tokens of the tools, cached: every request of a session sends the same ones."""
    return count(tools)


def choose_breakpoints(
    ends: Iterable[tuple[Pace, int]],
    text: str,
    facts: ModelFacts,
    count: Callable[[str], int],
    tools: str = "",
    used: int = 0,
) -> Breakpoints:
    """The marks that are worth setting: at most as many as the model takes, none below its minimum.

    `ends` are the blocks' paces and last characters; `tools` is what the provider puts before the system prompt;
    `used` is how many marks the caller set in the conversation, which then gets no other.
    """
    if facts.way != "marked":
        return Breakpoints()
    before = _count_tools(count, tools) if tools else 0
    reached = find_stable_ends(ends).items()
    wanted = [end for pace, end in reached if pace != "turn" and before + count(text[:end]) >= facts.minimum]
    # With few marks, the longest prefix is worth most.
    room = max(facts.breakpoints - used, 0)
    fitting = wanted[max(len(wanted) - room, 0) :]
    spare_marks = room - len(fitting)
    # The tools precede the static part, whose mark covers them too: their own mark is dropped first.
    spare = spare_marks > (0 if used else CONVERSATION_MARKS) and facts.vendor in PROVIDERS_WITH_TOOL_MARKS
    marked = spare and before > 0 and before >= facts.minimum
    return Breakpoints(marked, tuple(fitting), 0 if used else spare_marks - marked, before + count(text))
