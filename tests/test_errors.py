"""What errors say: the nearest name, some of many, as much of a value as a person reads."""

import json

from overture.errors import show_value, suggest


def test_the_nearest_name_is_found_among_many() -> None:
    """Among a hundred thousand names the one that differs in a letter is found."""
    names = [*(f"skill-{i:06}" for i in range(100_000)), "release-notes"]
    assert suggest("relase-notes", names) == " Did you mean 'release-notes'?"
    assert suggest("oppal", ["opal", "pi"]) == " Did you mean 'opal'?"


def test_a_value_is_shown_as_far_as_it_can_be() -> None:
    """A long value is cut with a mark; a number or nest that Python can't write is named."""
    assert show_value("a") == "'a'"
    assert show_value("a" * 100, 10) == "'aaaaaaaaa…"
    assert show_value(10**5_000) == "a very long int"
    assert show_value(json.loads("[" * 900 + "]" * 900), 5) == "[[[[[…"
