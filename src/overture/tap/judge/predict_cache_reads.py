"""Predicts what a provider's cache returns for each call, in the provider's count of tokens."""

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import NamedTuple, overload

from ...known_models.cache_rules import CachePosition, CacheRequest, CacheResult, PromptCache, prefix_digests
from ...known_models.model_facts import ModelFacts
from ..recorded_call import CallPiece, PieceKind, RecordedCall
from .cache_key import (
    Count,
    count_piece,
    list_compared_pieces,
    list_turn_ends,
    make_cache_positions,
    make_cache_request,
    make_cache_seed,
    select_indexes,
    write_level_texts,
)
from .price_call import read_sent_counts
from .recent_sequences import RecentSequences
from .volatile_spans import VolatileSpans

Point = tuple[int, int]
"""Tokens of a prefix: ours, and the provider's."""
MIN_TOOL_TOKENS = 100
"""Tools of fewer tokens are too small to estimate how tools are counted."""
MAX_RATIO = 3.0
"""The provider's tokens for each of ours, beyond which something else has changed."""


class TokenScale:
    """Sizes of one call's prefixes in the provider's tokens."""

    def __init__(self, points: Iterable[Point], ratio: float) -> None:
        """Scale our tokens by prefixes whose size the provider has reported, and behind them by a ratio."""
        self.points = _keep_rising(sorted([(0, 0), *points]))
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
        """Our sizes of a call's prefixes, and the scale by which they become the provider's."""
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
    """The points without those that contradict the last: the provider has just reported the whole call."""
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
        """The token counts of the prefix with a piece more."""
        tools, system, messages = self
        if kind == "message":
            return PrefixTokens(tools, system, messages + tokens)
        if kind == "tool":
            return PrefixTokens(tools + tokens, system, messages)
        return PrefixTokens(tools, system + tokens, messages)


Pieces = tuple[CallPiece, ...]
MIN_GROWTH_TOKENS = 200
"""Tokens of growth from which on the ratio of the counts is estimated."""


class PredictedRead(NamedTuple):
    """What of a call is predicted to come from the cache, in the provider's count of tokens as far as it is known."""

    tokens: int
    read: int
    stale: int
    """What would be read if nothing expired, and no call overtook another."""
    awaited: int
    """What would be read if no call overtook another."""
    written: int
    small: bool
    """Whether it is too short to be kept at all."""
    marked: bool
    """Whether it asks for anything to be kept, where that is needed."""


class CountedPieces(NamedTuple):
    """Pieces as a cache sees them, with our own count of their tokens; a call that begins so takes that over."""

    key: tuple[str, ...] = ()
    """The settings that have to be the same."""
    positions: list[CachePosition] = []
    ends: list[str] = []
    """For each of them, a digest of all up to its end."""
    tokens: list[PrefixTokens] = []
    """For each of them, the tokens of all up to its end."""
    sums: list[int] = []
    """The same, of all kinds together."""
    marks: list[int] = []
    """Those with a mark."""
    tool_results: list[int] = []
    """Those that a tool of the provider's own answered."""


class CachedCall(NamedTuple):
    """A call as a cache sees it, and what is predicted of it."""

    pieces: Sequence[int]
    """Those that the cache compares: the positions of the request."""
    tokens: PrefixTokens
    """Our own count of the tokens of all of them."""
    request: CacheRequest
    ends: list[str]
    """For each of them, a digest of all up to its end."""
    sums: Sequence[int]
    """For each of them, the provider's tokens of all up to its end."""
    predicted: PredictedRead
    lookup: CacheResult
    """The same by the rules of the cache, which `store` goes by."""


class PrefixCaches:
    """The caches of all models that calls went to."""

    def __init__(self, count: Count) -> None:
        self.count = count
        self._recent = RecentSequences(CountedPieces())
        self.cache = PromptCache(lambda text: round(self.count(text) * self._ratio))
        self._ratio = 1.0
        self._tokens: dict[str, int] = {}
        """Sizes of prefixes that a provider has reported."""
        self._ratios: dict[str, float] = {}
        """Of each host and model, the provider's tokens for each of ours."""
        self._growth: dict[str, dict[str, Point]] = {}
        """What messages grew by, from one call to the next: our tokens and the provider's, by the later call's end."""
        self._last: dict[tuple[str, int], tuple[PrefixTokens, int]] = {}
        """Of each host and model, the last call with a system prompt of this size: our tokens, and the provider's."""

    def predict(self, call: RecordedCall, ignored: VolatileSpans, facts: ModelFacts) -> CachedCall:
        """What a call is predicted to get back. Nothing is kept of it yet."""
        indexes = list_compared_pieces(call)
        pieces = select_indexes(call.pieces, indexes)
        request, counted = self._count_request(call, pieces, ignored, facts)
        sums = self._scale_tokens(call, counted)
        lookup = self.cache.take(request._replace(kept=False), facts, counted.ends, sums)
        predicted = PredictedRead(
            lookup.tokens,
            lookup.read,
            lookup.unexpired,
            lookup.awaited,
            sum(lookup.written.values()),
            lookup.too_short,
            facts.way == "automatic" or bool(lookup.marks) or lookup.too_short,
        )
        tokens = counted.tokens[-1] if counted.tokens else PrefixTokens()
        return CachedCall(indexes, tokens, request, counted.ends, sums, predicted, lookup)

    def _count_request(
        self, call: RecordedCall, pieces: Pieces, ignored: VolatileSpans, facts: ModelFacts
    ) -> tuple[CacheRequest, CountedPieces]:
        """A call as the rules of caching take it, and its pieces; what a recent call begins with is counted once."""
        levels = write_level_texts(call, ignored)
        request = make_cache_request(call, ignored, facts, levels)
        key = (request.scope, *levels.values())
        shared, known = self._recent.find_start(pieces)
        # What is hidden in a piece may be learned between two calls.
        shared = shared if known.key == key and not ignored.masks else 0
        hidden = select_indexes(ignored.hide_pieces(call), list_compared_pieces(call)) if ignored.masks else pieces
        positions = make_cache_positions(hidden, levels, known.positions[:shared])
        request = request._replace(positions=positions)
        ends = prefix_digests(request, known.ends[:shared])
        counted = CountedPieces(key, positions, ends, *self._count_pieces(pieces, shared, known))
        if not ignored.masks:
            self._recent.add(pieces, counted, pieces[shared:])
        turns = list_turn_ends(pieces) if facts.implicit else ()
        return request._replace(marks=_list_marks(pieces, counted), turns=turns), counted

    def _count_pieces(
        self, pieces: Pieces, shared: int, known: CountedPieces
    ) -> tuple[list[PrefixTokens], list[int], list[int], list[int]]:
        """The last columns of counted pieces, the first of which are known."""
        tokens, sums = known.tokens[:shared], known.sums[:shared]
        marks, results = ([at for at in column if at < shared] for column in (known.marks, known.tool_results))
        total = tokens[-1] if tokens else PrefixTokens()
        for at, piece in enumerate(pieces[shared:], shared):
            total = total.add(piece.kind, count_piece(piece, self.count))
            tokens.append(total)
            sums.append(sum(total))
            if piece.mark:
                marks.append(at)
            if piece.name == "assistant" and piece.what.endswith("tool result"):
                results.append(at)
        return tokens, sums, marks, results

    def _scale_tokens(self, call: RecordedCall, counted: CountedPieces) -> Sequence[int]:
        """Our counts of prefixes, fitted to what the provider has reported of them and of the whole call."""
        ends, sums = counted.ends, counted.sums
        measured = map(self._tokens.get, ends)
        points = [(own, tokens) for own, tokens in zip(sums, measured, strict=True) if tokens is not None]
        reported, model = read_sent_counts(call).input, make_cache_seed(call)
        if reported is not None and sums and sums[-1]:
            total = sums[-1], reported
            points = [point for point in points if point[0] < total[0]]
            if points and total[0] - points[-1][0] >= MIN_GROWTH_TOKENS:
                grown = total[0] - points[-1][0], max(reported - points[-1][1], 0)
                self._growth.setdefault(model, {})[ends[-1]] = grown
            elif not points and model in self._growth:
                estimated = self._estimate_head(model, counted.tokens[-1], reported)
                points = [point for point in estimated if point[0] < total[0]]
            elif not points and counted.tool_results:
                points = self._estimate_before_results(model, counted, reported)
            points.append(total)
            if not counted.tool_results:
                self._ratios[model] = reported / sums[-1]
        self._ratio = self._ratios.get(model, 1.0)
        return PrefixSizes(sums, TokenScale(points, self._ratio))

    def _estimate_head(self, model: str, now: PrefixTokens, reported: int) -> list[Point]:
        """The sizes of tools and system prompt: schemas, prose and messages have different ratios."""
        # One message may have an unusual ratio: all of them together are more reliable than the last.
        ours, theirs = map(sum, zip(*self._growth[model].values(), strict=True))
        points = [(now.tools + now.system, max(reported - round(now.messages * theirs / ours), 0))]
        last, last_reported = self._last.get((model, now.system), (now, reported))
        tools, messages = now.tools - last.tools, now.messages - last.messages
        if abs(tools) >= max(MIN_TOOL_TOKENS, abs(messages)):
            # Tools came or went between two calls, and little else.
            ratio = (reported - last_reported - messages * theirs / ours) / tools
            if 1 / MAX_RATIO < ratio < MAX_RATIO:
                points.insert(0, (now.tools, round(now.tools * ratio)))
        return [point for point in points if point[0]]

    def _estimate_before_results(self, model: str, counted: CountedPieces, reported: int) -> list[Point]:
        """The size of what precedes the results of the provider's own tools: these are encrypted, of unknown size."""
        ours = counted.sums[counted.tool_results[0] - 1] if counted.tool_results[0] else 0
        return [(ours, min(round(ours * self._ratios.get(model, 1.0)), reported))] if ours else []

    def store(self, call: RecordedCall, cached_call: CachedCall, facts: ModelFacts) -> None:
        """Store what an answered call leaves in the cache, and the size that its provider reported.

        Nothing was stored since it was predicted.
        """
        self.cache.keep(cached_call.request, facts, cached_call.ends, cached_call.lookup)
        written, sent = cached_call.lookup.marks, read_sent_counts(call)
        if sent.input is None or not cached_call.ends:
            return
        self._tokens[cached_call.ends[-1]] = sent.input
        self._last[make_cache_seed(call), cached_call.tokens.system] = cached_call.tokens, sent.input
        if written and sent.cached:
            self._tokens[cached_call.ends[written[-1]]] = sent.cached


def _list_marks(pieces: Pieces, counted: CountedPieces) -> dict[int, str]:
    """The marks that a request sets; with them, Anthropic sets one behind what each tool of its own answered."""
    marks = {at: pieces[at].ttl for at in counted.marks}
    return {**dict.fromkeys(counted.tool_results, "5m"), **marks} if marks else {}
