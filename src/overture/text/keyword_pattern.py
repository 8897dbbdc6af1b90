"""Patterns that are compiled only for texts that hold one of their keywords: few texts hold any."""

import re
from typing import NamedTuple

from .lazy_pattern import compile_on_use

UNLIKE_LOWER = str.maketrans("İıſᲀᲁᲂᲃᲄᲅ", "iisвдостт")
"""Letters that IGNORECASE takes for another, and `str.lower` does not: of the alphabets that keywords have."""


class KeywordPattern(NamedTuple):
    """A pattern that ignores case, and keywords in small letters, of which every match holds one."""

    keywords: tuple[str, ...]
    pattern: re.Pattern[str]

    def may_match(self, folded: str) -> bool:
        """Whether a text, given as `fold_case` writes it, is worth a search."""
        return any(keyword in folded for keyword in self.keywords)


def with_keywords(keywords: str, pattern: str) -> KeywordPattern:
    """A pattern and its keywords, which `|` separates."""
    return KeywordPattern(tuple(map(fold_case, keywords.split("|"))), compile_on_use(pattern, re.IGNORECASE))


def fold_case(text: str) -> str:
    """A text in small letters such that it holds every word that IGNORECASE finds in it."""
    return text.lower() if text.isascii() else text.translate(UNLIKE_LOWER).lower()
