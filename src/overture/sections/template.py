"""`{{ name }}` placeholders, expanded in a single pass: what is filled in is never expanded again."""

import re
from collections.abc import Iterator

PLACEHOLDER = re.compile(r"\{\{\s*([A-Za-z_][\w.]*)\s*\}\}")


def pieces(template: str, pattern: re.Pattern[str] = PLACEHOLDER) -> Iterator[tuple[str, str | None, int]]:
    """`(text, None, line)` for literal text and `(original, name, line)` for a placeholder, in order.

    `pattern` says what a placeholder is; its first group is the name.
    """
    at = 0
    for match in pattern.finditer(template):
        yield template[at : match.start()], None, 1 + template.count("\n", 0, at)
        yield match[0], match[1], 1 + template.count("\n", 0, match.start())
        at = match.end()
    yield template[at:], None, 1 + template.count("\n", 0, at)
