"""Our count of tokens -> the provider's: fixed at every prefix of which the provider has told the size."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import NamedTuple

Point = tuple[int, int]
"""Tokens of a prefix: ours, and the provider's."""
MIN_TOOL_TOKENS = 100
"""Tools of fewer tokens do not tell how tools are counted."""
MAX_RATIO = 3.0
"""The provider's tokens for each of ours, beyond which something else has changed."""


class CallSizes(NamedTuple):
    """Our tokens of a call's tools, system prompt and messages, and the provider's of all of it."""

    tools: int
    system: int
    messages: int
    told: int


def tool_ratio(before: CallSizes, now: CallSizes, growth: float) -> float | None:
    """The provider's tokens for each of ours in tools, where tools came or went between two calls and little else."""
    tools, messages = now.tools - before.tools, now.messages - before.messages
    if now.system != before.system or abs(tools) < MIN_TOOL_TOKENS or abs(messages) > abs(tools):
        return None
    ratio = (now.told - before.told - messages * growth) / tools
    return ratio if 1 / MAX_RATIO < ratio < MAX_RATIO else None


class TokenScale:
    """Sizes of one call's prefixes in the provider's tokens."""

    def __init__(self, points: Iterable[Point], ratio: float) -> None:
        self.points = _rising(sorted({(0, 0), *points}))
        self.ratio = ratio
        """The provider's tokens for each of ours, behind the last prefix that is known."""

    def __call__(self, ours: int) -> int:
        """The provider's tokens of a prefix, between those that are known."""
        at = bisect_left(self.points, (ours, 0))
        if at < len(self.points) and self.points[at][0] == ours:
            return self.points[at][1]
        low = self.points[at - 1]
        if at == len(self.points):
            return low[1] + round((ours - low[0]) * self.ratio)
        high = self.points[at]
        return low[1] + round((ours - low[0]) * (high[1] - low[1]) / (high[0] - low[0]))


def _rising(points: Sequence[Point]) -> list[Point]:
    """The points without those that contradict the last: the whole call is what the provider has just told."""
    kept = [points[-1]]
    for point in reversed(points[:-1]):
        if point[0] < kept[-1][0] and point[1] <= kept[-1][1]:
            kept.append(point)
    return kept[::-1]
