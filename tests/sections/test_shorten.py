"""Shorter ways to say a text on one line are cut where a reader would cut."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overture.model.recipe.cut_to_beginning import first_sentence, shorter_lines


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("Fills in forms. Use it for PDFs.", "Fills in forms."),
        ("No end here", "No end here"),
        ("Version 1.2 is read. Then more.", "Version 1.2 is read."),
        ("PDFを読む。次の文。", "PDFを読む。"),
        ('He said "stop." Then he went.', 'He said "stop."'),
        ("Stop!\u0301 Then go. More.", "Stop!\u0301 Then go."),
        ("", ""),
    ],
)
def test_the_first_sentence_is_found(text: str, first: str) -> None:
    """A sentence ends at its mark and a blank, or at the mark of another script."""
    assert first_sentence(text) == first


def test_a_long_first_sentence_ends_with_a_word() -> None:
    """A sentence without an end is cut between words, and says so with `…`."""
    short = first_sentence("word " * 100)
    assert short.endswith("word…")
    assert len(short) <= 121


@given(
    st.lists(
        st.sampled_from(("A sentence of words.", "日本語。", "and", "x" * 60, "e.g.", "!")), min_size=1, max_size=90
    )
)
def test_each_form_is_shorter_than_the_one_before(words: list[str]) -> None:
    """A long description is halved a few times before only its first sentence is left, and says where it was cut."""
    text = " ".join(words)
    forms = shorter_lines(text)
    assert forms[-1] == first_sentence(text)
    assert all(form.endswith(" …") and text.startswith(form[:-2]) for form in forms[:-1])
    lengths = [len(text), *map(len, forms[:-1])]
    assert lengths == sorted(set(lengths), reverse=True)
    assert len(forms) <= 4
