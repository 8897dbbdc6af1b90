"""Sentences that turn a model against its user, by family and language: each family is a few slots that all fit."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Literal, NamedTuple

from .phrase_words import LANGUAGES, LIMITS, SCRIPTS

PhraseFamily = Literal["drop", "hide", "exfiltrate", "unasked", "limits"]
ASKS: dict[PhraseFamily, str] = {
    "drop": "asks the model to drop its instructions",
    "hide": "asks the model to hide something from the user",
    "exfiltrate": "asks the model to send secrets away",
    "unasked": "asks the model to act without asking the user",
    "limits": "asks the model to drop its limits",
}


DESTINATION = re.compile(
    r"https?://(?!localhost\b|127\.|0\.0\.0\.0|\[::1)|\b(?!127\.|0\.0\.0\.0)\d{1,3}(?:\.\d{1,3}){3}\b|[\w.+-]+@[\w-]+\.[a-z]",
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
MAX_SENTENCE_CHARS = 400
STEMS = (
    "the user", "user's", "ask before", "confirmation", "approval", "instruct", "directive", "told", "rule",
    "guidelines", "usuari", "usuár", "utilisat", "benutzer", "nutzer", "anterior", "antes", "consignes", "règles",
    "tout ce", "alles", "regel", "anweisung", "regras", "instruções", "tudo o que", "todo lo que", "reglas",
    "://", "@", "permis", "your ", " tus ", " tes ", " ta ", " ton ", " vos ", " votre ", " suas ", " seus ", " tuas ",
    " teus ", " tue ", " tuoi ", " tua ", " tuo ", " dein",
)  # fmt: skip
"""What each of them holds in languages with Latin letters, in small letters."""
OTHER_LETTERS = re.compile("|".join(SCRIPTS.values()))


class PhrasePatterns(NamedTuple):
    """The slots of a family in one language."""

    name: PhraseFamily
    slots: tuple[re.Pattern[str], ...]
    script: str
    """The language whose letters its sentences have; "" for Latin ones."""


@cache
def _list_families() -> tuple[PhrasePatterns, ...]:
    names: tuple[PhraseFamily, ...] = ("drop", "hide", "exfiltrate", "unasked")
    slots = [
        (name, words, language if language in SCRIPTS else "")
        for language, each in LANGUAGES.items()
        for name, words in zip(names, each, strict=True)
    ]
    slots += [("limits", words, "") for words in LIMITS.values()]
    return tuple(
        PhrasePatterns(name, tuple(re.compile(word, re.IGNORECASE) for word in words), script)
        for name, words, script in slots
    )


@cache
def _compile_verbs() -> re.Pattern[str]:
    """The first slots of all Latin languages in one: most paragraphs hold none of them."""
    return re.compile(
        "|".join(family.slots[0].pattern for family in _list_families() if not family.script), re.IGNORECASE
    )


def find_family_phrases(text: str) -> Iterator[tuple[int, int, PhraseFamily]]:
    """Where a sentence stands all of whose slots fit, and its family."""
    if text.isascii() and not _compile_verbs().search(text):
        return
    start = 0
    for end in [*(m.start() for m in SENTENCE_END.finditer(text)), len(text)]:
        sentence = text[start:end]
        # A question asks for nothing.
        if (
            len(sentence) <= MAX_SENTENCE_CHARS
            and not sentence.rstrip().endswith("?")
            and (family := _find_family(sentence))
        ):
            yield start + len(sentence) - len(sentence.lstrip()), end, family
        start = end


def _find_family(sentence: str) -> PhraseFamily | None:
    scripts = (
        {""}
        if sentence.isascii()
        else {"", *(name for name, letters in SCRIPTS.items() if re.search(letters, sentence))}
    )
    sends = DESTINATION.search(sentence) is not None
    for family in _list_families():
        if family.script not in scripts or (family.name == "exfiltrate" and not sends):
            continue
        first = family.slots[0].search(sentence)
        if (
            first
            and not family.script
            and family.name == "exfiltrate"
            and not DESTINATION.search(sentence, first.end())
        ):
            continue
        if first and all(slot.search(sentence) for slot in family.slots[1:]):
            return None if _is_refused(sentence, family.name, first) else family.name
    return None


def _is_refused(sentence: str, family: PhraseFamily, first: re.Match[str]) -> bool:
    """Whether the sentence forbids it: `never run it without asking`. To hide something is a prohibition itself."""
    return family != "hide" and REFUSED.search(sentence[: first.start()] + " " + sentence[first.end() :]) is not None
