"""The page's words: every form in every language, none that nobody says, and each translation with its slots."""

import json
import re
import zlib
from base64 import b64decode
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from overture.serve.page.packed_words import packed_words

from .said_by_python import can_be_said

STATIC = Path(str(files("overture.serve") / "static"))
LANGUAGES = ("ar", "de", "es", "fr", "ja", "ko", "pt-BR", "ru", "zh-CN")
CALLS = re.compile(r"(?<![.\w])(?:say|tell)\(")
SAID = re.compile(r'(?<![.\w])(?:say|tell)\("((?:[^"\\]|\\.)*)"')
SLOT = re.compile(r"\{(\w+)\}")
PLURALS = {"ru": {"one", "few", "many", "other"}, "ar": {"one", "two", "few", "other"}}
LARGEST = 180_000
"""Characters that all languages may add to a page that is one file."""


def catalogue(language: str) -> dict[str, dict[str, Any]]:
    """The words of a language, by room."""
    found: dict[str, dict[str, Any]] = json.loads((STATIC / "languages" / f"{language}.json").read_text("utf-8"))
    return found


def scripts() -> dict[str, str]:
    """The page's own scripts, without the one that defines how words are looked up."""
    own = (path for path in STATIC.rglob("*.js") if "vendor" not in path.parts and path.name != "said.js")
    return {path.name: path.read_text("utf-8") for path in own}


def test_the_languages_are_those_that_the_page_offers() -> None:
    """A file for each of them but English, whose words are in the scripts."""
    offered = re.search(r"export const LANGUAGES = \{(.*?)\};", (STATIC / "language.js").read_text("utf-8"), re.DOTALL)
    assert offered is not None
    names = re.findall(r'"?([\w-]+)"?: "', offered[1])
    assert sorted(names) == sorted(("en", *LANGUAGES))
    assert sorted(path.stem for path in (STATIC / "languages").iterdir()) == sorted(LANGUAGES)


def test_what_scripts_say_is_written_where_it_is_said() -> None:
    """Each `say(` and `tell(` begins with its English form: what is put together nobody could translate."""
    for name, text in scripts().items():
        assert len(CALLS.findall(text)) == len(SAID.findall(text)), name


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_word_of_the_page_is_translated(language: str) -> None:
    """The forms that scripts say, and no others."""
    said = {json.loads(f'"{form}"') for text in scripts().values() for form in SAID.findall(text)}
    assert set(catalogue(language)["page"]) == said


def test_what_the_server_is_said_to_say_it_says() -> None:
    """A sentence that was changed in Python leaves a form behind that nobody says any more."""
    assert [form for form in catalogue("de")["server"] if not can_be_said(form)] == []
    assert not can_be_said("it came more than {n} fortnights after the call before it")


@pytest.mark.parametrize("language", LANGUAGES)
def test_all_languages_have_the_same_forms_in_order(language: str) -> None:
    """Sorted, and nothing in one that is missing in another."""
    words = catalogue(language)
    assert list(words) == ["page", "server"]
    for room, known in catalogue("de").items():
        assert list(words[room]) == sorted(known)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translation_fills_the_slots_of_its_form(language: str) -> None:
    """The same slots; where a form is for one or two of something, the number may be a word."""
    for form, words in [each for room in catalogue(language).values() for each in room.items()]:
        wanted = set(SLOT.findall(form))
        for plural, text in words.items() if isinstance(words, dict) else [("other", words)]:
            assert text.strip() or not form.strip(), form
            given = set(SLOT.findall(text)) | ({"n"} if plural in ("one", "two") and "n" in wanted else set())
            assert given == wanted, (form, text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_plural_forms_are_those_of_the_language(language: str) -> None:
    """`other` is always there: it stands for every kind of number that has none of its own."""
    for form, words in [each for room in catalogue(language).values() for each in room.items()]:
        if isinstance(words, dict):
            assert set(words) == PLURALS.get(language, {"one", "other"}), form


def test_a_page_that_is_a_file_holds_all_languages() -> None:
    """Packed, and unpacked the same words."""
    packed = json.loads(packed_words())
    assert len(packed_words()) < LARGEST
    told = {tag: json.loads(zlib.decompress(b64decode(text))) for tag, text in packed.items()}
    forms = told.pop("forms")
    assert sorted(told) == sorted(LANGUAGES)
    for tag, words in told.items():
        assert {room: dict(zip(forms[room], words[room], strict=True)) for room in forms} == catalogue(tag)
