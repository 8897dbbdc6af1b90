"""A counter: text -> tokens, under a name, and whether it is exact."""

import re
from collections.abc import Callable, Sequence
from functools import cache

from msgspec import Struct

from ..errors import CountError
from ..lazy import lazy
from ..text.words import pluralize

PIECES = (
    r"(?P<word> ?[A-Z\u00c0-\u00d6\u00d8-\u00de]?[a-z\u00df-\u00f6\u00f8-\u024f]+)"
    r"|(?P<capitals> ?[A-Z\u00c0-\u00d6\u00d8-\u00de]+(?![a-z\u00df-\u00f6\u00f8-\u024f]))"
    r"|(?P<digits> ?[0-9]+)"
    r"|(?P<blank>[ \t]{2,}|\n+[ \t]*)"
    r"|(?P<sign> ?[!-/:-@\[-`{-~]+)"
    r"|(?P<cyrillic> ?[\u0400-\u052f]+)"
    r"|(?P<greek> ?[\u0370-\u03ff\u1f00-\u1fff]+)"
    r"|(?P<arabic> ?[\u0600-\u08ff]+)"
    r"|(?P<eastern> ?[\u0530-\u05ff\u0900-\u10ff]+)"
)
FAR = r"|(?P<ideograms>[\u3000-\ud7ff\uf900-\uffef]+)"
"""Further pieces, of texts that reach so far: to compile them takes longer than all others."""
OTHER = r"|(?P<other>[^\x00-\x7f])"
PER_TEN = {"capitals": 3, "cyrillic": 2, "greek": 4, "arabic": 3, "eastern": 5, "ideograms": 9}
"""Tokens for ten characters."""


def estimate(text: str) -> int:
    """About how many tokens a current model's tokenizer makes of `text`."""
    pieces = _make_piece_pattern(not text.isascii() and max(text) >= "\u3000")
    return sum([_compute_cost(match.lastgroup or "", match[0]) for match in pieces.finditer(text)])


@cache
def _make_piece_pattern(far: bool) -> re.Pattern[str]:
    """The pattern, with ideograms only where a text needs them."""
    return re.compile(PIECES + FAR * far + OTHER)


def _compute_cost(kind: str, piece: str) -> int:
    """The estimated tokens of a piece of one kind."""
    size = len(piece)
    if kind == "word":
        return (1 if size <= 10 else size // 5) + (not piece.isascii())
    if kind in PER_TEN:
        return (size * PER_TEN[kind] + 9) // 10
    if kind == "digits":
        # A blank before a number is a token of its own; before a word it is part of it.
        return (size + 4) // 3 if piece[0] == " " else (size + 2) // 3
    if kind == "sign":
        return 1 if size <= 2 else (size + 1) // 2
    return 2 if kind == "other" else 1


LINE_END = re.compile(r"\n(?=[^\s/])")
"""Where a text may be split for counting: no tokenizer of a current model runs on over a line feed before a line that
begins with neither a blank (o200k and others take blanks with the line feed) nor `/` (o200k has `?\\n\\n/` as one)."""
MAX_KNOWN_LINES = 20_000
"""So many lines are kept with their counts; then they are forgotten."""
MAX_KNOWN_CHARS = 1_000
"""A longer line is counted each time."""
DEFAULT_COUNTER = "o200k"
"""The default counter, if a tokenizer is installed."""

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

    def by_lines(self, text: str) -> int:
        """The same number, as the sum of its lines: those of the latest texts are known."""
        if not self.additive:
            return self(text)
        known, total = self._known, 0
        *lines, last = LINE_END.split(text)
        for line in [*[f"{line}\n" for line in lines], last]:
            count = known.get(line)
            if count is None:
                count = self(line)
                if len(known) >= MAX_KNOWN_LINES:
                    known.clear()
                if len(line) <= MAX_KNOWN_CHARS:
                    known[line] = count
            total += count
        return total

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
