"""Whatever anybody sends or answers, reading it never raises, and gives what can be stored."""

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overture.known_models.model_table import packaged_table
from overture.tap.commands.report_text import make_markdown, make_report_lines
from overture.tap.judge.cache_key import find_call_facts
from overture.tap.judge.report_data import make_report
from overture.tap.page.call_sheet import CallSheetContext, make_call_sheet
from overture.tap.recorded_call import RecordedCall
from tests.contract.effort import examples

from ..judge.calls import read_seen, sse

pytestmark = pytest.mark.slow


PATHS = (
    "/v1/messages",
    "/v1/chat/completions",
    "/v1/responses",
    "/v1beta/models/m:generateContent",
    "/api/chat",
    "/api/generate",
    "/model/m/converse",
    "/model/m/invoke",
    "/other",
)
NAMES = (
    "model", "system", "messages", "tools", "input", "instructions", "contents", "systemInstruction", "parts",
    "text", "content", "type", "role", "usage", "choices", "delta", "message", "output", "candidates",
    "usageMetadata", "promptTokenCount", "prompt_tokens", "input_tokens", "cache_control", "cachePoint", "toolUse",
    "tool_calls", "function", "name", "tool_result", "error", "diagnostics", "metadata", "user_id", "request",
    "response", "done", "stream", "toolConfig", "tool_use", "index", "images", "prompt", "anthropic_version",
    "finish_reason", "previous_response_id",
)  # fmt: skip
PLAIN = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=8),
    st.sampled_from(["user", "system", "text"]),
)
VALUES = st.recursive(
    PLAIN,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=5),
    max_leaves=10,
)
BODIES = st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=6)


def check(call: RecordedCall | None) -> None:
    """A call can be written and read again, and its pieces are in the order of the cache."""
    if call is None:
        return
    assert msgspec.json.decode(msgspec.json.encode(call), type=RecordedCall) == call
    order = [("tool", "system", "message").index(piece.kind) for piece in call.pieces]
    assert order == sorted(order)
    report = make_report([call, call])
    assert report.calls == 2 and report.to_dict() and list(make_report_lines(report)) and make_markdown(report)
    assert (
        make_call_sheet(call, CallSheetContext(find_call_facts(call, packaged_table()))).context.tokens
        == report.conversations[0].tokens
    )


@settings(max_examples=examples(60))
@given(st.sampled_from(PATHS), BODIES, VALUES, st.sampled_from([0, 200, 400]))
def test_any_json(path: str, body: dict[str, Any], answer: Any, status: int) -> None:
    """Any JSON on any path, whole or as events."""
    for response in (json.dumps(answer), sse({"type": "x", "delta": answer}), f"data: {json.dumps(answer)}\n\n"):
        check(read_seen(path, json.dumps({"messages": [], **body}), response, status=status))


@settings(max_examples=examples(60))
@given(st.sampled_from(PATHS), st.binary(max_size=60), st.binary(max_size=80), st.booleans())
def test_any_bytes(path: str, body: bytes, answer: bytes, framed: bool) -> None:
    """Any bytes; as if they were Amazon's frames, too."""
    kind = "application/vnd.amazon.eventstream" if framed else ""
    check(read_seen(path, body, answer, content_type=kind))
