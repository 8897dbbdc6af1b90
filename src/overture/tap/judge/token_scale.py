"""Our counts of a call's prefixes -> the provider's."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import NamedTuple, overload

from ..call import PieceKind

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
    reported: int


def estimate_tool_ratio(before: CallSizes, now: CallSizes, growth: float) -> float | None:
    """The provider's tokens for each of ours in tools, where tools came or went between two calls and little else."""
    tools, messages = now.tools - before.tools, now.messages - before.messages
    if now.system != before.system or abs(tools) < MIN_TOOL_TOKENS or abs(messages) > abs(tools):
        return None
    ratio = (now.reported - before.reported - messages * growth) / tools
    return ratio if 1 / MAX_RATIO < ratio < MAX_RATIO else None


class TokenScale:
    """Sizes of one call's prefixes in the provider's tokens."""

    def __init__(self, points: Iterable[Point], ratio: float) -> None:
        self.points = _keep_rising(sorted({(0, 0), *points}))
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


class PrefixSizes(Sequence[int]):
    """The provider's tokens of each prefix of a call; of a few hundred, a cache asks for some twenty."""

    def __init__(self, ours: Sequence[int], scale: TokenScale) -> None:
        self._ours, self._scale = ours, scale

    def __len__(self) -> int:
        return len(self._ours)

    @overload
    def __getitem__(self, at: int) -> int: ...
    @overload
    def __getitem__(self, at: slice) -> list[int]: ...
    def __getitem__(self, at: int | slice) -> int | list[int]:
        return self._scale(self._ours[at]) if isinstance(at, int) else [*map(self._scale, self._ours[at])]


def _keep_rising(points: Sequence[Point]) -> list[Point]:
    """The points without those that contradict the last: the whole call is what the provider has just told."""
    rising = [points[-1]]
    for point in reversed(points[:-1]):
        if point[0] < rising[-1][0] and point[1] <= rising[-1][1]:
            rising.append(point)
    return rising[::-1]


class PrefixTokens(NamedTuple):
    """Our own count of the tokens of a prefix, by the kinds of its pieces."""

    tools: int = 0
    system: int = 0
    messages: int = 0

    def add(self, kind: PieceKind, tokens: int) -> "PrefixTokens":
        """The prefix with a piece more."""
        tools, system, messages = self
        if kind == "message":
            return PrefixTokens(tools, system, messages + tokens)
        if kind == "tool":
            return PrefixTokens(tools + tokens, system, messages)
        return PrefixTokens(tools, system + tokens, messages)
