"""A pattern is compiled for texts that hold one of its keywords: every text that it matches holds one."""

import re
import re._constants as sre  # type: ignore[import-not-found]
import re._parser as parser  # type: ignore[import-not-found]
from collections.abc import Callable, Iterable
from typing import Any

from hypothesis import given
from hypothesis import strategies as st
from overture.text.keyword_patterns import KeywordPattern, fold_case

from overture.check.rules.contradictions import EXCLUSIVE_CHOICES
from overture.check.rules.override_forms import PHRASES, STEMS
from overture.check.rules.override_phrases import ALL_STEMS, DISGUISED, _find_stems, _is_disguised, begins_word
from overture.check.rules.phrase_families import FAMILIES

VERBS = tuple(family.verb for family in FAMILIES if not family.script)
FORMS = tuple(form for choice in EXCLUSIVE_CHOICES for form in (*choice.forms, choice.against))
VALUES = tuple(
    KeywordPattern(choice.keywords, form.pattern)
    for choice in EXCLUSIVE_CHOICES
    for form in (*choice.forms, choice.against)
)
ALL = (*PHRASES, *VERBS, *FORMS, *VALUES)


def holds_always(items: list[Any], keywords: tuple[str, ...], run: str = "") -> bool:
    """Whether whatever the items match holds a keyword; `run` is the text that surely stands before them."""
    for index, (kind, value) in enumerate(items):
        rest = items[index + 1 :]
        if kind is sre.LITERAL:
            run += fold_case(chr(value))
        elif kind is sre.BRANCH:
            return all(holds_always([*branch, *rest], keywords, run) for branch in value[1])
        elif kind is sre.SUBPATTERN:
            return holds_always([*value[3], *rest], keywords, run)
        elif kind is sre.MAX_REPEAT:
            low, high, part = value
            more = [] if high == 1 else [(sre.ANY, None)]
            return holds_always([*part, *more, *rest], keywords, run) and (low > 0 or holds_always(rest, keywords, run))
        elif kind is not sre.AT:
            run = ""
        if any(keyword in run for keyword in keywords):
            return True
    return False


def test_every_match_holds_a_keyword() -> None:
    """Whichever alternatives of the pattern a text takes, one of the keywords is among its letters."""
    for each in ALL:
        pattern = each.pattern.pattern
        assert holds_always(list(parser.parse(pattern, re.IGNORECASE)), each.keywords), pattern


BOUNDARY = "\0"
"""Stands in a run for a place where a word may begin, and no letter is before it."""


def is_blank(item: tuple[Any, Any]) -> bool:
    """Whether an item stands for blanks or the beginning of a word, and for no letter."""
    kind, value = item
    if kind is sre.AT:
        return value in (sre.AT_BOUNDARY, sre.AT_BEGINNING)
    return kind is sre.IN and value in ([(sre.CATEGORY, sre.CATEGORY_SPACE)], [(sre.CATEGORY, sre.CATEGORY_NOT_WORD)])


def begins_always(
    items: list[Any], stems: tuple[str, ...], run: str = "", known: dict[tuple[str, str], bool] | None = None
) -> bool:
    """As `holds_always`, of stems that begin a word; of those that need not, wherever they are.

    `known` has the answers so far: alternatives come together again where the next word begins.
    """
    known = {} if known is None else known
    key = repr(items), run
    if key not in known:
        known[key] = _begins_always(items, stems, run, known)
    return known[key]


def _begins_always(items: list[Any], stems: tuple[str, ...], run: str, known: dict[tuple[str, str], bool]) -> bool:
    for index, (kind, value) in enumerate(items):
        rest = items[index + 1 :]
        if kind is sre.LITERAL:
            run += fold_case(chr(value))
        elif kind is sre.BRANCH:
            return all(begins_always([*branch, *rest], stems, run, known) for branch in value[1])
        elif kind is sre.SUBPATTERN:
            return begins_always([*value[3], *rest], stems, run, known)
        elif kind is sre.MAX_REPEAT:
            low, high, part = value
            counts = [[]] * (low == 0) + [list(part)] + [[*part, (sre.ANY, None), *part]] * (high > 1)
            return all(begins_always([*each, *rest], stems, run, known) for each in counts)
        elif is_blank((kind, value)):
            run = run if kind is sre.AT and run else BOUNDARY
        elif kind is not sre.AT:
            run = ""
        if any(begins_in(run, stem) for stem in stems):
            return True
        run = shorten_run(run, stems)
    return False


def shorten_run(run: str, stems: tuple[str, ...]) -> str:
    """What of a run may still become a stem: few different runs are left."""
    for at in range(len(run)):
        begins = at > 0 and not run[at - 1].isalpha()
        if any(stem.startswith(run[at:]) and (begins or not begins_word(stem)) for stem in stems):
            return BOUNDARY * begins + run[at:]
    return BOUNDARY if run and not run[-1].isalpha() else ""


def begins_in(run: str, stem: str) -> bool:
    """Whether a run holds a stem where the search for stems sees it."""
    if not begins_word(stem):
        return stem in run
    return any(run.startswith(stem, at) and not run[at - 1].isalpha() for at in range(1, len(run)))


def test_every_phrase_holds_a_stem() -> None:
    """A paragraph without any of the stems is not searched for phrases."""
    for each in PHRASES:
        pattern = each.pattern.pattern
        assert begins_always(list(parser.parse(pattern, re.IGNORECASE)), STEMS), pattern
    assert list(map(fold_case, STEMS)) == list(STEMS)


def test_a_word_of_every_verb_begins_with_a_keyword() -> None:
    """A page whose words begin with none of the keywords has no sentence with such a verb."""
    for each in VERBS:
        pattern = each.pattern.pattern
        assert begins_always(list(parser.parse(pattern, re.IGNORECASE)), each.keywords), pattern


def test_every_stem_is_found_by_how_a_word_begins() -> None:
    """Also one whose first word is too short to be looked for, in capitals and before further letters."""
    for stem in ALL_STEMS:
        assert stem in _find_stems(f"Say {stem.upper() if stem.isascii() else stem}s."), stem


def test_what_may_be_within_a_word_begins_none() -> None:
    """The proof fails for words before which a letter may be."""
    for pattern in ("abc", r"\b(?:x)?abc", r"\w*abc", r"\s*abc", r"\b.abc", r"\ba?abc"):
        assert not begins_always(list(parser.parse(pattern)), ("abc",)), pattern
    for pattern in (r"\babc", "^abc", r"x\s+abc", "x abc", r"\b(?:abc|y abc)", r"\bx(?:\s+\w+)?\s+abc"):
        assert begins_always(list(parser.parse(pattern)), ("abc",)), pattern


def test_what_need_not_be_there_is_no_keyword() -> None:
    """The proof fails for words that only some matches hold."""
    for pattern in ("(?:abc)?d", "abc|d", "[abc]d", "(?:abc)*d", "ab.c", "(?:ab)?c", "ab(?:x)?c", "ab(?:x)*c"):
        assert not holds_always(list(parser.parse(pattern)), ("abc",)), pattern
    for pattern in ("abc|dabc", "(?:x|a)?abc", "a(?:b)c", "(?:abc)+d", "(?:a|xa)bc", "^abc\\b"):
        assert holds_always(list(parser.parse(pattern)), ("abc",)), pattern


def letters_of(patterns: Iterable[KeywordPattern]) -> set[str]:
    """The letters of all keywords."""
    return {letter for each in patterns for keyword in each.keywords for letter in keyword}


def test_folding_finds_what_ignorecase_finds() -> None:
    """Of all characters, those that IGNORECASE takes for a letter of a keyword are written as that letter."""
    letters = letters_of(ALL)
    every = "".join(map(chr, (*range(0xD800), *range(0xE000, 0x110000))))
    for found in re.findall(f"[{re.escape(''.join(letters))}]", every, re.IGNORECASE):
        matched = [letter for letter in letters if re.fullmatch(re.escape(letter), found, re.IGNORECASE)]
        assert matched == [fold_case(found)]


WORDS = sorted({word for each in ALL for word in re.findall(r"[^\W\d_]{2,}|[:=]", each.pattern.pattern)})
SPELLINGS = (str, str.upper, str.title, lambda word: word.upper().replace("I", "İ").replace("S", "ſ"))


@given(st.lists(st.tuples(st.sampled_from(WORDS), st.sampled_from(SPELLINGS)), max_size=8))
def test_what_a_pattern_matches_is_worth_a_search(words: list[tuple[str, Callable[[str], str]]]) -> None:
    """In texts made of the patterns' own words, in any case, as in the phrases themselves."""
    text = " ".join(spell(word) for word, spell in words)
    folded = fold_case(text)
    assert [each for each in ALL if each.pattern.search(text) and not each.may_match(folded)] == []


def test_disguised_words_are_worth_a_search() -> None:
    """Whatever character stands beside a letter, or three times: a text is in disguise where the pattern finds it."""
    for number in (*range(0x80, 0xD800), *range(0xE000, 0x1E000)):
        for text in (f"a{chr(number)}", f"{chr(number)}a", chr(number) * 3):
            assert _is_disguised(text) == (DISGUISED.search(text) is not None), hex(number)
    assert _is_disguised("\\U{0069}gnore") and _is_disguised("\\u{0069}gnore")
