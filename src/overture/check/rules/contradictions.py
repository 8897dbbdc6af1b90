"""Finds two instructions that contradict each other on the same object."""

import re
from collections import defaultdict
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from ...text.frontmatter import find_frontmatter
from ...text.keyword_patterns import KeywordPattern, fold_case, with_keywords
from ...text.words import shorten_text
from ..findings_and_input import CheckedFile, CheckInput, Finding
from ..read_markdown import Instruction
from ..rules_by_code import CheckRule
from .instruction_scopes import find_scoped_instructions
from .opposite_sentences import LEAD, MARKS, SENTENCE, Sentence, find_opposites


class ExclusiveChoice(NamedTuple):
    """An object, and the forms of a sentence that decide it without any condition."""

    object: str
    keywords: tuple[str, ...]
    """Every value holds one of them."""
    forms: tuple[KeywordPattern, ...]
    against: KeywordPattern
    """A sentence that only excludes one of the choices."""


BEGIN = (
    r"(?:please\s+|you must\s+|must\s+|we\s+|(?:this|the) (?:project|repo|repository|monorepo)\s+)?"
    r"(?:always\s+|only\s+|exclusively\s+)?"
)
NOT_OTHERS = (
    r"(?:\s*[,;(—–-]*\s*(?:and\s+)?(?:not|never|do not use|don't use|instead of|rather than|over)\b[^.;:]{1,60}\)?)?"
)
REMARK = (
    r"\((?![^()]*\b(?:for|in|on|only|except|unless|when|if|where|until|wrong|bad|old|legacy|deprecated|optional)\b)"
    r"[^()]{1,60}\)"
)
"""Words in parentheses that make no condition."""
END = rf"(?:\s*{REMARK})?\s*[.!]?"
LIST = r"(?:(?:\s*[,/]\s*(?:or\s+|and\s+)?|\s+or\s+|\s+and\s+)`?[\w.-]{1,30}`?){0,6}"
"""Others of its kind."""
EVERYTHING = "everything|all commands|this project|this repo|this repository|the whole repo|all scripts"


def _make_choice(object: str, keywords: str, values: str, purpose: str, *others: KeywordPattern) -> ExclusiveChoice:
    """`Use X`, `always use X, never Y`, `use X for PURPOSE`, `PURPOSE: X`, `X is the PURPOSE`."""
    value = rf"`?(?P<value>{values})`?"
    goal = rf"(?:\s+(?:for|as|in)\s+(?:the\s+|our\s+|all\s+)?(?:{purpose}|{EVERYTHING}))?"
    forms = (
        with_keywords("use", rf"{BEGIN}uses?\s+{value}{goal}{NOT_OTHERS}{END}"),
        with_keywords(":|is|=", rf"(?:the\s+)?(?:{purpose})\s*(?::|is|=)\s*{value}{NOT_OTHERS}{END}"),
        with_keywords("is", rf"{value}\s+is\s+(?:the|our)\s+(?:{purpose}){NOT_OTHERS}{END}"),
        *others,
    )
    against = rf"(?:please\s+)?(?:never|do not|don't|don’t)\s+use\s+{value}{LIST}{goal}{END}"
    never = with_keywords("never|do not|don't|don’t", against)
    return ExclusiveChoice(object, tuple(keywords.split("|")), forms, never)


MANAGING = "package manager|package management|(?:managing )?dependencies|dependency management"
INDENTS = r"tabs|spaces|(?:2|two|4|four|8|eight)[ -]spaces?"
EXCLUSIVE_CHOICES = (
    _make_choice(
        "the package manager",
        "npm|yarn|bun",
        "npm|pnpm|yarn|bun",
        rf"{MANAGING}|installing packages|installs",
    ),
    _make_choice(
        "the Python package manager",
        "pip|poetry|uv|pdm|conda",
        "pip|poetry|uv|pdm|pipenv|conda",
        rf"{MANAGING}|python package manager",
    ),
    _make_choice(
        "the test runner",
        "jest|vitest|mocha|ava|pytest|unittest|nose",
        "jest|vitest|mocha|ava|pytest|unittest|nose2?",
        "test runner|test framework|testing framework|tests|testing|unit tests|unit testing|unit and integration tests",
    ),
    _make_choice(
        "indentation",
        "tabs|space",
        INDENTS,
        "indentation|indent|indenting",
        with_keywords("indent", rf"{BEGIN}indent\s+(?:code\s+)?with\s+`?(?P<value>{INDENTS})`?{NOT_OTHERS}{END}"),
    ),
    _make_choice("quotes", "quotes", r"single quotes|double quotes", "strings|string literals|all strings|quotes"),
    _make_choice(
        "semicolons",
        "semicolons",
        r"semicolons|no semicolons",
        "statements",
        with_keywords("semicolons", rf"(?P<value>(?:no|omit|never use|do not use|don't use) semicolons){END}"),
    ),
)


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
    text: str
    line: int
    scope: str
    """The headings and labels above it: a claim under `Python` does not apply under `Web`."""


@lru_cache(maxsize=256)
def find_claims(page: CheckedFile) -> tuple[Claim, ...]:
    """The claims of a page."""
    if not _holds_everywhere(page):
        return ()
    return tuple(claim for unit, above in find_scoped_instructions(page.text) for claim in _find_claim(unit, above))


def _holds_everywhere(page: CheckedFile) -> bool:
    """Whether a page is read as instructions, and its front matter does not limit it to some files."""
    if page.kind not in ("instructions", "rule", "import"):
        return False
    found = find_frontmatter(page.text)
    return found is None or SCOPED.search(page.text, found.start, found.end) is None


def _find_claim(unit: Instruction, above: tuple[str, ...]) -> Iterator[Claim]:
    """The claims of an instruction, sentence by sentence."""
    scope = " / ".join(above)
    for sentence in SENTENCE.split(unit.text) if WORTH.search(unit.text) else ():
        if not WORTH.search(sentence):
            continue
        bare = MARKS.sub("", sentence).strip()
        for pattern, value in ((NOT, "no"), (DO, "yes")):
            match = pattern.fullmatch(bare)
            if match and PLAIN.fullmatch(match["rest"]):
                what = " ".join(match["what"].split())
                yield Claim(f"`{what}`", value, bare, unit.line, scope)
                break
        yield from _find_choice(bare, unit.line, scope)


def _find_choice(bare: str, line: int, scope: str) -> Iterator[Claim]:
    folded = fold_case(bare)
    for choice in EXCLUSIVE_CHOICES:
        if any(keyword in folded for keyword in choice.keywords):
            value = _normalize_value(choice, bare, folded)
            if value is not None:
                yield Claim(choice.object, value, bare, line, scope)


def _normalize_value(choice: ExclusiveChoice, bare: str, folded: str) -> str | None:
    for form in (*choice.forms, choice.against):
        match = form.pattern.fullmatch(bare) if form.may_match(folded) else None
        if match:
            value = " ".join(match["value"].lower().split())
            return f"not {value}" if form is choice.against else value
    return None


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
"""Headings about a part of a project."""


class LocatedClaim(NamedTuple):
    """A claim, and the file that makes it."""

    page: CheckedFile
    claim: Claim

    @property
    def value(self) -> str:
        """What an instruction wants, in one spelling, so that contradictions are found."""
        return SAME.get(self.claim.value, self.claim.value)


def check_contradictions(inputs: CheckInput) -> Iterator[Finding]:
    """One finding for each object on which files that are read together disagree, at the later position."""
    objects: defaultdict[tuple[str, str], list[LocatedClaim]] = defaultdict(list)
    folders: defaultdict[str, list[CheckedFile]] = defaultdict(list)
    texts: set[str] = set()
    for page in inputs.pages:
        if page.text not in texts and _holds_everywhere(page):
            folders[_find_governed_folder(page)].append(page)
        texts.add(page.text)
    for folder, pages in folders.items():
        for page in pages:
            for claim in find_claims(page):
                objects[folder, claim.object].append(LocatedClaim(page, claim))
    found: set[tuple[str, int]] = set()
    for claims in objects.values():
        pair = _find_disagreements(claims)
        if pair:
            found.add((pair[0].page.path, pair[0].claim.line))
            yield _make_contradiction_finding(*pair)
    for pages in folders.values():
        for later, first in find_opposites(pages):
            if (later.page.path, later.line) not in found:
                yield _make_opposite_finding(later, first)


def _find_disagreements(claims: list[LocatedClaim]) -> tuple[LocatedClaim, LocatedClaim] | None:
    """The first claim, and the first that differs from it and has the same scope."""
    firsts: dict[str, LocatedClaim] = {}
    for later in claims:
        for first in firsts.values():
            if _contradicts(first.value, later.value) and _has_same_scope(first, later):
                return later, first
        firsts.setdefault(later.value, later)
    return None


def _has_same_scope(one: LocatedClaim, other: LocatedClaim) -> bool:
    """Whether two claims have the same scope: within a file headings part them, across files those of parts do."""
    mine, theirs = one.claim.scope, other.claim.scope
    if mine == theirs:
        return True
    if one.page is other.page:
        return not (mine and theirs)
    return not (PARTS.search(mine) or PARTS.search(theirs))


def _contradicts(one: str, other: str) -> bool:
    """`spaces` and `2 spaces` are no contradiction; `not npm` contradicts `npm` alone."""
    if one.startswith("not ") or other.startswith("not "):
        return f"not {one}" == other or one == f"not {other}"
    return one != other and not one.endswith(f" {other}") and not other.endswith(f" {one}")


def _find_governed_folder(page: CheckedFile) -> str:
    """The folder that a file governs: `.cursor/rules/x.mdc` governs the parent of `.cursor`.

    A deeper one may differ on purpose, and so counts for itself.
    """
    steps = page.path.split("/")[:-1]
    hidden = next((index for index, step in enumerate(steps) if step.startswith(".") and step != "."), len(steps))
    return "/".join(steps[:hidden])


def _make_contradiction_finding(later: LocatedClaim, first: LocatedClaim) -> Finding:
    asked = f"they ask for {later.value} and {first.value} for {later.claim.object}; "
    advice = f"{'' if later.claim.object.startswith('`') else asked}keep one"
    message = _say_contradiction(later.claim.text, first.page, first.claim.line, first.claim.text, later.page)
    return Finding(CODE, "warning", f"{message}: {advice}", later.page.path, later.claim.line)


def _make_opposite_finding(later: Sentence, first: Sentence) -> Finding:
    message = _say_contradiction(later.text, first.page, first.line, first.text, later.page)
    return Finding(CODE, "warning", f"{message}: keep one", later.page.path, later.line)


def _say_contradiction(text: str, first_page: CheckedFile, first_line: int, first_text: str, page: CheckedFile) -> str:
    where = f"line {first_line}" + (f" of {first_page.path}" if first_page is not page else "")
    return f"{shorten_text(text, 80)!r} contradicts {where}, {shorten_text(first_text, 80)!r}"


RULES = (CheckRule(CODE, "warning", "two instructions that contradict each other", check_contradictions),)
