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


def test_code_is_no_structure() -> None:
    """Headings and tags in a code block do not cut; a fence that is never closed hides nothing."""
    text = "# A\n```sh\n# not a heading\n<env>\n</env>\n```\n# B\n"
    assert [name for name, _ in named(text)] == ["A", "B"]
    assert [name for name, _ in named("```\n# A\nx\n# B\n")] == ["text without a heading", "A", "B"]
    assert [name for name, _ in named("#!/bin/sh\n#tag\n# Real\n")] == ["text without a heading", "Real"]


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
