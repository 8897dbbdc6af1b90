"""Calls in which the provider runs tools of its own: their counts are no sizes of prefixes, and no cause of a miss."""

import base64
import random
from typing import Any

import pytest
from msgspec.structs import replace

from overture.tap.judge.report_data import TapReport, make_report
from overture.tap.recorded_call import RecordedCall

from .calls import read

SYSTEM = "You mend the nets at noon. " * 500
FOUND = base64.b64encode(random.Random(1).randbytes(15_000)).decode()
RESULT = {"type": "web_search_result", "url": "u", "title": "t", "encrypted_content": FOUND}
SEARCH: list[dict[str, Any]] = [
    {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"query": "tide"}},
    {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [RESULT]},
    {"type": "text", "text": "High at noon"},
]
WHOLE = {"input_tokens": 6_020, "cache_read_input_tokens": 4_500, "cache_creation_input_tokens": 4_500}
PARTS = [
    {"type": "message", "input_tokens": 10, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 4_500},
    {"type": "message", "input_tokens": 6_010, "cache_read_input_tokens": 4_500, "cache_creation_input_tokens": 0},
]


def anthropic(minute: int, messages: list[Any], usage: dict[str, Any]) -> RecordedCall:
    """A call whose system prompt alone is marked."""
    marked = {"type": "text", "text": SYSTEM, "cache_control": {"type": "ephemeral"}}
    tools = [{"type": "web_search_20250305", "name": "web_search"}]
    request = {"model": "claude-opus-5", "system": [marked], "tools": tools, "messages": messages}
    answer = {"content": [], "stop_reason": "end_turn", "usage": {"output_tokens": 30, **usage}}
    return replace(read("/v1/messages", request, answer, at=f"2026-11-15T10:{minute:02}:00+00:00"), id=f"c{minute:04}")


def list_calls(report: TapReport) -> list[tuple[str, int, int | None]]:
    """Of each call the reason, and what was predicted and read."""
    calls = [call.verdict for talk in report.conversations for call in talk.calls]
    return [(each.reason, each.predicted, each.read) for each in calls]


@pytest.mark.parametrize("parts", [[], PARTS])
def test_a_search_counts_a_prompt_twice(parts: list[Any]) -> None:
    """A search makes two requests of a call, whose counts add up: the next call did not lose what it never had."""
    ask = {"role": "user", "content": "Search the tide"}
    first = {**WHOLE, "server_tool_use": {"web_search_requests": 1}, **({"iterations": parts} if parts else {})}
    later = {"input_tokens": 6_320, "cache_read_input_tokens": 4_500, "cache_creation_input_tokens": 0}
    messages = [ask, {"role": "assistant", "content": SEARCH}, {"role": "user", "content": "And tomorrow?"}]
    report = make_report([anthropic(0, [ask], first), anthropic(1, messages, later)])
    (_, (reason, predicted, got)) = list_calls(report)
    assert (reason, got, report.lost) == ("hit", 4_500, None) and predicted <= 4_500
    assert predicted == 4_500 or not parts
