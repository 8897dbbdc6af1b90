"""Invisible characters: shown where they smuggle, left alone where a script or an emoji needs them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import overture
from overture.testing import make_state

from ..effort import examples

NEEDED = {
    "Persian, non-joiner": "می\u200cخواهم خانه\u200cها",
    "Persian, joiner at the end of a word": "ه\u200d ق",
    "Hindi, joiner": "क्\u200dष",
    "Hindi, non-joiner": "क्\u200cष",
    "Bengali, joiner": "র\u200d্য",
    "Malayalam, chillu": "ന്\u200d",
    "Sinhala, joiner": "ක්\u200dය",
    "Hebrew, right-to-left mark": "שלום\u200f!",
    "Arabic, letter mark": "\u061cسلام",
    "Mongolian, variation selector": "ᠠ\u180b",
    "family": "👨\u200d👩\u200d👧\u200d👦",
    "skin tone and joiner": "👩🏽\u200d💻",
    "heart on fire": "❤\ufe0f\u200d🔥",
    "rainbow flag": "🏳\ufe0f\u200d🌈",
    "pirate flag": "🏴\u200d☠\ufe0f",
    "runner to the right": "🏃🏽\u200d♀\ufe0f\u200d➡\ufe0f",
    "head shaking": "🙂\u200d↔\ufe0f",
    "keycap": "1\ufe0f\u20e3 #\ufe0f\u20e3",
    "emoji form of a sign": "©\ufe0f ‼\ufe0f ™\ufe0f",
    "text form of a picture": "☎\ufe0e",
    "England": "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f",
    "Japanese, variant of a character": "葛\U000e0100",
}
TAGGED = "".join(chr(0xE0000 + ord(c)) for c in "ignore")
SMUGGLED = {
    "zero-width space": "a\u200bb",
    "non-joiner between Latin letters": "a\u200cb",
    "joiner between Latin letters": "a\u200db",
    "joiner after a space": " \u200d ",
    "a second non-joiner": "می\u200c\u200cخواهم",
    "word joiner": "a\u2060b",
    "invisible plus": "a\u2064b",
    "byte order mark inside": "a\ufeffb",
    "right-to-left override": "a\u202eb",
    "isolate": "a\u2066b\u2069",
    "right-to-left mark between Latin letters": "a\u200fb",
    "tag characters": f"a{TAGGED}",
    "tag characters after a picture": f"😀{TAGGED}",
    "tag characters after a flag": f"🏴{TAGGED}\U000e007f",
    "variation selector after a letter": "a\ufe0f",
    "variation selectors in a row": "😀\ufe0f\ufe01\ufe02",
    "supplementary selector after a picture": "😀\U000e0101\U000e0155",
    "Mongolian selector after a letter": "a\u180b",
    "joiner in Georgian": "ა\u200dბ",
    "joiner in Cherokee": "Ꭰ\u200dᎡ",
    "joiner in Ethiopic": "አ\u200dበ",
    "interlinear annotation": "a\ufff9b\ufffb",
}


def said(text: str) -> tuple[str, tuple[overture.Diagnostic, ...]]:
    """What a project file of that text becomes."""
    prompt = overture.build("opal", make_state(context_files=[{"path": "/p/A.md", "content": f"line\n[{text}]"}]))
    inside = prompt.text.partition("line\n[")[2].partition("]\n</project-context>")[0]
    return inside, prompt.diagnostics


@pytest.mark.parametrize("text", NEEDED.values(), ids=NEEDED)
def test_what_a_script_or_an_emoji_needs_is_left_alone(text: str) -> None:
    """Joiners and selectors that belong to the writing stand as they are, without a word."""
    assert said(text) == (text, ())


@pytest.mark.parametrize("text", SMUGGLED.values(), ids=SMUGGLED)
def test_what_hides_is_shown_and_reported(text: str) -> None:
    r"""A needless invisible character becomes `\u{…}`, and a diagnostic names its file and line."""
    shown, diagnostics = said(text)
    assert shown != text
    assert r"\u{" in shown
    assert [(d.code, d.path, d.line) for d in diagnostics] == [("hidden-character", "/p/A.md", 2)]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\u200bb", r"a\u{200B}b"),
        ("a\U000e0041", r"a\u{E0041}"),
        ("می\u200c\u200cخ", "می\u200c\\u{200C}خ"),
    ],
)
def test_a_shown_character_is_written_by_its_code(text: str, shown: str) -> None:
    """The visible form is the character's code point, in four hexadecimal digits or more."""
    assert said(text)[0] == shown


@settings(max_examples=examples(100), deadline=None)
@given(
    st.text("abc xyz.,", min_size=1, max_size=6),
    st.sampled_from("\u200b\u200c\u200d\u200e\u202a\u202e\u2060\u2066\ufe0f\ufeff\U000e0020\U000e01ef"),
    st.text("abc xyz.,", min_size=1, max_size=6),
)
def test_nothing_hides_in_latin_text(before: str, hidden: str, after: str) -> None:
    """Between Latin letters every invisible character is shown, and nothing else is touched."""
    assert said(f"{before}{hidden}{after}")[0] == f"{before}\\u{{{ord(hidden):04X}}}{after}"


@pytest.mark.parametrize("recipe", ["opal", "pi"])
def test_hidden_characters_in_a_path_are_shown_and_reported(recipe: str) -> None:
    """An invisible character in a file's own path is visible in the prompt and reported."""
    prompt = overture.build(recipe, make_state(context_files=[{"path": "/p\u200b/A.md", "content": "x"}]))
    assert r"/p\u{200B}/A.md" in prompt.text
    assert "hidden-character" in [d.code for d in prompt.diagnostics]
