"""A body is kept as parts from which it can be had again, byte for byte; what is a secret in it is not."""

import json

import pytest

from overture.tap.wire.cut_body import cut_body, join_body
from tests.tap.wire.written_json import TOKEN


def kept(text: str) -> str:
    """A body as it comes back."""
    return join_body(cut_body(text))


VALUE = "q7Rk2ZpW9xT4bN6mVc8L"


@pytest.mark.parametrize(
    "text",
    [
        json.dumps({"input": {"api_key": VALUE}}),
        json.dumps({"input": {"api_key": VALUE + "4f" * 40}}),
        json.dumps({"password": VALUE + "\n" + "x " * 50}, indent=1),
        f"not JSON: api_key={VALUE}\n",
        f'{{"broken off": "the api_key = {VALUE}',
        json.dumps(["-----BEGIN PRIVATE KEY-----", VALUE * 4, "-----END PRIVATE KEY-----"]),
        json.dumps({"a": f"x-api-key: {TOKEN}".replace("g", "\u0067")}).replace("ghp", "gh\\u0070"),
    ],
)
def test_a_secret_by_its_name_or_its_place_is_hidden(text: str) -> None:
    """The name before a value counts, as it does in pieces; and JSON stays JSON."""
    found = kept(text)
    assert VALUE not in found
    assert TOKEN not in found
    assert "[secret: " in found
    try:
        json.loads(text)
    except ValueError:
        return
    assert type(json.loads(found)) is type(json.loads(text))
