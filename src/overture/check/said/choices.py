"""Things of which a project has one: package manager, indentation, quotes, test runner, and how people say which."""

import re
from typing import NamedTuple


class Choice(NamedTuple):
    """An object, and the forms of a sentence that settle it without any condition."""

    object: str
    patterns: tuple[re.Pattern[str], ...]
    against: re.Pattern[str]
    """A sentence that only says which it is not."""


BEGIN = (
    r"(?:please\s+|you must\s+|must\s+|we\s+|(?:this|the) (?:project|repo|repository|monorepo)\s+)?"
    r"(?:always\s+|only\s+|exclusively\s+)?"
)
NOT_OTHERS = (
    r"(?:\s*[,;(—–-]*\s*(?:and\s+)?(?:not|never|do not use|don't use|instead of|rather than|over)\b[^.;:]{1,60}\)?)?"
)
END = r"(?:\s*\([^()]{1,60}\))?\s*[.!]?"
LIST = r"(?:(?:\s*[,/]\s*(?:or\s+|and\s+)?|\s+or\s+|\s+and\s+)`?[\w.-]{1,30}`?){0,6}"
"""Others of its kind."""
EVERYTHING = "everything|all commands|this project|this repo|this repository|the whole repo|all scripts"


def _choice(object: str, values: str, purpose: str, *others: str) -> Choice:
    """`Use X`, `always use X, never Y`, `use X for PURPOSE`, `PURPOSE: X`, `X is the PURPOSE`."""
    value = rf"`?(?P<value>{values})`?"
    forms = (
        rf"{BEGIN}uses?\s+{value}(?:\s+(?:for|as|in)\s+(?:the\s+|our\s+|all\s+)?(?:{purpose}|{EVERYTHING}))?{NOT_OTHERS}{END}",
        rf"(?:the\s+)?(?:{purpose})\s*(?::|is|=)\s*{value}{NOT_OTHERS}{END}",
        rf"{value}\s+is\s+(?:the|our)\s+(?:{purpose}){NOT_OTHERS}{END}",
        *(form.replace("VALUE", value) for form in others),
    )
    against = rf"(?:please\s+)?(?:never|do not|don't|don’t)\s+use\s+{value}{LIST}{END}"
    return Choice(object, tuple(re.compile(form, re.IGNORECASE) for form in forms), re.compile(against, re.IGNORECASE))


MANAGING = "package manager|package management|(?:managing )?dependencies|dependency management"
CHOICES = (
    _choice(
        "the package manager",
        "npm|pnpm|yarn|bun",
        rf"{MANAGING}|installing packages|installs",
    ),
    _choice(
        "the Python package manager",
        "pip|poetry|uv|pdm|pipenv|conda",
        rf"{MANAGING}|python package manager",
    ),
    _choice(
        "the test runner",
        "jest|vitest|mocha|ava|pytest|unittest|nose2?",
        "test runner|test framework|testing framework|tests|testing|unit tests|unit testing|unit and integration tests",
    ),
    _choice(
        "indentation",
        r"tabs|spaces|(?:2|two|4|four|8|eight)[ -]spaces?",
        "indentation|indent|indenting",
        rf"{BEGIN}indent\s+(?:code\s+)?with\s+VALUE{NOT_OTHERS}{END}",
    ),
    _choice("quotes", r"single quotes|double quotes", "strings|string literals|all strings|quotes"),
    _choice(
        "semicolons",
        r"semicolons|no semicolons",
        "statements",
        rf"(?P<value>(?:no|omit|never use|do not use|don't use) semicolons){END}",
    ),
)
