"""Shapes of keys and tokens in a text: where each stands, and of which kind it is.

Precision comes first, since a scanner that cries wolf is switched off: placeholders, documented examples, hashes and
words are left alone. Most texts hold no run of letters and digits as long as a key, and are done with after one look.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from ..invisible import controls, hidden_places
from .likely import KIND_OF_NAME, holds_key, is_json_header, likely, likely_password, placeholder
from .shapes import BESIDE, KEY_LINES, LONGEST, NEAR, SHAPES, may_hold


class Secret(NamedTuple):
    """Where a key or token stands, and whose it is."""

    start: int
    end: int
    kind: str

    @property
    def written(self) -> str:
        """What stands in its place: `[secret: GitHub token]`."""
        return f"[secret: {self.kind}]"


def secrets_in(text: str, unseen: Sequence[int] | None = None) -> tuple[Secret, ...]:
    """Every key and token in a text, in order. `unseen` characters, by their places, do not part one."""
    if unseen is None:
        unseen = sorted([*hidden_places(text), *controls(text)])
    if unseen:
        # What nobody sees may part a key, or stand beside one and then be shown.
        return tuple(_apart([*_behind(text, unseen), *secrets_in(_blanked(text, unseen), ())]))
    return tuple(_apart(_found(text))) if may_hold(text) else ()


secrets_once = lru_cache(maxsize=64)(secrets_in)


def hide_secrets(text: str) -> str:
    """`text` with `[secret: kind]` in the place of each, for what is printed; every line keeps its number."""
    pieces, at = [], 0
    for secret in secrets_in(text):
        pieces += text[at : secret.start], secret.written, "\n" * text.count("\n", secret.start, secret.end)
        at = secret.end
    return "".join([*pieces, text[at:]]) if pieces else text


def outside(text: str, at: int) -> int:
    """The last place at or before `at` where a cut parts no key: the half that is left would not be known for one."""
    found = secrets_once(text)
    number = bisect_left(found, (at,)) - 1
    return found[number].start if number >= 0 and at < found[number].end else at


def _behind(text: str, unseen: Sequence[int]) -> Iterator[Secret]:
    """The secrets of a text without its unseen characters, at their places with them."""
    starts = [0, *(at + 1 for at in unseen)]
    bare = "".join(text[start:end] for start, end in zip(starts, [*unseen, len(text)], strict=True))
    gone = [at - number for number, at in enumerate(unseen)]
    for start, end, kind in secrets_in(bare, ()):
        yield Secret(start + bisect_right(gone, start), end - 1 + bisect_right(gone, end - 1) + 1, kind)


def _blanked(text: str, unseen: Sequence[int]) -> str:
    starts = [0, *(at + 1 for at in unseen)]
    return " ".join(text[start:end] for start, end in zip(starts, [*unseen, len(text)], strict=True))


def _apart(found: Iterable[Secret]) -> Iterator[Secret]:
    """Those that are found; where two overlap, one that holds both, by the name of the one that says more."""
    held: Secret | None = None
    for secret in sorted(found):
        if held is not None and secret.start < held.end:
            kind = secret.kind if held.kind in VAGUE else held.kind
            held = Secret(held.start, max(held.end, secret.end), kind)
            continue
        if held is not None:
            yield held
        held = secret
    if held is not None:
        yield held


VAGUE = ("API key", "bearer token", "password", "password in a URL", "secret", "token")


def _found(text: str) -> Iterator[Secret]:
    for kinds, pattern in SHAPES:
        at, blocks = 0, True
        while (match := pattern.search(text, at)) is not None:
            kind = kinds[next(n for n in range(len(kinds)) if match.start(f"k{n}") >= 0)]
            if kind == "private key":
                end = _end_of_block(text, match.end(), blocks)
                blocks = blocks and end is not None
                secret = _block(text, match, end or _end_of_lines(text, match.end()))
            else:
                secret = _judged(match, kind)
            # What stands for a secret may have one inside.
            at = secret.end if secret else match.start() + 1
            if secret is not None:
                yield secret
                yield from _beside(text, at) if kind == "AWS access key" else ()


def _block(text: str, match: re.Match[str], end: int) -> Secret | None:
    return Secret(match.start(), end, "private key") if holds_key(text[match.end() : end]) else None


def _judged(match: re.Match[str], kind: str) -> Secret | None:
    """What has a secret's shape, unless it stands for one."""
    if kind == "assignment":
        return _assigned(match)
    if kind == "password in a URL":
        known = likely_password(match["url"])
        return Secret(*match.span("url"), kind) if known else None
    if kind == "bearer token":
        return Secret(*match.span("bearer"), kind) if likely(match["bearer"], 20, mixed=True) else None
    if placeholder(match[0]) or not likely(match[0], 16) or (kind == "JWT" and not is_json_header(match[0])):
        return None
    return Secret(*match.span(), kind)


def _assigned(match: re.Match[str]) -> Secret | None:
    value, name = match["value"], match["name"].lower()
    start, end = match.span("value")
    if not match["quote"] and match["next"] in ("(", "{"):
        return None  # a call, or a place to be filled in
    if name.startswith("passw") or name == "passphrase":
        known = likely_password(value) and len(value) >= 10
    else:
        known = likely(value, 16, mixed=True)
    return Secret(start, end, KIND_OF_NAME.get(name[:4], "API key")) if known else None


def _beside(text: str, at: int) -> Iterator[Secret]:
    found = BESIDE.search(text, at, at + NEAR + 41)
    if found and likely(found[0], 40, mixed=True):
        yield Secret(*found.span(), "AWS secret key")


def _end_of_block(text: str, at: int, blocks: bool) -> int | None:
    """Where the line ends that ends a key block."""
    start = text.find("-----END ", at) if blocks else -1
    end = text.find("-----", start + 9) if start >= 0 else -1
    return end + 5 if 0 <= end < at + LONGEST else None


def _end_of_lines(text: str, at: int) -> int:
    """Where a key block ends that has no such line: with the last of its letters."""
    found = KEY_LINES.match(text, at, at + LONGEST)
    return at + len(found[0].rstrip()) if found else at
