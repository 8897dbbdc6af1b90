"""Finds a sentence that forbids what another asks for in the same words."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import NamedTuple

from ..findings_and_input import CheckedFile
from .instruction_scopes import find_scoped_instructions

SENTENCE = re.compile(r"(?<=[.!?;])\s+(?=[A-Z`*_])")
MARKS = re.compile(r"\*\*|__|(?<!\w)[*_](?=\w)|(?<=\w)[*_](?!\w)")
LEAD = r"(?:(?:please|you (?:must|should)|important|critical|note|warning|remember)[:,]?\s+(?:to\s+)?)?"
FORBID = re.compile(
    rf"{LEAD}(?:never|do not|don't|don’t|(?:must|should) (?:not|never)|not)\s+(?:ever\s+)?(?P<deed>.+)",
    re.IGNORECASE | re.DOTALL,
)
DEMAND = re.compile(
    rf"(?P<lead>{LEAD})(?P<always>(?:always|must)\s+)?(?P<deed>.+)",
    re.IGNORECASE | re.DOTALL,
)
FORBIDDING = re.compile(r"\b(?:never|not|don['’]t)\b", re.IGNORECASE)
WORDS = re.compile(r"[\w'’./+#-]*[\w+#]")
MIN_WORDS = 2
MAX_SENTENCE_CHARS = 300


class Sentence(NamedTuple):
    """A sentence that asks for a deed or forbids it, and where."""

    page: CheckedFile
    line: int
    text: str
    deed: tuple[str, ...]
    scope: tuple[str, ...]
    """The headings and labels above it."""
    forbids: bool
    always: bool
    """Whether it says so in a word of its own, and so holds in the sections as well."""


def find_opposites(pages: Iterable[CheckedFile]) -> Iterator[tuple[Sentence, Sentence]]:
    """Pairs of one that asks for a deed and one that forbids it, the later first; of each deed, one pair."""
    pages = tuple(pages)
    forbidden = {sentence.deed for page in pages for sentence in _find_forbidding(page)}
    if not forbidden:
        return
    sentences: defaultdict[tuple[str, ...], list[Sentence]] = defaultdict(list)
    for page in pages:
        for sentence in _find_sentences(page):
            if sentence.deed in forbidden:
                sentences[sentence.deed].append(sentence)
    for same in sentences.values():
        pair = _find_opposite_pair(same)
        if pair is not None:
            yield pair


def _find_opposite_pair(same: list[Sentence]) -> tuple[Sentence, Sentence] | None:
    """The first that asks for a deed where another forbids it, and that one; the later first.

    A plain request counts in the same section alone: elsewhere, it may be a step of another task.
    """
    forbidding: dict[tuple[str, ...], Sentence] = {}
    for sentence in same:
        if sentence.forbids:
            forbidding.setdefault(sentence.scope, sentence)
    for number, sentence in enumerate(same):
        if sentence.forbids:
            continue
        other = forbidding.get(sentence.scope)
        if other is None and sentence.always:
            other = forbidding.get(()) if sentence.scope else next(iter(forbidding.values()), None)
        if other is not None:
            return (sentence, other) if other in same[:number] else (other, sentence)
    return None


def _find_forbidding(page: CheckedFile) -> Iterator[Sentence]:
    return (sentence for sentence in _find_sentences(page) if sentence.forbids) if _may_forbid(page) else iter(())


def _may_forbid(page: CheckedFile) -> bool:
    return FORBIDDING.search(page.text) is not None


@lru_cache(maxsize=256)
def _find_sentences(page: CheckedFile) -> tuple[Sentence, ...]:
    """What the sentences of a page ask for and forbid."""
    return tuple(
        sentence
        for unit, above in find_scoped_instructions(page.text)
        for text in SENTENCE.split(unit.text)
        if len(text) <= MAX_SENTENCE_CHARS and (sentence := _read_sentence(page, unit.line, text, above)) is not None
    )


def _read_sentence(page: CheckedFile, line: int, text: str, scope: tuple[str, ...]) -> Sentence | None:
    bare = MARKS.sub("", text).strip()
    match = FORBID.fullmatch(bare)
    forbids = match is not None
    match = match or DEMAND.fullmatch(bare)
    deed = tuple(WORDS.findall(match["deed"].lower())) if match else ()
    if match is None or len(deed) < MIN_WORDS or bare.endswith(("?", ":")):
        return None
    always = forbids or bool(match["always"] or match["lead"])
    return Sentence(page, line, bare, deed, scope, forbids, always)
