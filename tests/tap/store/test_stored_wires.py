"""Calls as they were on the wire, in a store: kept whole, once, and removed with their calls."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from overture.tap.recorded_call import CallWire
from overture.tap.store.store import Store
from overture.text.normalize import decode_any_bytes
from tests.tap.wire.written_json import TOKEN, chars, documents

from .made_calls import any_text, few, make_call, make_wire, read_lines

pytestmark = pytest.mark.slow


texts = documents(st.text(chars, max_size=6)) | st.binary(max_size=40).map(decode_any_bytes)
headers = st.lists(st.tuples(any_text, any_text), max_size=3).map(tuple)
wires = st.builds(
    CallWire,
    method=st.sampled_from(["POST", "PUT"]),
    path=any_text,
    scheme=st.sampled_from(["http", "https"]),
    request_headers=headers,
    response_headers=headers,
    over=st.sampled_from(["http", "websocket"]),
    request=st.none() | texts,
)


@given(st.lists(wires, max_size=4))
@few
def test_a_wire_comes_back_and_can_be_exported(store: Store, given: list[CallWire]) -> None:
    """Equal in all that it holds, with the call's body byte for byte, here and in the export."""
    store.retain(bytes=0)
    for number, wire in enumerate(given):
        assert store.add(make_call(f"c{number}"), wire)
    assert [kept.read_wire() for kept in store.list_calls()] == given
    assert [each.wire for each in read_lines(store.export())] == given


def test_what_is_removed_leaves_nothing(store: Store) -> None:
    """The wires of calls that go, and the texts that only they named; what another call names stays."""
    old, new = "old words " * 50, "new words " * 50
    store.add(make_call("old", at="2020-01-01T00:00:00Z"), make_wire(json.dumps([old, new])))
    store.add(make_call("new", at="2999-01-01T00:00:00Z"), make_wire(json.dumps([new])))
    store.retain(age_days=1)
    assert store.find_call("new").read_wire() == make_wire(json.dumps([new]))
    assert store.database.run("SELECT count(*) FROM wires") == [(1,)]
    kept = [bytes(data) for (data,) in store.database.run("SELECT data FROM texts WHERE packed = 0")]
    assert new.encode() in kept
    assert old.encode() not in kept
    store.retain(bytes=0)
    assert store.database.run("SELECT count(*) FROM texts") == [(0,)]


def test_no_secret_is_kept(store: Store) -> None:
    """In a body."""
    body = json.dumps({"messages": [{"role": "user", "content": f"My token is {TOKEN}. " + "x" * 80}]})
    store.add(make_call("a"), make_wire(body))
    wire = store.find_call("a").read_wire()
    assert wire is not None
    assert wire.request == body.replace(TOKEN, "[secret: GitHub token]")
