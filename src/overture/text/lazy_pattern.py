"""Patterns that are compiled when they are first used: a command uses few of those that it loads."""

import re
from array import array
from functools import cache
from typing import Any, AnyStr, NamedTuple, cast

ATTRIBUTES = ("findall", "finditer", "flags", "fullmatch", "groupindex", "match", "search", "split", "sub", "subn")


class PatternProgram(NamedTuple):
    """What `re` compiles a pattern to. To make a pattern of it takes a hundredth of the time of compiling it."""

    flags: int
    code: bytes
    groups: int
    group_numbers: dict[str, int]
    group_names: tuple[str | None, ...]


PatternKey = tuple[str | bytes, int]
"""A pattern's text and flags."""
PROGRAMS: dict[PatternKey, PatternProgram] = {}
"""Programs that this Python compiled before. The command line stores them."""
COMPILED: list[PatternKey] = []
"""Our patterns that were compiled because PROGRAMS lacks them."""


@cache
def compile_once(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """As `re.compile`, without compiling if the program is known."""
    key = pattern, int(flags)
    if (program := PROGRAMS.get(key)) is not None:
        try:
            return restore_pattern(pattern, program)
        except (TypeError, ValueError, RuntimeError, OverflowError):  # it does not fit this Python
            del PROGRAMS[key]
    COMPILED.append(key)
    return re.compile(pattern, flags)


def restore_pattern(pattern: AnyStr, program: PatternProgram) -> re.Pattern[AnyStr]:
    """The pattern of a program; Python itself checks that the code is sound."""
    import _sre  # type: ignore[import-not-found]

    flags, code, *groups = program
    restored: re.Pattern[AnyStr] = _sre.compile(pattern, flags, array("I", code).tolist(), *groups)
    return restored


def write_program(pattern: str | bytes, flags: int) -> PatternProgram:
    """The program that a pattern compiles to, by the steps of `re.compile`."""
    from re import _compiler, _parser  # type: ignore[attr-defined]

    parsed = _parser.parse(pattern, flags)
    code = array("I", _compiler._code(parsed, flags)).tobytes()
    numbers = dict(parsed.state.groupdict)
    names: list[str | None] = [None] * parsed.state.groups
    for name, number in numbers.items():
        names[number] = name
    return PatternProgram(flags | parsed.state.flags, code, parsed.state.groups - 1, numbers, tuple(names))


class LazyPattern:
    """A pattern that has only its text until its first use; then it has all methods of the compiled one.

    They are attributes of the instance itself, so that every later call costs what it costs with `re.compile`.
    """

    def __init__(self, pattern: str | bytes, flags: int) -> None:
        """Keep the pattern as text: it is compiled when it is first used."""
        self.pattern = pattern
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        """Called for missing attributes: before the first use, or for one that a compiled pattern lacks too."""
        if name.startswith("__"):
            raise AttributeError(name)
        compiled = compile_once(self.pattern, self._flags)
        self.__dict__.update({each: getattr(compiled, each) for each in ATTRIBUTES})
        return getattr(compiled, name)


def compile_on_use(pattern: AnyStr, flags: int = 0) -> re.Pattern[AnyStr]:
    """As `re.compile`, but compiled at its first use; functions of `re` do not take it in place of a pattern."""
    return cast(re.Pattern[AnyStr], LazyPattern(pattern, flags))


# Patterns that are compiled only for texts that hold one of their keywords: few texts hold any.


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
    return KeywordPattern(tuple(map(fold_case, keywords.split("|"))), compile_on_use(pattern, re.IGNORECASE))


def fold_case(text: str) -> str:
    """A text in small letters such that it holds every word that IGNORECASE finds in it."""
    if text.isascii() or not any([chr(letter) in text for letter in UNLIKE_LOWER]):  # `translate` takes long
        return text.lower()
    return text.translate(UNLIKE_LOWER).lower()
