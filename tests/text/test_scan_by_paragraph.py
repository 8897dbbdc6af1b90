"""A text is scanned paragraph by paragraph where that was done before, and the result is that of the whole."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overture.text.scan_for_marks import PLAIN, scan, scan_by_paragraph, scan_paragraph

from ..effort import examples
from .test_scan_many import HIDDEN_KEY, KEY, PIECES

MORE = [
    "machine example.org", "login ada", "password hunter2hunter2", "keys: [", "'s3cretPass99x',", "]", "<open",
    "<skill\n", "name>", "Title\n---", "---", "===", "# T\n===", "a@b", "see https://x.org",
    "-----BEGIN PRIVATE KEY-----",
    f"{KEY}\n-----END PRIVATE KEY-----", "```sh\nls", "```", "run --now", "a `b` c", "#", "", "\n", "x" * 90,
]  # fmt: skip
paragraphs = st.lists(
    st.lists(st.sampled_from([*PIECES, *MORE]), min_size=1, max_size=3).map("\n".join), min_size=1, max_size=6
)


@settings(max_examples=examples(3000))
@given(paragraphs)
def test_it_is_the_scan_of_the_whole(given_paragraphs: list[str]) -> None:
    """Whatever stands on either side of a blank line, and whether or not it was seen before."""
    text = "\n\n".join(given_paragraphs)
    assert scan_by_paragraph(text) == scan(text)
    assert scan_by_paragraph(text) == scan(text)


@pytest.mark.parametrize(
    "text",
    [
        "machine example.org\n\nlogin ada\n\npassword hunter2hunter2",
        "-----BEGIN PRIVATE KEY-----\n\n" + KEY * 3 + "\n\n-----END PRIVATE KEY-----",
        f"{HIDDEN_KEY[:40]}\n\n{HIDDEN_KEY[40:]}",
        "postgres://u:pw12345678\n\n@db/x",
        "words <available_skills\n\n>",
        "words <\n\navailable_skills>",
        "words\n\n---\n\nwords\n---",
        "plain\n\nwords",
    ],
)
def test_what_a_blank_line_parts_is_found(text: str) -> None:
    """A secret or a tag that goes on over a blank line is found when both paragraphs are known."""
    for _ in range(3):
        assert scan_by_paragraph(text) == scan(text)
    assert (scan("plain\n\nwords") is PLAIN) and scan_by_paragraph("plain\n\nwords") is PLAIN


def test_known_paragraphs_are_not_scanned_again() -> None:
    """Of an edited text, the paragraph that was edited is scanned, and no other."""
    known = "\n\n".join(f"Paragraph {number} of a file that is edited often." for number in range(8))
    for _ in range(2):
        scan_by_paragraph(known)
    before = scan_paragraph.cache_info().misses
    scan_by_paragraph(f"{known}\n\nAnd one more.")
    assert scan_paragraph.cache_info().misses == before + 1
