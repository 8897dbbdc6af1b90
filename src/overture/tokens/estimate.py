"""Text -> about how many tokens. Never exact, and meant to err upwards: shown with a `~`.

Every piece costs a whole number of tokens and none reaches over a line's end into the next word, so that the
estimates of blocks add up to the estimate of the prompt. Its test lists how far off it was on real text.
"""

import re
from functools import cache

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
