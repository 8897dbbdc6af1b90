"""Texts in Base64: a secret in one is a secret still."""

import re
from base64 import b64decode
from collections.abc import Iterator
from typing import NamedTuple

RUN = re.compile(
    r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,}(?:(?:\r?\n|\\r?\\n)[ \t]{0,40}[A-Za-z0-9+/_-]{4,76}(?![\w+/-]))*={0,2}",
    re.ASCII,
)
"""A text in Base64, also one that is wrapped into lines."""
LONG_RUN = b"a" * 24
LETTERS = bytes(97 if code < 128 and (chr(code).isalnum() or chr(code) in "+/_-") else 32 for code in range(256))
"""Every letter of Base64 as `a`, and every other character as a blank."""
ENDS = re.compile(r"\\r|\\n|\s")
LAST_LINE = re.compile(r"(?:\r?\n|\\r?\\n)[ \t]{0,40}[\w+/-]{1,76}={0,2}\Z", re.ASCII)
HEAD = 24
"""Characters by which one sees whether a text is in it: of pictures, hashes and words, nearly all are no text."""
MAX_DEPTH = 2
"""How often a text may be encoded."""


class Encoded(NamedTuple):
    """A text, and where it stands in Base64."""

    start: int
    end: int
    text: str


def encoded_in(text: str) -> Iterator[Encoded]:
    """The texts in Base64; the last line of one may be another's."""
    # One byte for each character, so that places agree: to find a long run in bytes costs a fifth of a pattern.
    letters = text.encode("ascii", "replace").translate(LETTERS)
    at = letters.find(LONG_RUN)
    while at >= 0:
        found = RUN.match(text, at)
        if found is None:  # a letter that is no ASCII stands before it
            at = letters.find(LONG_RUN, at + 1)
            continue
        last = LAST_LINE.search(found.group())
        for end in (found.end(), found.start() + last.start()) if last else (found.end(),):
            bare = ENDS.sub("", text[found.start() : end]).rstrip("=").replace("-", "+").replace("_", "/")
            if _decoded(bare[:HEAD]) is not None and (said := _decoded(bare)) is not None:
                yield Encoded(found.start(), end, said)
                break
        at = letters.find(LONG_RUN, found.end())


def _decoded(written: str) -> str | None:
    """What it says; None where that is no text."""
    try:
        data = b64decode(written + "=" * (-len(written) % 4))
    except ValueError:
        return None
    said = data.decode("utf-8", "replace")
    return (
        said
        if said.replace("\n", "").replace("\r", "").replace("\t", "").isprintable() and "\ufffd" not in said
        else None
    )
