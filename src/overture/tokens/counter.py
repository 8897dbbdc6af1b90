"""A counter: text -> tokens, under a name, and whether it is exact."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from msgspec import Struct

from ..errors import CountError
from ..lazy import lazy
from ..text.words import pluralize
from .estimate import estimate

LINE_END = re.compile(r"\n(?=[^\s/])")
"""Where a text may be split for counting: no tokenizer of a current model runs on over a line feed before a line that
begins with neither a blank (o200k and others take blanks with the line feed) nor `/` (o200k has `?\\n\\n/` as one)."""
LINE_BEGINS = re.compile(r"[^\s/]")
MAX_CACHED_LINES = 20_000
"""So many lines are cached with their counts; then the cache is cleared."""
MAX_CACHED_LINE_CHARS = 1_000
"""A longer line or text is cached among few others."""
MAX_CACHED_LONG_TEXTS = 256
MAX_CACHED_LONG_CHARS = 65_536
"""Longer texts are counted each time: caching them would cost more than it saves."""
DEFAULT_COUNTER = "o200k"
"""The default counter, if a tokenizer is installed."""
MAX_CACHED_TEXTS = 64
"""So many texts in pieces are cached with their counts; then the cache is cleared."""

CountFunction = Callable[[str], int]


class Counter(Struct, frozen=True, dict=True, eq=False):
    """Counts tokens. Call it with a text, or hand any function from text to number to `as_counter`."""

    name: str
    run: CountFunction
    exact: bool = False
    additive: bool = False
    """Whether the counts of lines, each with its line feed, add up to the count of the text."""
    about: str = ""
    """What it rests on, for a person."""
    by_line: bool = True
    """Whether the counts of lines are cached: useful if texts come again with a few changed lines."""

    def __call__(self, text: str) -> int:
        """How many tokens; an answer that can't be one is an error."""
        try:
            count = self.run(text)
        except Exception as problem:
            cause = f"{type(problem).__name__}: {problem}"
            raise CountError(
                f"The counter {self.name!r} failed: {cause:.200}.", hint="Fix it, or use another one."
            ) from problem
        if type(count) is not int or count < 0:
            raise CountError(
                f"The counter {self.name!r} returned {count!r:.80}.",
                cause="It has to return a whole number, 0 or more.",
            )
        return count

    @lazy
    def _known(self) -> dict[str, int]:
        return {}

    @lazy
    def _known_long(self) -> dict[str, int]:
        return {}

    def by_lines(self, text: str) -> int:
        """The same number, from the cached counts of its lines: a repeated text costs next to nothing."""
        if not self.additive:
            return self(text)
        known = self._known
        total = known.get(text) if len(text) <= MAX_CACHED_LINE_CHARS else self._known_long.get(text)
        if total is not None:
            return total
        if not self.by_line:
            return self._keep(text, sum(map(self, split_countable((text,)))))
        *lines, last = LINE_END.split(text)
        lines = [f"{line}\n" for line in lines]
        lines.append(last)
        return self._keep(text, sum([n if (n := known.get(line)) is not None else self._count(line) for line in lines]))

    def _count(self, line: str) -> int:
        return self._keep(line, self(line))

    def _keep(self, text: str, count: int) -> int:
        """Cache the count of a text."""
        known, most = self._known, MAX_CACHED_LINES
        if len(text) > MAX_CACHED_LINE_CHARS:
            known, most = self._known_long, MAX_CACHED_LONG_TEXTS
        if len(text) <= MAX_CACHED_LONG_CHARS:
            if len(known) >= most:
                known.clear()
            known[text] = count
        return count

    def each(self, texts: Iterable[str]) -> list[int]:
        """The number of tokens of each of many texts; most were counted before."""
        get = self._known.get
        return [count if (count := get(text)) is not None else self.by_lines(text) for text in texts]

    @lazy
    def _known_pieces(self) -> dict[tuple[str, ...], tuple[int, str]]:
        return {}

    def by_pieces(self, pieces: tuple[str, ...], after: str) -> int:
        """The number of a text in pieces, cached by its pieces: the same text, built again, is known."""
        if not self.additive:
            return self("".join(pieces) + after)
        counted = self._known_pieces.get(pieces)
        if counted is None and self.by_line and sum(map(len, pieces)) <= MAX_CACHED_LINE_CHARS:
            return self.by_lines("".join(pieces) + after)  # so short a text has few lines to look up
        if counted is None:
            *above, line = split_countable(pieces)
            counted = sum(map(self.by_lines if self.by_line else self, above)), line
            if len(self._known_pieces) >= MAX_CACHED_TEXTS:
                self._known_pieces.clear()
            self._known_pieces[pieces] = counted
        total, line = counted
        return total + self.by_lines(line + after)

    def shown(self, tokens: int) -> str:
        """A number of its tokens, for a person."""
        return format_tokens(tokens, exact=self.exact)

    def describe(self, tokens: int) -> str:
        """A number of its tokens with the noun: `1,234 tokens`."""
        return describe_tokens(tokens, exact=self.exact)


def describe_tokens(tokens: int, *, exact: bool, signed: bool = False) -> str:
    """`1,234 tokens`, `~1 token`, or `+1 token`."""
    return f"{format_tokens(tokens, exact=exact, signed=signed)} {pluralize(tokens, 'token')}"


def name_unit(tokenizer: str, tokens: int = 0) -> str:
    """`tokens`; `tokens (cl100k)` where another tokenizer than usual counts. An estimate shows itself by its `~`."""
    unit = pluralize(tokens, "token")
    return unit if tokenizer in (DEFAULT_COUNTER, "estimate") else f"{unit} ({tokenizer})"


def format_tokens(tokens: int, *, exact: bool, signed: bool = False) -> str:
    """`1,234`, or `~1,234` for an estimate. An empty text has no tokens with any counter."""
    number = f"{tokens:+,}" if signed else f"{tokens:,}"
    return number if exact or not tokens else f"~{number}"


ESTIMATE = Counter("estimate", estimate, additive=True, about="an estimate that is rather too high than too low")

CounterSource = Counter | Callable[[], Counter]
"""A counter, or a function that finds one on first use: loading a tokenizer takes longer than building a prompt."""


def resolve_counter(counting: CounterSource) -> Counter:
    """The counter itself."""
    return counting if isinstance(counting, Counter) else counting()


def as_counter(count: CountFunction | None) -> Counter:
    """A counter unchanged; any other function under its own name; the estimate by default."""
    if count is None or count is estimate:
        return ESTIMATE
    return count if isinstance(count, Counter) else Counter(getattr(count, "__name__", "custom"), count, exact=True)


def find_last_line_start(text: str) -> int:
    """The start of the last piece of a text split at LINE_END."""
    at = text.rfind("\n")
    while at >= 0 and not LINE_BEGINS.match(text, at + 1):
        at = text.rfind("\n", 0, at)
    return at + 1


def split_countable(pieces: Iterable[str]) -> Iterator[str]:
    """A text in pieces, in parts whose counts add up: the lines within each piece, and what runs over their ends.

    A piece at another position has the same lines within it, so that they need be counted once.
    """
    over = ""
    for piece in pieces:
        if "\n" not in piece:
            over += piece
            continue
        first, last = LINE_END.search(piece), find_last_line_start(piece)
        if first and first.end() < last:
            yield over + piece[: first.end()]
            yield piece[first.end() : last]
            over = piece[last:]
        else:
            over += piece
    yield over


def share_out(total: int, weights: Sequence[int]) -> list[int]:
    """`total` in whole shares that are as the weights and add up to it."""
    weight_sum = sum(weights)
    if weight_sum == total:
        return list(weights)
    if not weight_sum:
        return [total, *[0] * (len(weights) - 1)] if weights else []
    shares = [total * weight // weight_sum for weight in weights]
    # The remainder goes to those that lost most by rounding, the first of equals.
    order = sorted(range(len(weights)), key=lambda i: -(total * weights[i] % weight_sum))
    for index in order[: total - sum(shares)]:
        shares[index] += 1
    return shares
