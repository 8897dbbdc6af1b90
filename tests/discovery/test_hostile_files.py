"""Files that mean harm: what they cost is bounded, and what is wrong with them is one line."""

import tracemalloc
from collections.abc import Callable

import pytest

import overture
from overture import OvertureError
from overture.discovery.parse_json_and_toml import find_toml_line, parse_json_with_comments, parse_toml
from overture.discovery.reader import MAX_TEXT_BYTES
from overture.testing import FakeWorld
from overture.text.frontmatter import Frontmatter, FrontmatterProblem, parse_frontmatter

MEGABYTE = 1024 * 1024


def peak(act: Callable[[], object]) -> int:
    """The most bytes that are held at once."""
    tracemalloc.start()
    try:
        act()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.slow(unless=("? a\\n: b\\n",))
@pytest.mark.parametrize("line", ["a: [1, 2, 3]\n", "- - - x\n", "? a\n: b\n", "a: {b: {c: d}}\n"])
def test_ten_megabytes_of_frontmatter_are_not_read(line: str) -> None:
    """Frontmatter of ten megabytes is refused with its size, before YAML makes anything of it."""
    text = f"---\n{line * (10 * MEGABYTE // len(line))}---\nBody."
    found = parse_frontmatter(text)
    assert isinstance(found, FrontmatterProblem)
    assert "characters, over the limit of 65,536: move long text below it" in found.message
    assert peak(lambda: parse_frontmatter(text)) < 25 * MEGABYTE


def test_an_alias_costs_nothing() -> None:
    """A list that stands under a thousand aliases is made once."""
    aliases = "".join(f"k{i}: *x\n" for i in range(2_000))
    text = f"---\na: &x [{'1, ' * 10_000}1]\n{aliases}---\n"
    found = parse_frontmatter(text)
    assert isinstance(found, Frontmatter)
    assert found.fields["k1999"] is found.fields["a"]
    assert len(found.fields["a"].items) == 10_001


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("priority = " + "1" * 5_000, "it contains a number that is too long: 1111"),
        ("priority = -" + "1" * 5_000, "it contains a number that is too long: -111"),
        ("priority = 0x" + "f" * 5_000, "it contains a number that is too long: 0xff"),
        ("priority = 1." + "1" * 5_000, "it contains a number that is too long: 1111"),
        ("a." * 600 + "b = 1", "a key has more than 100 parts"),
        ("'a' . " * 600 + "b = 1", "a key has more than 100 parts"),
        ("x = {" + "a." * 600 + "b = 1}", "a key has more than 100 parts"),
        ("x = " + "[" * 5_000, "it is nested too deeply; flatten it"),
        ("x =", "invalid TOML: "),
        ('x = "' + '\\"' * 100_000, "invalid TOML: "),
        ("x = '\udcff'", "invalid TOML: not UTF-8"),
    ],
)
def test_toml_that_means_harm(text: str, said: str) -> None:
    """A number of thousands of digits, a key of hundreds of steps and a deep nest are refused, each in a few words."""
    with pytest.raises(ValueError, match=r".") as caught:
        parse_toml(text.encode("utf-8", "surrogateescape"))
    assert str(caught.value).startswith(said)


def test_the_line_of_a_key_is_found_among_a_million_blanks() -> None:
    """A line that begins like a table takes no more time than another."""
    assert find_toml_line(f"x = '''\n[{' ' * 1_000_000}'''\na.b = 1", "a.b") == 3


def test_json_with_a_string_that_never_ends() -> None:
    """A hundred thousand escaped quotes are looked at once each."""
    with pytest.raises(ValueError, match="invalid JSON: unterminated string"):
        parse_json_with_comments('{"a": "' + '\\"' * 100_000)


def test_a_recipe_has_a_thousand_sections_at_the_most() -> None:
    """More would be nobody's recipe; how many there are is said."""
    rows = "".join(f"[[sections]]\nname = 's{i}'\ntext = 'x'\n" for i in range(1_001))
    with pytest.raises(OvertureError, match="has 1,001 sections, over the limit of 1,000"):
        overture.load_recipe("own.toml", cwd="/p", world=FakeWorld({"/p/own.toml": rows}))


@pytest.mark.parametrize("name", ["memories.json", "agent.json"])
@pytest.mark.parametrize(
    "text", ['"\\ud800"', '["\\ud800"]', '{"name": "\\ud800"}', "[[1], {}, 1e999, 1, NaN]", "1" * 9_999]
)
def test_json_that_means_harm(name: str, text: str) -> None:
    """Half a surrogate pair, wrong kinds and long numbers are diagnostics, wherever they stand."""
    found = overture.discover("nova", cwd="/p", world=FakeWorld({f"/p/{name}": text}))
    assert [note.path for note in found.diagnostics] == [f"/p/{name}"] * len(found.diagnostics)
    assert found.diagnostics
    assert found.state.memories == ()


def test_json_of_a_project_has_its_limit() -> None:
    """A memories.json beyond its limit is skipped, with its size."""
    world = FakeWorld({"/p/memories.json": b" " * (MAX_TEXT_BYTES + 1)})
    found = overture.discover("nova", cwd="/p", world=world)
    assert [note.message for note in found.diagnostics] == [
        f"skipped: it has {MAX_TEXT_BYTES + 1:,} bytes, over the limit of {MAX_TEXT_BYTES:,}"
    ]
