"""A system prompt that somebody else built -> its sections."""

from hypothesis import given, settings
from hypothesis import strategies as st

from overture.tap.judge.prompt_sections import split_text_sections
from tests.contract.effort import examples


def named(text: str) -> list[tuple[str, str]]:
    """Each section's name and text."""
    return [(section.name, text[section.start : section.end]) for section in split_text_sections(text)]


def test_headings_nest() -> None:
    """Every heading up to the third level begins a section that knows what it stands in; a fourth does not."""
    text = "You are A.\n\n# Tone\nKind.\n## Words\nFew.\n### Long ones\nNone.\n#### x\ny\n# Tools\nUse them.\n"
    found = split_text_sections(text)
    assert [(each.name, each.level, each.under) for each in found] == [
        ("text without a heading", 0, ""), ("Tone", 1, ""), ("Words", 2, "Tone"), ("Long ones", 3, "Words"),
        ("Tools", 1, ""),
    ]  # fmt: skip
    assert text[found[3].start : found[3].end] == "### Long ones\nNone.\n#### x\ny\n"


def test_tags_are_sections_and_what_follows_goes_on() -> None:
    """A tag ends where it is closed; what stands behind it belongs to the heading around it."""
    text = "# Code\nA\n<env>\ncwd: /p\n<os>x</os>\n</env>\nB\n<a b>\nc\n</a b>\n"
    assert named(text) == [
        ("Code", "# Code\nA\n"),
        ("<env>", "<env>\ncwd: /p\n<os>x</os>\n</env>\n"),
        ("Code (2)", "B\n"),
        ("<a b>", "<a b>\nc\n</a b>\n"),
    ]
    assert named("<env>\nx\n</env>\nbye") == [("<env>", "<env>\nx\n</env>\n"), ("after <env>", "bye")]


def test_headings_in_tags_end_with_them() -> None:
    """A heading within a tag does not reach beyond it."""
    text = "<system-reminder>\n# rules\nbe\n</system-reminder>\n# After\nx"
    assert [(each.name, each.level) for each in split_text_sections(text)] == [
        ("<system-reminder>", 1), ("rules", 2), ("After", 1),
    ]  # fmt: skip


def test_code_is_no_structure() -> None:
    """Headings and tags in a code block do not cut; a fence that is never closed hides nothing."""
    text = "# A\n```sh\n# not a heading\n<env>\n</env>\n```\n# B\n"
    assert [name for name, _ in named(text)] == ["A", "B"]
    assert [name for name, _ in named("```\n# A\nx\n# B\n")] == ["text without a heading", "A", "B"]
    assert [name for name, _ in named("#!/bin/sh\n#tag\n# Real\n")] == ["text without a heading", "Real"]


def test_tags_that_come_often_are_markup() -> None:
    """Entries of a list and examples are no sections of their own, nor are tags that are never closed."""
    text = "<skills>\n" + "<skill>\nx\n</skill>\n" * 3 + "</skills>\n<open>\nno end\n"
    assert [name for name, _ in named(text)] == ["<skills>", "after <skills>"]
    assert [name for name, _ in named("<f p='1'>\na\n</f>\n<f p='2'>\nb\n</f>\n")] == ["<f p='1'>", "<f p='2'>"]


def test_names_are_unique() -> None:
    """Two sections of one name get numbers."""
    assert [name for name, _ in named("# A\nx\n# A\ny\n# A (2)\nz\n")] == ["A", "A (2)", "A (2) (2)"]
    assert named("x-anthropic-billing-header: v=1;") == [
        ("x-anthropic-billing-header", "x-anthropic-billing-header: v=1;")
    ]
    assert named("") == []


PIECES = (
    "# A", "## B", "### C", "# A", "<a>", "</a>", "<b>", "</b>", "<a></a>", "```", "~~~", "x", "", " ", "Words", "===",
    "---", "</a></b>", "<c d='e'>", "</c> more", "- <a>", "#", "\u2028# D", "a\r# b",
)  # fmt: skip
LINES = st.lists(st.sampled_from(PIECES), max_size=14)


@settings(max_examples=examples(150))
@given(LINES, st.sampled_from(["\n", "\r\n"]))
def test_sections_part_the_text(lines: list[str], end: str) -> None:
    """Every character is in one section, in order; no section is empty; no two have a name."""
    text = end.join(lines)
    found = split_text_sections(text)
    assert "".join(text[each.start : each.end] for each in found) == text
    assert [each.start for each in found] == [0, *(each.end for each in found)][: len(found)]
    assert all(each.start < each.end for each in found)
    assert len({each.name for each in found}) == len(found)


def test_long_texts_take_time_in_proportion() -> None:
    """A text of nothing but tags that open, or close, is read once."""
    for text in ("<a>\n" * 20_000, "</a>\n" * 20_000, "# a\n" * 5_000, "<a>\n" * 3_000 + "</a>\n" * 3_000):
        assert "".join(text[each.start : each.end] for each in split_text_sections(text)) == text
