"""The lines of a page, taken apart once for all rules."""

from functools import lru_cache

from ..markdown_lines import Line, lines


@lru_cache(maxsize=256)
def rows(text: str) -> tuple[Line, ...]:
    """The lines of a text, each with its sort."""
    return tuple(lines(text))
