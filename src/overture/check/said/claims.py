"""A page -> what it says to do, or not to do, of an object: only what is said without any condition."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ..ground import Page
from .choices import CHOICES, Choice
from .units import Unit, units

SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=[A-Z`*_])")
MARKS = re.compile(r"\*\*|__|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)")
LEAD = r"(?:(?:please|you (?:must|should)|important|critical|note|warning|remember)[:,]?\s+(?:to\s+)?)?"
OBJECT = r"(?:run|use|call|execute|invoke)\s+`(?P<what>[^`]{2,80})`(?P<rest>.*)"
DO = re.compile(rf"{LEAD}(?:always |you must |must )?{OBJECT}", re.IGNORECASE)
NOT = re.compile(rf"{LEAD}(?:never|do not|don't|don’t|must not|must never)\s+(?:ever\s+)?{OBJECT}", re.IGNORECASE)
PLAIN = re.compile(
    r"\s*(?:(?:before|after)\s+(?:every|each|any|you|a|the)?\s*"
    r"(?:commit|committing|push|pushing|pr|pull request|change)s?)?\s*[.!]?\s*",
    re.IGNORECASE,
)
"""What may follow the object without making it another case."""
WORTH = re.compile(
    r"\b(?:uses?|run|call|execute|invoke|indent\w*|manage\w*|runner|framework|tests?|testing|dependencies|semicolons"
    r"|quotes|strings|installs)\b",
    re.IGNORECASE,
)
"""A word that every claim has."""
SCOPED = re.compile(
    r"^(?:globs:|paths:|applyTo:|fileMatchPattern:|alwaysApply:\s*false|trigger:\s*(?!always))", re.MULTILINE
)


class Claim(NamedTuple):
    """What one sentence wants: for an object, a value; `command` objects have the values yes and no."""

    object: str
    value: str
    said: str
    line: int
    scope: str
    """The headings that it stands under: a claim under `Python` says nothing of what stands under `Web`."""


@lru_cache(maxsize=256)
def claims(page: Page) -> tuple[Claim, ...]:
    """The claims of a page; one that holds for some files only, as its front matter says, makes none."""
    if page.kind not in ("instructions", "rule", "import") or _is_scoped(page.text):
        return ()
    return tuple(claim for unit in units(page.text) for claim in _of(unit))


def _is_scoped(text: str) -> bool:
    if not text.startswith("---"):
        return False
    return SCOPED.search(text[3:4000].partition("\n---")[0]) is not None


def _of(unit: Unit) -> Iterator[Claim]:
    scope = " / ".join(unit.headings[1:]).lower()
    for sentence in SENTENCE.split(unit.text) if WORTH.search(unit.text) else ():
        if not WORTH.search(sentence):
            continue
        bare = MARKS.sub("", sentence).strip()
        for pattern, value in ((NOT, "no"), (DO, "yes")):
            found = pattern.fullmatch(bare)
            if found and PLAIN.fullmatch(found["rest"]):
                what = " ".join(found["what"].split())
                yield Claim(f"`{what}`", value, bare, unit.line, scope)
                break
        yield from _chosen(bare, unit.line, scope)


def _chosen(bare: str, line: int, scope: str) -> Iterator[Claim]:
    for choice in CHOICES:
        value = _value(choice, bare)
        if value is not None:
            yield Claim(choice.object, value, bare, line, scope)


def _value(choice: Choice, bare: str) -> str | None:
    for pattern in choice.patterns:
        found = pattern.fullmatch(bare)
        if found:
            return " ".join(found["value"].lower().split())
    against = choice.against.fullmatch(bare)
    return f"not {' '.join(against['value'].lower().split())}" if against else None
