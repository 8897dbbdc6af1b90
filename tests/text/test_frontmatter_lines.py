"""Where frontmatter ends is said in one place, and so is what is true in it."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from overture.check.facts.instructions import find_instructions
from overture.check.facts.markdown_lines import read_markdown_lines
from overture.check.rule import CheckedFile
from overture.check.rules.contradictions import find_claims
from overture.discover.formats.lenient_frontmatter import parse_by_line
from overture.discover.skills.skill_listing import is_hidden_by
from overture.text.frontmatter import (
    Frontmatter,
    _parse_field,
    _read_plain_lines,
    find_frontmatter,
    is_true,
    parse_frontmatter,
)


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


WORDS = (
    "a",
    "Use it",
    "true",
    "false",
    "True",
    "no",
    "Null",
    "x: y",
    "a:b",
    "a#b",
    "a #b",
    "it's",
    'say "hi"',
    "é — ü",
)
VALUES = st.one_of(
    st.sampled_from(WORDS),
    st.sampled_from(WORDS).map(lambda word: f'"{word}"'),
    st.sampled_from(WORDS).map(lambda word: f"'{word}'"),
    st.text("aN:#'\"\\ -,[]{}&*!|>%@`?~=<.0\t\u2028\u00a0\ufeffé", max_size=8),
)
LINES = st.tuples(
    st.sampled_from(("name", "on", "a-b", "x_1", "é", "- a", "")), st.sampled_from((": ", ":", " : ")), VALUES
)


@given(st.lists(LINES.map("".join), max_size=4))
def test_plain_lines_are_read_as_yaml_reads_them(lines: list[str]) -> None:
    """Where lines are read without YAML, YAML says the same of them: names, values, kinds and lines."""
    source = "\n".join(lines)
    plain = _read_plain_lines(source)
    if plain is not None:
        root = yaml.compose(source, Loader=yaml.CSafeLoader)
        rows = source.split("\n")
        assert plain == {key.value: _parse_field(node, rows) for key, node in root.value}


def test_most_frontmatter_is_plain() -> None:
    """What skills begin with needs no YAML; a list, a number, a map, a key twice or a second line does."""
    assert _read_plain_lines("name: press\ndescription: Use it: now\nlicense: MIT") is None
    fields = _read_plain_lines("name: press\ndescription: Use it, if a:b\nshown: false\nx: 'a: b'")
    assert fields is not None
    assert [(each.kind, each.line, each.text) for each in fields.values()] == [
        ("text", 2, "press"),
        ("text", 3, "Use it, if a:b"),
        ("bool", 4, "false"),
        ("text", 5, "a: b"),
    ]
    for source in ("a: [b]", "a: 1", "a:\n  b: c", "a: b\na: c", "a: b\n  c", "a: b # c", "a: no", "a: b\n", ""):
        assert _read_plain_lines(source) is None, source
