"""Patterns that are compiled when they are first used: a command uses few of those that it loads."""

import re
from typing import Any, AnyStr, NamedTuple, cast

ATTRIBUTES = ("findall", "finditer", "flags", "fullmatch", "groupindex", "match", "search", "split", "sub", "subn")


class LazyPattern:
    """A pattern that has only its text until a method is asked for; then it has all methods of the compiled one.

    They lie in the instance itself, so that every later call costs what it costs with `re.compile`.
    """

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        """Called for what is not there: before the first use, or never with `re.compile` either."""
        if name.startswith("__"):
            raise AttributeError(name)
        compiled = re.compile(self.pattern, self._flags)
        self.__dict__.update({each: getattr(compiled, each) for each in ATTRIBUTES})
        return getattr(compiled, name)


def compile_on_use(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """As `re.compile`, but compiled at its first use; functions of `re` do not take it in place of a pattern."""
    return cast(re.Pattern[AnyStr], LazyPattern(pattern, flags))


# Patterns that are compiled only for texts that hold one of their keywords: few texts hold any.


UNLIKE_LOWER = str.maketrans("İıſᲀᲁᲂᲃᲄᲅ", "iisвдостт")
"""Letters that IGNORECASE takes for another, and `str.lower` does not: of the alphabets that keywords have."""


class KeywordPattern(NamedTuple):
    """A pattern that ignores case, and keywords in small letters, of which every match holds one."""

    keywords: tuple[str, ...]
    pattern: re.Pattern[str]

    def may_match(self, folded: str) -> bool:
        """Whether a text, given as `fold_case` writes it, is worth a search."""
        return any([keyword in folded for keyword in self.keywords])  # a list: most texts hold none of them


def with_keywords(keywords: str, pattern: str) -> KeywordPattern:
    """A pattern and its keywords, which `|` separates."""
    return KeywordPattern(tuple(map(fold_case, keywords.split("|"))), compile_on_use(pattern, re.IGNORECASE))


def fold_case(text: str) -> str:
    """A text in small letters such that it holds every word that IGNORECASE finds in it."""
    if text.isascii() or not any([chr(letter) in text for letter in UNLIKE_LOWER]):  # `translate` takes long
        return text.lower()
    return text.translate(UNLIKE_LOWER).lower()
