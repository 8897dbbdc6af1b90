"""Calls as the tests of the store need them."""

import json
from collections.abc import Iterable
from typing import Any

from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from msgspec import Struct, convert

from overture.tap.recorded_call import CallPiece, CallUsage, CallWire, RecordedCall, Run
from tests.contract.effort import examples

few = settings(
    max_examples=examples(25), suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
SYSTEM = "You are an agent of the harbour. Answer in one sentence.\n" * 200


def make_call(id: str = "c1", *texts: str, **fields: Any) -> RecordedCall:
    """A call with this system prompt and these messages."""
    pieces = (
        CallPiece("tool", "read", '{"name":"read"}'),
        CallPiece("system", "system", SYSTEM, mark=True),
        *(CallPiece("message", ("user", "assistant")[n % 2], text, message=n) for n, text in enumerate(texts)),
    )
    given = {"at": "2026-03-07T08:55:05-06:00", "pieces": pieces, "run": "r1", **fields}
    return RecordedCall(id=id, form="anthropic", host="api", path="/v1/messages", model="m-1", status=200, **given)


def make_wire(request: str | None = '{"messages": []}', **fields: Any) -> CallWire:
    """A call's wire, with this body."""
    heads = {"request_headers": (("Host", "api"), ("x-api-key", "[hidden]")), "response_headers": (("Server", "s"),)}
    return CallWire("POST", "/v1/messages?beta=true", request=request, **{**heads, **fields})


def make_run(id: str = "r1", **fields: Any) -> Run:
    """A run that began on a day in March."""
    return Run(**{"id": id, "started": "2026-03-07T08:55:00-06:00", "program": "claude", **fields})


class ExportedLine(Struct):
    """A line of an export."""

    run: Run | None = None
    call: RecordedCall | None = None
    wire: CallWire | None = None


def read_lines(lines: Iterable[str]) -> list[ExportedLine]:
    """What the lines of an export hold."""
    return [convert(json.loads(line.encode()), ExportedLine) for line in lines]


# Any text that JSON can bring: NUL, halves of characters, and all that lies between.
any_text = st.text(st.characters() | st.sampled_from("\x00\ud800\udfff\\\u2028\U0001f6a2"), max_size=12)
long_text = st.builds(lambda text, times: text * times, any_text, st.sampled_from([1, 1, 1, 300]))
count = st.none() | st.integers(0, 2**40)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | any_text, lambda each: st.lists(each, max_size=2)
)
pieces = st.builds(
    CallPiece,
    kind=st.sampled_from(["tool", "system", "message"]),
    name=any_text,
    text=long_text,
    what=any_text,
    mark=st.booleans(),
    message=st.none() | st.integers(0, 1000),
    ttl=st.sampled_from(["", "", "5m", "1h"]),
)
usages = st.builds(
    CallUsage,
    input=count,
    read=count,
    written=count,
    output=count,
    raw=st.dictionaries(any_text, json_values, max_size=2),
)
calls = st.builds(
    RecordedCall,
    id=any_text,
    at=st.datetimes().map(lambda at: at.isoformat() + "+02:00") | any_text,
    form=st.sampled_from(["anthropic", "openai-chat", "ollama"]),
    host=any_text,
    path=any_text,
    model=any_text,
    status=st.integers(0, 999),
    pieces=st.lists(pieces, max_size=5).map(tuple),
    run=any_text,
    cwd=any_text,
    reply=long_text,
    calls=st.lists(any_text, max_size=2).map(tuple),
    usage=st.none() | usages,
    diagnosis=st.none() | any_text,
    missing=st.lists(any_text, max_size=2).map(tuple),
    key=any_text,
    first_ms=st.none() | st.floats(0, 1e6),
)
many_calls = st.lists(calls, max_size=5, unique_by=lambda call: call.id)
