"""The text of a signature -> tokens, each with its position."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from ...errors import SignatureError
from .types import IDENTIFIER

Kind = Literal["arrow", "keyword", "name", "string", "mark", "end"]

TOKEN = re.compile(
    r"\s+"
    r"|(?P<arrow>->)"
    rf"|(?P<keyword>:{IDENTIFIER.pattern})"
    rf"|(?P<name>{IDENTIFIER.pattern})"
    r'|(?P<string>"[^"\\\n]*+(?:\\[^\n][^"\\\n]*+)*")'
    r"|(?P<mark>[()\[\]{},?])"
)


class Token(NamedTuple):
    """A word or mark of a signature."""

    kind: Kind
    text: str
    at: int

    def __str__(self) -> str:
        """As an error calls it."""
        return "the end" if self.kind == "end" else repr(self.text)


def tokens(text: str) -> Iterator[Token]:
    """The tokens of `text`, and one for its end."""
    at = 0
    while at < len(text):
        match = TOKEN.match(text, at)
        if match is None:
            expected = "a name in double quotes that ends" if text[at] == '"' else "a type, a name or one of ()[]{},?"
            raise fault(text, at, expected, repr(text[at : at + 1]))
        if match.lastgroup:
            yield Token(match.lastgroup, match[0], at)  # type: ignore[arg-type]
        at = match.end()
    yield Token("end", "", len(text))


def fault(text: str, at: int, expected: str, got: str) -> SignatureError:
    """The error at one position of a signature."""
    line = text.count("\n", 0, at) + 1
    return SignatureError(expected, got, line, at - text.rfind("\n", 0, at))
