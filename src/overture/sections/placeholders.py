r"""`{{ name }}` placeholders, expanded in a single pass: what is filled in is never expanded again.

Where a template can be escaped, `\{{` is a literal `{{`; to have a backslash before one, write two.
"""

import re
from collections.abc import Iterator
from functools import cache

PLACEHOLDER = re.compile(r"\{\{\s*([A-Za-z_][\w.]*)\s*\}\}")

Piece = tuple[str, str | None, int]


def pieces(template: str, pattern: re.Pattern[str] = PLACEHOLDER) -> Iterator[Piece]:
    """`(text, None, line)` for literal text and `(original, name, line)` for a placeholder, in order.

    `pattern` says what a placeholder is; its first group is the name.
    """
    at = 0
    for match in pattern.finditer(template):
        yield template[at : match.start()], None, 1 + template.count("\n", 0, at)
        yield match[0], match[1], 1 + template.count("\n", 0, match.start())
        at = match.end()
    yield template[at:], None, 1 + template.count("\n", 0, at)


def escaped_pieces(template: str, pattern: re.Pattern[str] = PLACEHOLDER) -> Iterator[Piece]:
    """The same of a template in which backslashes before `{{` count: of two one is left, a single one is the escape."""
    words, begun, at = "", 0, 0
    for match in _slashed(pattern).finditer(template):
        if match.start() < at:
            continue  # it begins within braces that are meant as they stand
        words += template[at : match.start()]
        at = match.end()
        if slashes := match[1]:
            literal = "{{" if len(slashes) % 2 else ""
            words += "\\" * (len(slashes) // 2) + literal
            at += len(literal)
            continue
        yield words, None, 1 + template.count("\n", 0, begun)
        yield match[0], match[2], 1 + template.count("\n", 0, match.start())
        words, begun = "", at
    yield words + template[at:], None, 1 + template.count("\n", 0, begun)


@cache
def _slashed(pattern: re.Pattern[str]) -> re.Pattern[str]:
    """Backslashes before `{{`, or else a placeholder."""
    return re.compile(rf"(\\+)(?=\{{\{{)|{pattern.pattern}")
