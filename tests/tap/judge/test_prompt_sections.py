"""A system prompt that somebody else built -> its sections."""

from hypothesis import given, settings
from hypothesis import strategies as st

from overture.tap.judge.prompt_sections import split_text_sections
from tests.contract.effort import examples


def named(text: str) -> list[tuple[str, str]]:
    """Each section's name and text."""
    return [(section.name, text[section.start : section.end]) for section in split_text_sections(text)]


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
