r"""`{{ name }}` placeholders, expanded in a single pass: what is filled in is never expanded again.

Where a template can be escaped, `\{{` is a literal `{{`; to have a backslash before one, write two.
"""

import re
from collections.abc import Iterator
from functools import cache

PLACEHOLDER = re.compile(r"\{\{\s*([A-Za-z_][\w.]*)\s*\}\}")

Piece = tuple[str, str | None, int]
AGAIN = 4_000_000
"""Characters that values may come to which are filled in again: more than any model's window takes."""


class Room:
    """How much may be filled into one text.

    What is said once is as long as it is; a short text that says one value over and over could grow without bound.
    """

    def __init__(self) -> None:
        self.left = AGAIN
        self.said: set[str] = set()

    def takes(self, name: str, size: int) -> bool:
        """Whether a value of so many characters still has room."""
        if name in self.said:
            self.left -= size
        self.said.add(name)
        return self.left >= 0

    def refuses(self, name: str, size: int) -> str | None:
        """Why a value is not filled in once more."""
        if self.takes(name, size):
            return None
        return f"{{{{{name:.200}}}}} is filled in so often that it comes to more than {AGAIN:,} characters"


def pieces(template: str, pattern: re.Pattern[str] = PLACEHOLDER) -> Iterator[Piece]:
    """`(text, None, line)` for literal text and `(original, name, line)` for a placeholder, in order.

    `pattern` says what a placeholder is; its first group is the name.
    """
    at, line = 0, 1
    for match in pattern.finditer(template):
        words = template[at : match.start()]
        yield words, None, line
        line += words.count("\n")
        yield match[0], match[1], line
        line += match[0].count("\n")
        at = match.end()
    yield template[at:], None, line


def escaped_pieces(template: str, pattern: re.Pattern[str] = PLACEHOLDER) -> Iterator[Piece]:
    """The same of a template in which backslashes before `{{` count: of two one is left, a single one is the escape."""
    words: list[str] = []
    at, line = 0, 1
    for match in _slashed(pattern).finditer(template):
        if match.start() < at:
            continue  # it begins within braces that are meant as they stand
        words.append(template[at : match.start()])
        at = match.end()
        if slashes := match[1]:
            literal = "{{" if len(slashes) % 2 else ""
            words.append("\\" * (len(slashes) // 2) + literal)
            at += len(literal)
            continue
        said, words = "".join(words), []
        yield said, None, line
        line += said.count("\n")
        yield match[0], match[2], line
        line += match[0].count("\n")
    yield "".join(words) + template[at:], None, line


@cache
def _slashed(pattern: re.Pattern[str]) -> re.Pattern[str]:
    """Backslashes before `{{`, or else a placeholder. A row of them is looked at from its first one alone."""
    return re.compile(rf"(?<!\\)(\\++)(?=\{{\{{)|{pattern.pattern}")
