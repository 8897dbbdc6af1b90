"""Halves of surrogate pairs are found and replaced in one place."""

import pytest

from overture.tap.wire.hide_secrets import clean
from overture.text.normalize import find_surrogates, replace_surrogates


@pytest.mark.parametrize("replace", [replace_surrogates, clean], ids=["text", "tap"])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain", "plain"),
        ("naïve 😀", "naïve 😀"),
        ("a\ud83d\ude00b", "a😀b"),
        ("a\ud83db", "a�b"),
        ("\ude00\ud83d", "��"),
        ("\udcff", "�"),
        ("end\ud83d", "end�"),
    ],
)
def test_a_half_is_replaced_and_a_pair_is_joined(replace: object, text: str, expected: str) -> None:
    """Two halves that belong together are one character, wherever a text is made fit to be stored or sent."""
    assert callable(replace)
    assert replace(text) == expected


def test_each_place_is_named_in_order() -> None:
    """Values and keys, with their paths; without recursion, however deep."""
    value = {"a": [{"b": "x\ud800"}, "fine"], "\udc00": 1}
    found = [(place.path, place.at, place.code, place.is_key) for place in find_surrogates(value)]
    assert found == [("", 0, "DC00", True), ("a[0].b", 1, "D800", False)]
    deep: object = "\ud800"
    for _ in range(3_000):
        deep = [deep]
    assert next(find_surrogates(deep)).path == "[0]" * 3_000
