"""What errors say: the nearest name, some of many, as much of a value as a person reads."""

import json

import pytest

from overture.errors import RecipeError, explain_unknown, list_some, show_value, suggest


def test_the_nearest_name_is_found_among_many() -> None:
    """Among a hundred thousand names the one that differs in a letter is found."""
    names = [*(f"skill-{i:06}" for i in range(100_000)), "release-notes"]
    assert suggest("relase-notes", names) == " Did you mean 'release-notes'?"
    assert suggest("oppal", ["opal", "pi"]) == " Did you mean 'opal'?"


def test_nobody_mistypes_a_long_name() -> None:
    """A name of thousands of characters is near to none, and is not compared."""
    assert suggest("ab" * 5_000, ["ab" * 5_000 + "c", "ab"]) == ""


def test_of_very_many_some_are_listed() -> None:
    """A message lists fifty names, and says how many more there are."""
    assert list_some(["a", "b"]) == "a, b"
    assert list_some(map(str, range(52))).endswith("48, 49 and 2 more")
    assert explain_unknown("Skill", "x" * 5_000, map(str, range(1_000))).count(",") == 49
    assert len(explain_unknown("Skill", "x" * 5_000, [])) < 300


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("a\tb", r"'a\tb'"), ("\x1b[31m", r"'\x1b[31m'"), ("e\u202ex", r"'e\u202ex'"), ("\udcff", "'\ufffd'"),
        ("a\\b", r"'a\\b'"), ("x" * 300, f"'{'x' * 199}…"),
        (f"ghp_{'a1B2c3D4e5' * 3}f6G7h8", "'[secret: GitHub token]'"),
    ],
)  # fmt: skip
def test_an_unknown_name_is_escaped_once(name: str, shown: str) -> None:
    """The text and the message of the error show it as Python writes it, shortened with a mark, and no key."""
    error = RecipeError(explain_unknown("Recipe", name, ["opal"]))
    assert str(error) == f"Recipe {shown} is not known. Known: opal."
    assert error.message == f"No recipe named {shown}"


def test_a_value_is_shown_as_far_as_it_can_be() -> None:
    """A long value is cut with a mark; a number or nest that Python can't write is named."""
    assert show_value("a") == "'a'"
    assert show_value("a" * 100, 10) == "'aaaaaaaaa…"
    assert show_value(10**5_000) == "a very long int"
    assert show_value(json.loads("[" * 900 + "]" * 900), 5) == "[[[[[…"


def test_of_no_known_name_none_is_listed() -> None:
    """Without any known name, the message says so."""
    assert str(explain_unknown("Tool", "shel", [])) == "Tool 'shel' is not known. Known: none."
