"""Responses that broke off: what they cost is at least what was counted so far, and the report names the error."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from overture.known_models.model_table import packaged_table
from overture.tap.commands.report_text import make_markdown, make_report_lines
from overture.tap.judge.cache_key import find_call_facts
from overture.tap.judge.price_call import CallPrice, price_call
from overture.tap.judge.report_data import make_report
from overture.tap.recorded_call import RecordedCall

from .calls import call, read, said, sse

ASKED = [{"role": "user", "content": "u"}]
BEGUN: dict[str, Any] = {
    "type": "message_start",
    "message": {"content": [], "usage": {"input_tokens": 1_000, "output_tokens": 1}},
}
ERROR: dict[str, Any] = {"type": "error", "error": {"type": "overloaded_error", "message": "Over\nloaded"}}
UNKNOWN = "the output of responses that broke off"


def price(found: RecordedCall) -> CallPrice:
    return price_call(found, find_call_facts(found, packaged_table()), 0, 0, 0)


def anthropic(*events: dict[str, Any]) -> RecordedCall:
    return read("/v1/messages", {"model": "claude-opus-5", "stream": True, "messages": ASKED}, sse(*events))


def gemini(*events: dict[str, Any]) -> RecordedCall:
    path = "/v1beta/models/gemini-3.8-flash:streamGenerateContent?alt=sse"
    answer = "".join(f"data: {json.dumps(each)}\n\n" for each in events)
    return read(path, {"contents": [{"parts": [{"text": "u"}]}]}, answer, content_type="text/event-stream")


HALF: dict[str, Any] = {"candidates": [{"content": {"parts": [{"text": "a"}]}}],
        "usageMetadata": {"promptTokenCount": 1_000, "candidatesTokenCount": 1}}  # fmt: skip


@pytest.mark.parametrize(
    "broken",
    [
        lambda: anthropic(BEGUN),
        lambda: anthropic(BEGUN, ERROR),
        lambda: gemini(HALF),
        lambda: gemini(HALF, {"error": {"code": 503, "message": "overloaded", "status": "UNAVAILABLE"}}),
    ],
    ids=["anthropic, cut", "anthropic, an error", "gemini, cut", "gemini, an error"],
)
def test_a_response_that_broke_off_costs_at_least_what_was_counted(broken: Callable[[], RecordedCall]) -> None:
    """Both providers count as they go: the count of an output that broke off is that of its beginning."""
    found = price(broken())
    assert found.output == 1 and found.at_least and UNKNOWN in found.unknown


def test_the_report_names_an_error_during_a_response() -> None:
    """Its status is a success, and it may have read the cache: the row has both, on one line."""
    report = make_report([anthropic(BEGUN, ERROR)])
    for text, kind in (
        ("\n".join(make_report_lines(report)), "overloaded_error"),
        (make_markdown(report), r"overloaded\_error"),
    ):
        (row,) = [line for line in text.splitlines() if "claude-opus-5" in line]
        assert f"failed during the response: {kind}: Over loaded" in row
    assert report.to_dict()["conversations"][0]["calls"][0]["error"] == "overloaded_error: Over\nloaded"
    (refused,) = [
        line
        for line in make_report_lines(make_report([call(*said("u"), status=529, error="overloaded_error: no")]))
        if "claude-sonnet-5" in line
    ]
    assert refused.endswith("failed: overloaded_error: no")
