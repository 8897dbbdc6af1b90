"""Types of values, and values against types."""

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overture.sections.signature import parse, parse_type, render, validate
from overture.sections.signature_schemas import infer

values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=6)
    | st.datetimes()
    | st.binary(max_size=2),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(max_size=4), inner, max_size=4)
        | st.dictionaries(st.integers(), inner, max_size=2)
        | st.tuples(inner, inner)
    ),
    max_leaves=20,
)


@given(values)
def test_inferred_type_accepts_its_value(value: Any) -> None:
    """A value always has the type that is inferred from it, and that type can be written and read."""
    type = infer(value)
    assert validate(value, type) == ()
    assert parse(render(type)) == type


@pytest.mark.parametrize(
    ("value", "type"),
    [
        (1, ":int"),
        (1.5, ":float"),
        (float("nan"), ":float"),
        (True, ":bool"),
        ("x", ":string"),
        (datetime(2026, 1, 1, tzinfo=UTC), ":datetime"),
        (None, ":any"),
        (b"x", ":any"),
        ([], "[:any]"),
        ([1, None], "[:int?]"),
        ([1, 2.5], "[:float]"),
        ([1, True], "[:any]"),
        ([1, "x"], "[:any]"),
        ([[], [1]], "[[:int]]"),
        ([None, {}], "[:map?]"),
        ({}, ":map"),
        ({1: "x"}, ":map"),
        ({"user name": 1}, '{"user name" :int}'),
        ([{"id": 1}, {"id": 2, "name": "x"}], "[{id :int, name :string?}]"),
        ({str(n): n for n in range(21)}, ":map"),
    ],
)
def test_type_of_a_value(value: Any, type: str) -> None:
    """The narrowest type that the language has, over all items of a list."""
    assert render(infer(value)) == type


@pytest.mark.parametrize(
    ("value", "type", "faults"),
    [
        (1, ":int", []),
        (1, ":float", []),
        (True, ":int", ["expected :int, got true"]),
        (1.0, ":int", ["expected :int, got 1.0"]),
        (None, ":int", ["expected :int, got nil"]),
        (None, ":int?", []),
        (None, ":any", []),
        (":ok", ":keyword", []),
        ("two words", ":keyword", ['expected :keyword, got "two words"']),
        ("2026-03-07T08:55:05Z", ":datetime", []),
        ("2026-03-07T08:55:05", ":datetime", ['expected :datetime, got "2026-03-07T08:55:05"']),
        ({"a": 1}, ":map", []),
        ([1], ":map", ["expected :map, got [1]"]),
        ({"a": 1}, "[:int]", ["expected [:int], got {a: 1}"]),
        ({"a": 1, "b": 2}, "{a :int}", []),
        ({}, "{a :int, b :int?}", ["a: expected :int, got nothing"]),
        (
            {"emails": [{"id": 1}, {"id": 2}, {"id": "x"}]},
            "{emails [{id :int}]}",
            ['emails[2].id: expected :int, got "x"'],
        ),
        ([["x"], [1, None]], "[[:int]]", ['[0][0]: expected :int, got "x"', "[1][1]: expected :int, got nil"]),
        ({"a b": {"c": "x"}}, '{"a b" {c :int}}', ['"a b".c: expected :int, got "x"']),
        ({"_token": "secret"}, "{_token :int}", ["_token: expected :int, got [Hidden]"]),
        ({"_a": {"b": ["secret"]}}, "{_a {b [:int]}}", ["_a.b[0]: expected :int, got [Hidden]"]),
    ],
)
def test_faults_have_their_path(value: Any, type: str, faults: list[str]) -> None:
    """All that does not fit is told with its path; hidden values are not told."""
    assert [str(fault) for fault in validate(value, parse_type(type))] == faults
