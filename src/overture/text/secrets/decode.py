"""Secrets hide in Base64 and behind JSON escapes: here such text is decoded."""

import re
from base64 import b64decode
from binascii import a2b_base64
from bisect import bisect_left, bisect_right
from codecs import utf_8_decode
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate
from typing import NamedTuple

from ..lazy_pattern import compile_on_use
from .find import BASE64_LETTERS, LONG_RUN

BASE64_RUN = compile_on_use(
    r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,}(?:(?:\r?\n|\\r?\\n)[ \t]{0,40}[A-Za-z0-9+/_-]{4,76}(?![\w+/-]))*={0,2}",
    re.ASCII,
)
"""A text in Base64, also one that is wrapped into lines."""
ENDS = compile_on_use(r"\\r|\\n|\s")
LAST_LINE = compile_on_use(r"(?:\r?\n|\\r?\\n)[ \t]{0,40}[\w+/-]{1,76}={0,2}\Z", re.ASCII)
LINE_ENDS = b"\r\n\\"
URL_SAFE = bytes.maketrans(b"-_", b"+/")
HEAD = 24
"""Characters by which one sees whether a text is in it: of pictures, hashes and words, nearly all are no text."""
START = 8
"""Characters by which one sees that nearly all paths are none, and that many of them share."""
MAX_DEPTH = 2
"""How often a text may be encoded."""


class Base64Text(NamedTuple):
    """A text, and where it stands in Base64."""

    start: int
    end: int
    text: str


def find_base64(text: str) -> Iterator[Base64Text]:
    """The texts in Base64; the last line of one may be another's."""
    # One byte for each character, so that places agree: to find a long run in bytes costs a fifth of a pattern.
    written = text.encode("ascii", "replace")
    letters = written.translate(BASE64_LETTERS)
    at = letters.find(LONG_RUN)
    while at >= 0:
        end = letters.find(b" ", at)
        wrapped = end >= 0 and written[end] in LINE_ENDS  # it may go on in the next line
        if not (wrapped or (_may_begin_text(written[at : at + START]) and _may_be_base64(written, at))):
            at = letters.find(LONG_RUN, end) if end >= 0 else -1
            continue
        found = BASE64_RUN.match(text, at)
        if found is None:  # a letter that is no ASCII stands before it
            at = letters.find(LONG_RUN, at + 1)
            continue
        last = LAST_LINE.search(found.group())
        for end in (found.end(), found.start() + last.start()) if last else (found.end(),):
            bare = ENDS.sub("", text[found.start() : end]).rstrip("=").replace("-", "+").replace("_", "/")
            if _decode(bare[:HEAD]) is not None and (decoded := _decode(bare)) is not None:
                yield Base64Text(found.start(), end, decoded)
                break
        at = letters.find(LONG_RUN, found.end())


def _may_be_base64(written: bytes, at: int) -> bool:
    """Whether a run begins with a text in Base64, as few paths do."""
    head = a2b_base64(written[at : at + HEAD].translate(URL_SAFE))
    return head.isascii() or "\ufffd" not in head.decode("utf-8", "replace")


@lru_cache(maxsize=1024)
def _may_begin_text(start: bytes) -> bool:
    """Whether this begins a text in Base64: of all paths in one folder it is asked once."""
    try:
        utf_8_decode(a2b_base64(start.translate(URL_SAFE)), "strict", False)
    except UnicodeDecodeError:
        return False
    return True


def _decode(written: str) -> str | None:
    """What it says; None where that is no text."""
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


# A text as it reads without its escapes: JSON within JSON says `\"`, `\n`, `\/` and `\u003d`, which part a key.


ESCAPE = compile_on_use(r"(?<!\\)\\++(?:([\"'/])|([nrt])|u00(0[9aAdD]|[2-7][0-9a-fA-F]))")
"""However often it was written into another string: each time doubles what stands before it. A run is tried once."""


class TextWithoutEscapes(NamedTuple):
    """A text without its escapes."""

    text: str
    ends: list[int]
    """Where each stretch of it ends: one without escapes, or what one of them says."""
    starts: list[int]
    """Where each stretch starts in the text with them; and where that ends."""

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Where a stretch of it stands in the text with escapes; none of them is cut in two."""
        first, last = bisect_right(self.ends, start), bisect_left(self.ends, end)
        at_end = end == self.ends[last]
        return self._find_written_position(first, start), self.starts[
            last + 1
        ] if at_end else self._find_written_position(last, end)

    def _find_written_position(self, number: int, at: int) -> int:
        """A place within a stretch."""
        return self.starts[number] + at - (self.ends[number - 1] if number else 0)


def unescape(text: str) -> TextWithoutEscapes | None:
    """The text without escapes; None where it has none."""
    if "\\" not in text:
        return None
    pieces, starts, at = list[str](), list[int](), 0
    for found in ESCAPE.finditer(text):
        if found.start() > at:
            pieces.append(text[at : found.start()])
            starts.append(at)
        pieces.append(_decode_escape(found))
        starts.append(found.start())
        at = found.end()
    if not at:
        return None
    if at < len(text):
        pieces.append(text[at:])
        starts.append(at)
    return TextWithoutEscapes("".join(pieces), list(accumulate(map(len, pieces))), [*starts, len(text)])


def _decode_escape(escape: re.Match[str]) -> str:
    mark, end, code = escape.groups()
    return mark or ("\n" if end else chr(int(code, 16)))


def decode_words(text: str) -> str | None:
    """What a value says in Base64, where that is text: it is the text that is secret, or an example."""
    if len(text) < 8 or len(text.rstrip("=")) % 4 == 1:
        return None
    try:
        decoded = b64decode(text + "=" * (-len(text) % 4), validate=True).decode("utf-8")
    except (ValueError, UnicodeDecodeError):
        return None
    return decoded if decoded.isascii() and decoded.isprintable() else None
