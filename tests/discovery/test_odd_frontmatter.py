"""Frontmatter that is not as it should be: what spoils it, what mends it, and what can be read line by line."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overture.text.broken_frontmatter import (
    list_spoilers,
    parse_by_line,
    parse_list_items,
    parse_with_quotes,
)
from overture.text.frontmatter import Frontmatter, FrontmatterProblem, parse_frontmatter, scalar_text
from tests.contract.effort import examples


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("---\na: b\n---\n", ()),
        ("words\n", ()),
        ("\ufeff---\na: b\n---\n", ("bom",)),
        ("\n \n---\na: b\n---\n", ("blank-lines",)),
        ("---\na: b\n", ("unended",)),
        ("---  \na: b\n---\t\n", ("blanks-after-first", "blanks-after-last")),
        ("---\r\na: b\r\n---\r\n", ()),
    ],
)
def test_what_spoils_frontmatter_is_named(text: str, expected: tuple[str, ...]) -> None:
    """Each thing around it that keeps some agents from knowing it."""
    assert list_spoilers(text) == expected


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("a: Use when: asked", "Use when: asked"),
        ("a: **/*.py", "**/*.py"),
        ("a: [unclosed", "[unclosed"),
        ('a: "unclosed', '"unclosed'),
        ("a: it's: fine", "it's: fine"),
    ],
)
def test_quotes_mend_a_value(line: str, value: str) -> None:
    """What YAML takes for something else is read as it stands, and the body begins where it did."""
    text = f"---\n{line}\nb: c\n---\nBody.\n"
    assert isinstance(parse_frontmatter(text), FrontmatterProblem)
    mended = parse_with_quotes(text)
    assert isinstance(mended, Frontmatter)
    assert (scalar_text(mended.fields["a"]), scalar_text(mended.fields["b"])) == (value, "c")
    assert text[mended.body :] == "Body.\n"


def test_lines_count_where_nothing_mends_them() -> None:
    """Each line that looks like a key does, and below one without a value the items of its list may."""
    text = "---\na:\n  - **/*.py\n  - 'x'\nb: c\n---\nBody.\n"
    assert isinstance(parse_with_quotes(text), FrontmatterProblem)
    forgiven, listed = parse_by_line(text), parse_list_items(text)
    assert isinstance(forgiven, Frontmatter)
    assert isinstance(listed, Frontmatter)
    assert (forgiven.fields["a"].kind, scalar_text(forgiven.fields["b"])) == ("null", "c")
    assert listed.fields["a"].items == ("**/*.py", "x")
    assert text[forgiven.body :] == "Body.\n"


@settings(max_examples=examples(100))
@given(st.text("-\n :[]*'\"ab\ufeff", max_size=60))
def test_whatever_stands_there_is_read_or_refused(text: str) -> None:
    """No text raises, and a body begins within its text."""
    list_spoilers(text)
    for read in (parse_with_quotes, parse_by_line, parse_list_items):
        found = read(text)
        assert isinstance(found, FrontmatterProblem) or 0 <= found.body <= len(text)
