"""What a call costs, from the provider's answer as it was on the wire."""

from typing import Any

import pytest

from overture.known_models.model_table import packaged_table
from overture.tap.commands.report_text import format_bill, make_markdown, make_report_lines
from overture.tap.judge.cache_key import find_call_facts
from overture.tap.judge.price_call import CallPrice, price_call
from overture.tap.judge.report_data import make_report
from overture.tap.recorded_call import CallUsage, RecordedCall

from .calls import call, read, said, system, usage

MESSAGES = "/v1/messages"
RESPONSES = "/v1/responses"
CHAT = "/v1/chat/completions"


def price(found: RecordedCall) -> CallPrice:
    return price_call(found, find_call_facts(found, packaged_table()), 0, 0, 0)


def anthropic(usage: dict[str, Any], model: str = "claude-opus-5", **body: Any) -> RecordedCall:
    request = {"model": model, "messages": [{"role": "user", "content": "u"}], **body}
    return read(MESSAGES, request, {"content": [], "stop_reason": "end_turn", "usage": {"output_tokens": 0, **usage}})


def responses(
    usage: dict[str, Any], model: str = "gpt-6-sol", answer: dict[str, Any] | None = None, **body: Any
) -> RecordedCall:
    given = {"output": [], "status": "completed", "usage": {"output_tokens": 0, **usage}, **(answer or {})}
    return read(RESPONSES, {"model": model, "input": "u", **body}, given)


def gemini(
    usage: dict[str, Any], model: str = "gemini-3.8-flash", answer: dict[str, Any] | None = None, **body: Any
) -> RecordedCall:
    given = {"candidates": [{"finishReason": "STOP", **(answer or {})}], "usageMetadata": usage}
    return read(f"/v1beta/models/{model}:generateContent", {"contents": [{"parts": [{"text": "u"}]}], **body}, given)


def bedrock(usage: dict[str, Any], model: str = "global.anthropic.claude-opus-5-v1:0", **answer: Any) -> RecordedCall:
    given = {
        "output": {"message": {"content": []}},
        "stopReason": "end_turn",
        "usage": {"outputTokens": 0, **usage},
        **answer,
    }
    return read(f"/model/{model}/converse", {"messages": [{"role": "user", "content": [{"text": "u"}]}]}, given)


SPLIT = {"cache_creation": {"ephemeral_5m_input_tokens": 1_000, "ephemeral_1h_input_tokens": 3_000}}
COUNTS = {"input_tokens": 1_000, "cache_read_input_tokens": 10_000, "cache_creation_input_tokens": 4_000}
# 1,000 at 5, 10,000 at 0.50, 1,000 at 6.25, 3,000 at 10 dollars for a million
PLAIN = 0.005 + 0.005 + 0.00625 + 0.03
# 1,000 fresh at 2, 10,000 read at 0.20, 4,000 written at 2.50, 100 out at 10
SOL: dict[str, Any] = {
    "input_tokens": 15_000,
    "input_tokens_details": {"cached_tokens": 10_000, "cache_write_tokens": 4_000},
    "output_tokens": 100,
}
SOL_COST = 0.002 + 0.002 + 0.01 + 0.001
LONG = {"input_tokens": 300_000, "input_tokens_details": {"cached_tokens": 290_000, "cache_write_tokens": 10_000}}


@pytest.mark.parametrize(
    ("found", "dollars"),
    [
        (anthropic({**COUNTS, **SPLIT}), PLAIN),
        (anthropic({**COUNTS, **SPLIT, "speed": "fast", "inference_geo": "us"}, speed="fast"), PLAIN * 2.2),
        (anthropic({**COUNTS, **SPLIT, "server_tool_use": {"web_search_requests": 3, "web_fetch_requests": 5}}),
         PLAIN + 0.03),
        # long by what the cache gave: 200,000 read at 0.05, 1 fresh at 0.50
        (anthropic({"input_tokens": 1, "cache_read_input_tokens": 200_000}, "claude-haiku-5-5"), 0.01 + 5e-7),
        (responses(SOL), SOL_COST),
        (responses(SOL, answer={"service_tier": "priority"}, service_tier="fast"), SOL_COST * 2),
        (responses(SOL, answer={"output": [{"type": "web_search_call", "action": {"type": "search"}},
                                           {"type": "web_search_call", "action": {"type": "open_page"}}]}),
         SOL_COST + 0.01),
        # twice 0.20 a million to read, twice 2.50 to write
        (responses(LONG), 290_000 * 0.4e-6 + 10_000 * 5e-6),
        (gemini({"promptTokenCount": 10_000, "cachedContentTokenCount": 4_000}), 0.0045 + 0.0003),
        (gemini({"promptTokenCount": 1_000}, answer={"groundingMetadata": {"webSearchQueries": ["a", "b"]}}),
         0.00075 + 0.028),
        (bedrock({"inputTokens": 1_000, "cacheWriteInputTokens": 2_000,
                  "cacheDetails": [{"ttl": "1h", "inputTokens": 2_000}]}), 0.005 + 0.02),
        (bedrock({"inputTokens": 1_000}, "us.anthropic.claude-opus-5-v1:0"), 0.0055),
    ],
)  # fmt: skip
def test_the_answer_says_what_is_billed(found: RecordedCall, dollars: float) -> None:
    """Lives of writes, tier, speed, place, searches and the price step are read from the wire; the sum is exact."""
    told = price(found)
    assert told.dollars == pytest.approx(dollars)
    assert (told.at_least, told.unknown) == (False, ())
    assert sum(told.parts.values()) == pytest.approx(told.dollars)


MARKED = [{"type": "text", "text": "s", "cache_control": {"type": "ephemeral", "ttl": "1h"}}]


@pytest.mark.parametrize(
    ("found", "told"),
    [
        (anthropic({"input_tokens": 9}, "claude-opus-9"), "the price of claude-opus-9"),
        (anthropic({"input_tokens": 9, "server_tool_use": {"code_execution_requests": 1}}), "code execution"),
        (anthropic({"input_tokens": 5_000}, system=MARKED), "how many tokens were written"),
        (responses(SOL, service_tier="priority"), "whether service tier 'priority'"),
        (responses({**SOL, "input_tokens_details": {**SOL["input_tokens_details"], "cache_write_tokens_details":
            {"ttl_12h_tokens": 4_000, "ttl_30m_tokens": 0}}}), "cache writes for 12h"),
        (gemini({"promptTokenCount": 9}, cachedContent="cachedContents/x"), "storage fee for cached content"),
        (bedrock({"inputTokens": 9}, "anthropic.claude-opus-5-v1:0"), "region"),
        (read(CHAT, {"model": "gpt-4.1", "messages": [], "web_search_options": {}},
              {"choices": [{"finish_reason": "stop"}], "usage": {"prompt_tokens": 9, "completion_tokens": 1}}),
         "the number of web searches"),
    ],
)  # fmt: skip
def test_what_is_not_known_is_named(found: RecordedCall, told: str) -> None:
    """The price of the call is a lower bound, and it says why."""
    assert price(found).at_least
    assert told in "; ".join(price(found).unknown)


def test_the_report_says_at_least_everywhere() -> None:
    """In the sentence, in each conversation and call, in Markdown and as a field; with what is not included."""
    known = call(system("s", mark=True), *said("u", mark=True), usage=usage(0, 0, 400_000, 1000))
    unknown = call(system("s", mark=True), *said("u", mark=True), minute=1, model="claude-opus-9", usage=usage(9))
    report = make_report([known, unknown])
    assert format_bill(report).startswith("This session cost at least $1.01")
    assert "Not included: the price of claude-opus-9." in [*make_report_lines(report)]
    assert "at least $1.01" in make_markdown(report) and "Not included: the price of claude-opus-9." in make_markdown(
        report
    )
    data = report.to_dict()
    assert (data["at_least"], data["not_priced"]) == (True, ["the price of claude-opus-9"])
    exact = make_report([known]).to_dict()
    assert (exact["at_least"], exact["conversations"][0]["at_least"], exact["not_priced"]) == (False, False, [])
    assert "at least" not in "\n".join(make_report_lines(make_report([known])))


def test_counts_that_are_no_counts_never_raise() -> None:
    """Whatever a server writes where numbers and texts belong, there is a price or none."""
    values: list[Any] = [None, "x", [], {}, -5, 1e300, True, [None], {"a": []}]
    for odd in values:
        names = ("cache_creation", "cacheDetails", "iterations", "server_tool_use", "speed", "service_tier",
                 "inference_geo", "promptTokensDetails", "input_tokens_details", "trafficType")  # fmt: skip
        raw = {"input_tokens": 10, **dict.fromkeys(names, odd)}
        for found in (anthropic(raw), responses(raw, answer={"output": odd}), gemini({"promptTokenCount": 5, **raw})):
            assert price(found).input >= 0
    assert price(call(*said("u"), usage=CallUsage(5, 9, 9, None))).input == 5
