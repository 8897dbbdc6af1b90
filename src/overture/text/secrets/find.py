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
from .escaped import unescaped
from .likely import KIND_OF_NAME, holds_key, is_json_header, likely, likely_password, likely_random
from .shapes import BESIDE, KEY_LINES, KEY_OF, LONGEST, NAMES, NEAR, SETTING, SHAPES, Shape, may_hold


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
    return tuple(_apart([*_found(text), *_escaped(text)]))


secrets_once = lru_cache(maxsize=64)(secrets_in)


def hide_secrets(text: str) -> str:
    """`text` with `[secret: kind]` in the place of each, for what is printed; every line keeps its number."""
    pieces: list[str] = []
    at = 0
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


def _escaped(text: str) -> Iterator[Secret]:
    """The secrets of a text without its escapes, at their places with them."""
    bare = unescaped(text)
    if bare is not None:
        for start, end, kind in _found(bare.text):
            yield Secret(*bare.place(start, end), kind)


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
    if not may_hold(text):
        return
    for shape in SHAPES:
        for anchor in shape.anchors:
            if anchor in text:
                yield from _like(text, shape, anchor)
    yield from _settings(text)


def _like(text: str, shape: Shape, anchor: str) -> Iterator[Secret]:
    """What has a shape from an anchor on, and is likely to be a secret."""
    blocks, pattern = True, shape.pattern
    at = text.find(anchor)
    while at >= 0:
        secret = None
        if (match := pattern.match(text, at)) is not None:
            if shape.kind == "private key":
                end = _end_of_block(text, match.end(), blocks)
                blocks = blocks and end is not None
                secret = _block(match, end or _end_of_lines(text, match.end()))
            else:
                secret = _judged(match, shape.kind)
        if secret is not None:
            yield secret
            yield from _beside(text, secret.end) if shape.kind == "AWS access key" else ()
        # What stands for a secret may have one inside.
        at = text.find(anchor, secret.end if secret else at + 1)


def _judged(match: re.Match[str], kind: str) -> Secret | None:
    """What has a secret's shape, unless it stands for one."""
    group = "v" if "v" in match.re.groupindex else 0
    value = match[group]
    if kind == "password in a URL":
        known = likely_password(value)
    elif kind == "bearer token":
        known = likely(value, 20, mixed=True)
    else:
        known = likely(value, 16) and (kind != "JWT" or is_json_header(value))
    return Secret(*match.span(group), kind) if known else None


def _block(match: re.Match[str], end: int) -> Secret | None:
    return Secret(match.start(), end, "private key") if holds_key(match.string[match.end() : end]) else None


def _settings(text: str) -> Iterator[Secret]:
    """Values of settings whose names tell that they are secret."""
    low = text.lower()
    if len(low) != len(text):
        low = LETTERS.sub(lambda m: m[0].lower(), text)  # some letters of other scripts become two
    for name in NAMES:
        at = low.find(name)
        while at >= 0:
            match = SETTING.match(text, at)
            if match is not None and (secret := _assigned(match, low[max(0, at - 12) : at])) is not None:
                yield secret
            at = low.find(name, at + 1)


def _assigned(match: re.Match[str], before: str) -> Secret | None:
    value, name = match["v"], match["name"].lower()
    if name == "key" and not KEY_OF.search(before):
        return None
    if not match["quote"] and (match["next"] in ("(", "{") or before.endswith(":") or CODE.match(value)):
        return None  # a call, a place to be filled in, a part of a longer name, a type
    if name.startswith("passw") or name == "passphrase":
        known = len(value) >= 10 and likely_password(value)
    else:
        known = likely(value, 16, mixed=True)
    return Secret(*match.span("v"), KIND_OF_NAME.get(name[:4], "API key")) if known else None


LETTERS = re.compile("[A-Z]+")
CODE = re.compile(r"[A-Za-z_]\w*[\[.]")
"""`typing.Optional[…]`, `settings.password_2`: a value in a program."""


def _beside(text: str, at: int) -> Iterator[Secret]:
    found = BESIDE.search(text, at, at + NEAR + 41)
    if found and (likely(found[0], 40, mixed=True) or likely_random(found[0])):
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
