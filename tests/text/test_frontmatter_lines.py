"""Where frontmatter ends is said in one place, and so is what is true in it."""

import pytest

from overture.check.facts.instructions import find_instructions
from overture.check.facts.markdown_lines import read_markdown_lines
from overture.check.rule import CheckedFile
from overture.check.rules.contradictions import find_claims
from overture.discover.formats.odd_frontmatter import parse_by_line
from overture.discover.skills.skill_listing import is_hidden_by
from overture.text.frontmatter import Frontmatter, find_frontmatter, is_true, parse_frontmatter


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("---\na: b\n---\nBe kind.", 3),
        ("---\n---\nBe kind.", 2),
        ("---  \na: b\n--- \nBe kind.", 3),
        ("---\na: b\n...\n---\nBe kind.", 4),
        ("---\na: b\n...\nBe kind.", 0),
        ("---\na: b\n ---\nBe kind.", 0),
        ("----\na: b\n---\nBe kind.", 0),
    ],
)
def test_checks_skip_what_the_reader_takes_for_frontmatter(text: str, lines: int, end: str) -> None:
    """The lines of a check and the body of the reader begin at one place; without an end there is no frontmatter."""
    written = text.replace("\n", end)
    assert sum(1 for line in read_markdown_lines(written) if line.sort == "matter") == lines
    found = find_frontmatter(written)
    assert (found is None) == (lines == 0)
    assert not found or written[found.body :] == "Be kind."
    assert find_instructions(written)[-1].text.endswith("Be kind.")
    parsed = parse_by_line(text)
    assert not isinstance(parsed, Frontmatter) or (parsed.body_line, text[parsed.body :]) == (lines + 1, "Be kind.")


def test_a_rule_for_some_files_is_known_by_all_of_its_frontmatter() -> None:
    """A description of any length may stand above its patterns."""
    text = f"---\ndescription: {'long ' * 1_000}\nglobs: '*.py'\n---\nUse tabs for indentation."
    assert find_claims(CheckedFile("/p/rule.md", text, "rule")) == ()


@pytest.mark.parametrize(("word", "holds"), [("true", True), ("Yes", True), ("on", True), ("y", False), ("1", False)])
def test_true_is_what_yaml_takes_for_true(word: str, holds: bool) -> None:
    """One table for skills, rules and what agents list: `y` is a text there."""
    assert is_true(word) is holds
    parsed = parse_frontmatter(f"---\na: {word}\n---\n")
    assert isinstance(parsed, Frontmatter)
    assert (parsed.fields["a"].kind == "bool") is holds
    assert is_hidden_by({"disable-model-invocation": word}, "disable-model-invocation") is holds
