"""A text of known paragraphs is not scanned again, and is neutralised like one that is."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overture.assemble.sanitize.forbidden_frames import make_guard
from overture.assemble.sanitize.neutralise_text import contain
from overture.text.scan_for_marks import PLAIN, Marks, look_at_paragraph, scan, scan_by_paragraph
from tests.contract.effort import examples

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


FILLER = "\n\n".join(f"Words of paragraph {number}, which every text here has." for number in range(16))
"""Shorter texts are scanned as lines are."""
GUARDS = (
    make_guard(frozenset()),
    make_guard(frozenset(("available_skills", "skill", "name"))),
    make_guard(frozenset(("open",)), frozenset(("# Title", "## x", "# T", "## {}"))),
)


def assert_same_marks(text: str) -> Marks:
    """Assert that the text has the marks of a scan, or only lacks positions that no guard misses."""
    scan_by_paragraph.cache_clear()
    marks, whole = scan_by_paragraph(text), scan(text)
    if marks.listed:
        assert marks == whole
    else:
        assert not (whole.tokens or whole.hidden or whole.controls or whole.tail or whole.secrets)
        assert (marks.names, marks.fenced, marks.fence) == (whole.names, whole.fenced, whole.fence)
    for guard in GUARDS:
        assert contain(text, marks, guard) == contain(text, whole, guard)
    return marks


@settings(max_examples=examples(3000))
@given(paragraphs)
def test_it_is_the_scan_of_the_whole(given_paragraphs: list[str]) -> None:
    """Whatever stands on either side of a blank line, and whether or not it was seen before."""
    for text in ("\n\n".join(given_paragraphs), "\n\n".join([FILLER, *given_paragraphs])):
        assert_same_marks(text)
        assert_same_marks(text)


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
        assert_same_marks(text)
        assert_same_marks(f"{FILLER}\n\n{text}")
    assert scan_by_paragraph(FILLER) is PLAIN


def test_known_paragraphs_are_not_scanned_again() -> None:
    """Of an edited text, the paragraph that was edited is scanned, and no other."""
    known = "\n\n".join(f"Paragraph {number} of a `<file>` that is edited often." for number in range(20))
    for end in ("", "\n\n"):
        scan_by_paragraph(known + end)
    before = look_at_paragraph.cache_info().misses
    assert not scan_by_paragraph(f"{known}\n\nAnd one more.").listed
    assert look_at_paragraph.cache_info().misses == before + 1
