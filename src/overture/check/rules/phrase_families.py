"""Sentences that turn a model against its user, by family and language: each family is a few slots that all fit."""

import re
from collections.abc import Iterator, Set
from typing import Literal, NamedTuple
from unicodedata import normalize

from ...text.keyword_patterns import KeywordPattern, fold_case, with_keywords
from .override_forms import LIMITS
from .phrase_words_in_latin_letters import LATIN_LANGUAGES, STRONG_SECRETS, VERB_KEYWORDS
from .phrase_words_in_other_scripts import OTHER_LANGUAGES, SCRIPTS

PhraseFamily = Literal["drop", "hide", "exfiltrate", "unasked", "limits"]
ASKS: dict[PhraseFamily, str] = {
    "drop": "tells the model to drop its instructions",
    "hide": "tells the model to hide something from the user",
    "exfiltrate": "tells the model to send secrets elsewhere",
    "unasked": "tells the model to act without asking the user",
    "limits": "tells the model to drop its limits",
}


DOTTED_LETTERS = {normalize("NFC", letter): letter for letter in map(chr, (*range(0x958, 0x960), 0x9DC, 0x9DD, 0x9DF))}
"""Letters with a dot below that have a code of their own, which NFC takes apart."""
VOWEL_MARKS = "[\u064b-\u0652]*+"
ARABIC_FORMS = str.maketrans(
    {letter: f"{'[اأإآ]' if letter in 'اأإآ' else letter}{VOWEL_MARKS}" for letter in map(chr, range(0x621, 0x64B))}
)
DESTINATION = re.compile(
    r"https?://(?!localhost\b|127\.|0\.0\.0\.0|\[::1)|\b(?!127\.|0\.0\.0\.0)\d{1,3}(?:\.\d{1,3}){3}\b"
    r"|[\w.+-]+@[\w-]+\.[a-z]",
    re.IGNORECASE,
)
SENTENCE_END = re.compile(r"(?<=[.!?;])\s+|(?<=[。！？；।])")
REFUSED = re.compile(
    r"\b(?:never|do not|don't|must not|cannot|can't|avoid|no|nunca|jamás|jamais|niemals|nie|nicht|não)\b"
    r"|никогда|нельзя|绝不|切勿|禁止|कभी|أبدا|কখনো|決して|ないでください"
    r"|\bne\b.{0,40}\b(?:pas|jamais)\b|\bno\s+(?:ejecut|instal)|\bне\s+(?:выполн|запуск|устанавл|удал)",
    re.IGNORECASE,
)
"""What forbids an act."""
ROUTINE = re.compile(
    r"\b(?:tests?|test suite|lint(?:er|ing)?|format(?:ter|ting)?|type ?checks?|pruebas|testes|pengujian)\b"
    r"|测试|測試|テスト|тест|परीक्षण|اختبار|পরীক্ষা",
    re.IGNORECASE,
)
"""What people let an agent run without a question."""
MAX_SENTENCE_CHARS = 400
OTHER_LETTERS = re.compile(f"[{''.join(SCRIPTS.values())}]")


class PhrasePatterns(NamedTuple):
    """The slots of a family in one language."""

    name: PhraseFamily
    verb: KeywordPattern
    others: tuple[re.Pattern[str], ...]
    script: str
    """The language whose letters its sentences have; "" for Latin ones."""
    needs_address: bool
    """Whether the sentence needs an address, after a verb in Latin letters."""


NAMES: tuple[PhraseFamily, ...] = ("drop", "hide", "exfiltrate", "unasked")
ANY_TEXT = ("",) * len(NAMES)
"""Keywords that every text holds: sentences in other letters are few."""


def _make_patterns(name: PhraseFamily, keywords: str, slots: tuple[str, ...], script: str = "") -> PhrasePatterns:
    verb, *others = map(_allow_spellings, slots)
    compiled = tuple(re.compile(slot, re.IGNORECASE) for slot in others)
    return PhrasePatterns(name, with_keywords(keywords, verb), compiled, script, name == "exfiltrate")


def _allow_spellings(slot: str) -> str:
    """The slot for words with and without vowel marks, hamza and dots below, which people write or omit."""
    if slot.isascii():
        return slot
    slot = normalize("NFC", slot)
    for parts, letter in DOTTED_LETTERS.items():
        slot = slot.replace(parts, f"(?:{parts}?|{letter})")
    return slot.translate(ARABIC_FORMS)


FAMILIES = (
    *(
        _make_patterns(name, keywords, slots, language if language in SCRIPTS else "")
        for language, each in {**LATIN_LANGUAGES, **OTHER_LANGUAGES}.items()
        for name, keywords, slots in zip(NAMES, VERB_KEYWORDS.get(language, ANY_TEXT), each, strict=True)
    ),
    *(
        _make_patterns("exfiltrate", keywords, tuple(slots))._replace(needs_address=False)
        for keywords, *slots in STRONG_SECRETS
    ),
    *(_make_patterns("limits", keywords, (verb,)) for keywords, verb in LIMITS.values()),
)
STEMS = tuple(dict.fromkeys(word for family in FAMILIES if not family.script for word in family.verb.keywords))
"""Each sentence in Latin letters holds one of these, in small letters."""


def _index_families() -> dict[str, list[int]]:
    """By each verb's keyword, the places of the families in Latin letters among all."""
    places: dict[str, list[int]] = {}
    for place, family in enumerate(FAMILIES):
        for keyword in () if family.script else family.verb.keywords:
            places.setdefault(keyword, []).append(place)
    return places


FAMILIES_BY_KEYWORD = _index_families()


def _list_possible(text: str, stems: Set[str]) -> list[PhrasePatterns]:
    """The families of which a text holds a verb: its sentences are of no other, and most texts hold none."""
    places = {place for stem in stems for place in FAMILIES_BY_KEYWORD.get(stem, ())}
    scripts = _find_scripts(text)
    if len(scripts) > 1:
        places.update(place for place, family in enumerate(FAMILIES) if family.script and family.script in scripts)
    return [FAMILIES[place] for place in sorted(places)]


def find_family_phrases(text: str, stems: Set[str]) -> Iterator[tuple[int, int, PhraseFamily]]:
    """The sentences that fill all slots of a family, and that family; of STEMS, the text holds `stems`."""
    families = _list_possible(text, stems)
    if not families:
        return
    start = 0
    for end in [*(m.start() for m in SENTENCE_END.finditer(text)), len(text)]:
        sentence = text[start:end]
        # A question asks for nothing.
        if (
            len(sentence) <= MAX_SENTENCE_CHARS
            and not sentence.rstrip().endswith("?")
            and (family := _find_family(sentence, families))
        ):
            yield start + len(sentence) - len(sentence.lstrip()), end, family
        start = end


def _find_scripts(text: str) -> set[str]:
    """The languages whose phrase families a text may hold, by its letters; "" for Latin ones, which any may have."""
    if text.isascii() or not OTHER_LETTERS.search(text):
        return {""}
    return {"", *(name for name, letters in SCRIPTS.items() if re.search(f"[{letters}]", text))}


def _find_family(sentence: str, families: list[PhrasePatterns]) -> PhraseFamily | None:
    """The family whose slots a sentence fills; None if it fills none, or is harmless."""
    scripts, folded = _find_scripts(sentence), fold_case(sentence)
    for family in families:
        if family.script not in scripts or not family.verb.may_match(folded):
            continue
        first = family.verb.pattern.search(sentence)
        # In Latin letters the verb is before the target of what it sends.
        destination_from = 0 if family.script or first is None else first.end()
        if family.needs_address and not DESTINATION.search(sentence, destination_from):
            continue
        if first and all(slot.search(sentence) for slot in family.others):
            return None if _is_harmless(sentence, family.name, first) else family.name
    return None


def _is_harmless(sentence: str, family: PhraseFamily, first: re.Match[str]) -> bool:
    """Whether the sentence forbids it, `never run it without asking`, or lets an agent run tests.

    To hide something is a prohibition itself.
    """
    if family == "unasked" and ROUTINE.search(sentence):
        return True
    return family != "hide" and REFUSED.search(sentence[: first.start()] + " " + sentence[first.end() :]) is not None
