"""Two instructions that contradict each other on the same object: nobody knows which one a model follows."""

import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from ..finding import Finding
from ..ground import Ground, Page
from ..rule import Rule
from ..said.claims import Claim, claims

CODE = "contradiction"
SAME = {
    "semicolons": "semicolons everywhere",
    "two spaces": "2 spaces",
    "2-space": "2 spaces",
    "2-spaces": "2 spaces",
    "2 space": "2 spaces",
    "four spaces": "4 spaces",
    "4-space": "4 spaces",
    "4-spaces": "4 spaces",
    "4 space": "4 spaces",
    "omit semicolons": "no semicolons",
    "never use semicolons": "no semicolons",
    "do not use semicolons": "no semicolons",
    "don't use semicolons": "no semicolons",
}


PARTS = re.compile(
    r"\b(?:python|typescript|javascript|js|ts|rust|go|golang|java|kotlin|swift|c\+\+|ruby|php|css|html|sql|shell|bash|web|ui"
    r"|front-?end|back-?end|client|server|mobile|ios|android|docs?|documentation|e2e|scripts?|infra\w*|api|cli|desktop)\b"
)
"""Headings that speak of a part of a project."""


class Said(NamedTuple):
    """A claim, and the file that makes it."""

    page: Page
    claim: Claim

    @property
    def value(self) -> str:
        """What it wants, in one spelling."""
        return SAME.get(self.claim.value, self.claim.value)


def look(ground: Ground) -> Iterator[Finding]:
    """One finding for each object on which what is read together disagrees, at the later place."""
    objects: defaultdict[tuple[str, str], list[Said]] = defaultdict(list)
    texts: set[str] = set()
    for page in ground.pages:
        if page.text in texts:
            continue
        texts.add(page.text)
        for claim in claims(page):
            objects[_folder(page), claim.object].append(Said(page, claim))
    for said in objects.values():
        pair = _disagree(said)
        if pair:
            yield _finding(*pair)


def _disagree(said: list[Said]) -> tuple[Said, Said] | None:
    """The first claim, and the first that differs from it and is said of the same."""
    firsts: dict[str, Said] = {}
    for later in said:
        for first in firsts.values():
            if _differ(first.value, later.value) and _same_part(first, later):
                return later, first
        firsts.setdefault(later.value, later)
    return None


def _same_part(one: Said, other: Said) -> bool:
    """Whether two claims are said of the same: within a file headings part them, across files those of parts do."""
    mine, theirs = one.claim.scope, other.claim.scope
    if mine == theirs:
        return True
    if one.page is other.page:
        return not (mine and theirs)
    return not (PARTS.search(mine) or PARTS.search(theirs))


def _differ(one: str, other: str) -> bool:
    """`spaces` and `2 spaces` are no contradiction; `not npm` contradicts `npm` alone."""
    if one.startswith("not ") or other.startswith("not "):
        return f"not {one}" == other or one == f"not {other}"
    return one != other and not one.endswith(f" {other}") and not other.endswith(f" {one}")


def _folder(page: Page) -> str:
    """The folder that a file speaks for: `.cursor/rules/x.mdc` speaks for where `.cursor` lies.

    A deeper one may say otherwise on purpose, and so counts for itself.
    """
    steps = page.path.split("/")[:-1]
    hidden = next((index for index, step in enumerate(steps) if step.startswith(".") and step != "."), len(steps))
    return "/".join(steps[:hidden])


def _finding(later: Said, first: Said) -> Finding:
    where = f"line {first.claim.line}" + (f" of {first.page.path}" if first.page is not later.page else "")
    message = (
        f"{_short(later.claim.said)!r} contradicts {where}, {_short(first.claim.said)!r}: they want "
        f"{_want(later)} and {_want(first)} for {later.claim.object}; keep one"
    )
    if later.claim.object.startswith("`"):
        message = f"{_short(later.claim.said)!r} contradicts {where}, {_short(first.claim.said)!r}: keep one"
    return Finding(CODE, "warning", message, later.page.path, later.claim.line)


def _want(said: Said) -> str:
    return said.value


def _short(text: str) -> str:
    return text if len(text) <= 80 else text[:79] + "…"


RULES = (Rule(CODE, "warning", "two instructions that contradict each other", look),)
