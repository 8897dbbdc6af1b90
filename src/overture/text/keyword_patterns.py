"""Patterns that run only over texts that hold one of their keywords: few texts hold any."""

import re
from typing import NamedTuple

UNLIKE_LOWER = str.maketrans("İıſᲀᲁᲂᲃᲄᲅ", "iisвдостт")
"""Letters that IGNORECASE takes for another, and `str.lower` does not: of the alphabets that keywords have."""


class KeywordPattern(NamedTuple):
    """A pattern that ignores case, and keywords in small letters; every match holds one of them."""

    keywords: tuple[str, ...]
    pattern: re.Pattern[str]

    def may_match(self, folded: str) -> bool:
        """Whether a text, in the form of `fold_case`, is worth a search."""
        return any([keyword in folded for keyword in self.keywords])  # a list: most texts hold none of them


def with_keywords(keywords: str, pattern: str) -> KeywordPattern:
    """A pattern and its keywords, which `|` separates."""
    return KeywordPattern(tuple(map(fold_case, keywords.split("|"))), re.compile(pattern, re.IGNORECASE))


def fold_case(text: str) -> str:
    """A text in small letters such that it holds every word that IGNORECASE finds in it."""
    if text.isascii() or not any([chr(letter) in text for letter in UNLIKE_LOWER]):  # `translate` takes long
        return text.lower()
    return text.translate(UNLIKE_LOWER).lower()
