"""Text -> about how many tokens. Never exact, and meant to err upwards: shown with a `~`.

Every piece costs a whole number of tokens and none reaches over a line's end into the next word, so that the
estimates of blocks add up to the estimate of the prompt. Its test lists how far off it was on real text.
"""

import re
from collections.abc import Iterator
from functools import cache
from itertools import groupby

from ..text.lazy_pattern import compile_on_use

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
BEYOND = compile_on_use("[^\x00-\x7f]+")
SCRIPTS = (
    ("\u00c0", "\u00d6"), ("\u00d8", "\u00f6"), ("\u00f8", "\u024f"),
    ("\u0370", "\u10ff"), ("\u1f00", "\u1fff"), ("\u3000", "\ud7ff"), ("\uf900", "\uffef"),
)  # fmt: skip
"""The first and the last characters that are part of longer pieces; others beyond ASCII are a piece each."""
PER_TEN = {"capitals": 3, "cyrillic": 2, "greek": 4, "arabic": 3, "eastern": 5, "ideograms": 9}
"""Tokens for ten characters."""
SORTS = str.maketrans(
    "".join(map(chr, range(128))),
    "\0" * 9
    + "\t\n"
    + "\0" * 21
    + " "
    + "!" * 15
    + "0" * 10
    + "!" * 7
    + "A" * 26
    + "!" * 6
    + "a" * 26
    + "!" * 4
    + "\0",
)
"""The sort of each character of ASCII. Pieces of one shape cost the same, and a text has few shapes."""
SHAPES = compile_on_use(r" ?a++| ?(?:Aa++|A+(?!a)|0++|!++)|[ \t]{2,}+|\n++[ \t]*+")
"""The pieces of a text of ASCII, in those sorts. Most are words, so these are tried first."""
MAX_CHUNK_CHARS = 1 << 16
"""Characters that are counted at once, and no other thread of Python runs meanwhile."""
EDGE = compile_on_use(r"[aA0!](?= [aA0!])")
"""The end of a piece, whatever surrounds it: a blank before a word begins the next."""
KINDS = {"a": "word", "A": "capitals", "0": "digits", "!": "sign", " ": "blank", "\t": "blank", "\n": "blank"}
"""The kind of a piece, by the sort of its last character."""
MAX_SINGLE_CHARS = 1_000
"""So many characters beyond ASCII are checked one by one: to compile a pattern for all of them takes longer."""
MAX_CACHED_SHAPE_CHARS = 32
"""Shapes up to this length are cached with their costs."""


class _ShapeCosts(dict[str, int]):
    """The cost of a piece of each shape, computed once."""

    def __missing__(self, shape: str) -> int:
        """The estimate for a shape that was not met before."""
        cost = _compute_cost(KINDS[shape[-1]], shape)
        if len(shape) <= MAX_CACHED_SHAPE_CHARS:
            self[shape] = cost
        return cost


_COSTS = _ShapeCosts()


def estimate(text: str) -> int:
    """About how many tokens a current model's tokenizer makes of `text`."""
    if text.isascii():
        return _estimate_ascii(text)
    runs = BEYOND.findall(text)
    others = "".join(runs)
    if all(map(_is_alone, set(others))):  # dashes, arrows, emoji among words
        return _estimate_ascii(BEYOND.sub("\0", text)) + len(others) * _compute_cost("other", others[0])
    if len(others) <= MAX_SINGLE_CHARS and all(
        _is_far(char) or _is_alone(char) for char in set(others)
    ):  # and what makes a sign an emoji, or a few ideograms
        return _estimate_ascii(BEYOND.sub("\0", text)) + sum(map(_compute_run_cost, runs))
    pieces = _make_piece_pattern(max(text) >= "\u3000")
    return sum([_compute_cost(match.lastgroup or "", match[0]) for match in pieces.finditer(text)])


def _estimate_ascii(text: str) -> int:
    sorts = text.translate(SORTS)
    if len(sorts) <= MAX_CHUNK_CHARS:
        return sum(map(_COSTS.__getitem__, SHAPES.findall(sorts)))
    return sum(sum(map(_COSTS.__getitem__, SHAPES.findall(sorts, start, end))) for start, end in _split_chunks(sorts))


def _split_chunks(sorts: str) -> Iterator[tuple[int, int]]:
    """Spans of a long text that end where a piece ends, so that other threads have their turn between them."""
    start = 0
    while start < len(sorts):
        edge = EDGE.search(sorts, start + MAX_CHUNK_CHARS)
        end = edge.start() + 1 if edge is not None else len(sorts)
        yield start, end
        start = end


def _is_alone(char: str) -> bool:
    """Whether a character beyond ASCII is a piece by itself."""
    return not any(first <= char <= last for first, last in SCRIPTS)


def _is_far(char: str) -> bool:
    return any(first <= char <= last for first, last in SCRIPTS[-2:])


def _compute_run_cost(run: str) -> int:
    """The cost of a run of such characters."""
    groups = [(far, "".join(chars)) for far, chars in groupby(run, _is_far)]
    return sum(
        _compute_cost("ideograms", chars) if far else len(chars) * _compute_cost("other", chars)
        for far, chars in groups
    )


@cache
def _make_piece_pattern(far: bool) -> re.Pattern[str]:
    """Compiled when a text needs it: most are of ASCII."""
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
