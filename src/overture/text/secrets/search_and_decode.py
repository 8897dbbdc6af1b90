"""Finds secrets by their shape, by the text before them, and in Base64 or behind escapes."""

import re
from base64 import b64decode
from binascii import a2b_base64
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import accumulate, chain
from typing import NamedTuple

from .false_positives import holds_key, is_in_example, is_likely_key, is_likely_random
from .quick_check import BASE64_LETTERS, LONG_RUN, START, URL_SAFE, VAGUE, Secret, may_begin_text, may_hold_secret
from .shapes import (
    BESIDE,
    KEY_LINES,
    MAILGUN,
    MAX_PRIVATE_KEY_CHARS,
    NEAR,
    PRIVATE_KEY,
    SHAPES,
    find_by_context,
    find_in_settings,
    near_runs,
)

MAX_DEPTH = 2
"""How often a text may be encoded."""
WEAK = frozenset((*VAGUE, "cookie", "password hash", "user and password"))
"""Kinds that only their position shows."""


def search_secrets(text: str, *, by_shape: bool) -> Iterator[Secret]:
    """The secrets in a text: in Base64, as written, and without its escapes. Some may overlap.

    `by_shape` is the result of `may_hold_secret`.
    """
    yield from _find_in_base64(text)
    if by_shape:
        yield from _skip_examples(text)
    if "\\" in text:
        yield from _find_in_escapes(text)


def _find_in_escapes(text: str) -> Iterator[Secret]:
    """The secrets of a text without its escapes, at their places with them."""
    bare = unescape(text)
    if bare is not None:
        for start, end, kind in _find_by_shape(bare.text):
            yield Secret(*bare.place(start, end), kind)


def _find_by_shape(text: str) -> Iterator[Secret]:
    """Texts with the shape or the position of a secret, in a text that was not searched yet."""
    if may_hold_secret(text):
        yield from _skip_examples(text)


def _skip_examples(text: str) -> Iterator[Secret]:
    """Texts with the shape or the position of a secret, except those that their line calls an example."""
    for secret in _find_candidates(text):
        if secret.kind not in WEAK or not is_in_example(text, secret.start, secret.end):
            yield secret


def _find_candidates(text: str) -> Iterator[Secret]:
    """Secrets by shape, by setting and by context."""
    near = near_runs(text)
    for shape in SHAPES:
        for anchor in shape.anchors:
            for secret in shape.find(text, anchor) if anchor in (near if shape.near else text) else ():
                yield secret
                yield from _find_beside(text, secret.end) if shape.kind == "AWS access key" else ()
    yield from _find_private_keys(text) if "-----BEGIN " in text else ()
    if MAILGUN.search(near):
        yield from (Secret(*m.span(), "Mailgun key") for m in MAILGUN.finditer(text) if is_likely_key(m[0]))
    yield from find_in_settings(text)
    yield from find_by_context(text)


def _find_in_base64(text: str, depth: int = MAX_DEPTH) -> Iterator[Secret]:
    """Texts in Base64 that hold a secret, each as a whole, by the kind of the first."""
    for start, end, decoded in find_base64(text):
        inner = next(chain(_find_by_shape(decoded), _find_in_base64(decoded, depth - 1)), None) if depth else None
        if inner is not None:
            yield Secret(start, end, inner.kind)


def _find_private_keys(text: str) -> Iterator[Secret]:
    """Key blocks with more than dots in them: up to the line that ends one, or else to the last of its letters."""
    blocks, at = True, 0
    while (match := PRIVATE_KEY.search(text, at)) is not None:
        at = match.end()
        end = _end_of_block(text, at, blocks)
        blocks = blocks and end is not None
        end = end or _end_of_lines(text, at)
        if holds_key(text[at:end]):
            yield Secret(match.start(), end, "private key")
            at = end


def _find_beside(text: str, at: int) -> Iterator[Secret]:
    """The secret key of AWS beside its access key."""
    found = BESIDE.search(text, at, at + NEAR + 41)
    if found and (is_likely_key(found[0], 40, mixed=True) or is_likely_random(found[0])):
        yield Secret(*found.span(), "AWS secret key")


def _end_of_block(text: str, at: int, blocks: bool) -> int | None:
    """The end of the line that ends a key block."""
    start = text.find("-----END ", at) if blocks else -1
    end = text.find("-----", start + 9) if start >= 0 else -1
    return end + 5 if 0 <= end < at + MAX_PRIVATE_KEY_CHARS else None


def _end_of_lines(text: str, at: int) -> int:
    """The end of a key block without such a line: the last of its letters."""
    found = KEY_LINES.match(text, at, at + MAX_PRIVATE_KEY_CHARS)
    return at + len(found[0].rstrip()) if found else at


BASE64_RUN = re.compile(
    r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,}(?:(?:\r?\n|\\r?\\n)[ \t]{0,40}[A-Za-z0-9+/_-]{4,76}(?![\w+/-]))*={0,2}",
    re.ASCII,
)
"""A text in Base64, also one that is wrapped into lines."""
ENDS = re.compile(r"\\r|\\n|\s")
LAST_LINE = re.compile(r"(?:\r?\n|\\r?\\n)[ \t]{0,40}[\w+/-]{1,76}={0,2}\Z", re.ASCII)
LINE_ENDS = b"\r\n\\"
HEAD = 24
"""Characters that show whether it encodes text: pictures, hashes and words are nearly all no text."""


def find_base64(text: str) -> Iterator[tuple[int, int, str]]:
    """The texts in Base64, each with its start and end there; the last line of one may be another's."""
    # One byte for each character, so that places agree: to find a long run in bytes costs a fifth of a pattern.
    written = text.encode("ascii", "replace")
    letters = written.translate(BASE64_LETTERS)
    at = letters.find(LONG_RUN)
    while at >= 0:
        end = letters.find(b" ", at)
        wrapped = end >= 0 and written[end] in LINE_ENDS  # it may go on in the next line
        if not (wrapped or (may_begin_text(written[at : at + START]) and _may_be_base64(written, at))):
            at = letters.find(LONG_RUN, end) if end >= 0 else -1
            continue
        match = BASE64_RUN.match(text, at)
        if match is None:  # a letter beyond ASCII precedes it
            at = letters.find(LONG_RUN, at + 1)
            continue
        last = LAST_LINE.search(match.group())
        for end in (match.end(), match.start() + last.start()) if last else (match.end(),):
            bare = ENDS.sub("", text[match.start() : end]).rstrip("=").replace("-", "+").replace("_", "/")
            if _decode(bare[:HEAD]) is not None and (decoded := _decode(bare)) is not None:
                yield match.start(), end, decoded
                break
        at = letters.find(LONG_RUN, match.end())


def _may_be_base64(written: bytes, at: int) -> bool:
    """Whether a run begins with a text in Base64, as few paths do."""
    head = a2b_base64(written[at : at + HEAD].translate(URL_SAFE))
    return head.isascii() or "\ufffd" not in head.decode("utf-8", "replace")


def _decode(written: str) -> str | None:
    """The text that Base64 decodes to; None if it is no text."""
    try:
        data = b64decode(written + "=" * (-len(written) % 4))
    except ValueError:
        return None
    decoded = data.decode("utf-8", "replace")
    return (
        decoded
        if decoded.replace("\n", "").replace("\r", "").replace("\t", "").isprintable() and "\ufffd" not in decoded
        else None
    )


# A text without its escapes: JSON within JSON contains `\"`, `\n`, `\/` and `\u003d`, which split a key.


ESCAPE = re.compile(r"(?<!\\)\\++(?:([\"'/])|([nrt])|u00(0[9aAdD]|[2-7][0-9a-fA-F]))")
"""At any depth of nested strings: each level doubles the backslashes before it. A run is tried once."""


class TextWithoutEscapes(NamedTuple):
    """A text without its escapes."""

    text: str
    ends: list[int]
    """Where each span of it ends: a text without escapes, or one decoded escape."""
    starts: list[int]
    """Where each span starts in the text with escapes; and where that text ends."""

    def place(self, start: int, end: int) -> tuple[int, int]:
        """The position of a span in the text with escapes; none of them is cut in two."""
        first, last = bisect_right(self.ends, start), bisect_left(self.ends, end)
        at_end = end == self.ends[last]
        return self._find_written_position(first, start), self.starts[
            last + 1
        ] if at_end else self._find_written_position(last, end)

    def _find_written_position(self, number: int, at: int) -> int:
        """A position within a span."""
        return self.starts[number] + at - (self.ends[number - 1] if number else 0)


def unescape(text: str) -> TextWithoutEscapes | None:
    """The text without escapes, to search it for secrets; None if it has none."""
    pieces, starts, at = list[str](), list[int](), 0
    for match in ESCAPE.finditer(text):
        if match.start() > at:
            pieces.append(text[at : match.start()])
            starts.append(at)
        mark, end, code = match.groups()
        pieces.append(mark or ("\n" if end else chr(int(code, 16))))
        starts.append(match.start())
        at = match.end()
    if not at:
        return None
    if at < len(text):
        pieces.append(text[at:])
        starts.append(at)
    return TextWithoutEscapes("".join(pieces), list(accumulate(map(len, pieces))), [*starts, len(text)])
