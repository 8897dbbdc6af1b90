"""What a provider counted and charged for a call."""

from collections.abc import Iterator
from typing import Any

from ...providers.read.replies import read_usage
from ..call import CallUsage, Form
from .json_values import Data, a_dict, a_text, clean, clean_data, dicts

MAX_TIER_CHARS = 60
TRAFFIC = "on_demand_"
PAID = {
    "file_search_call": "file search",
    "code_interpreter_call": "the code interpreter",
    "image_generation_call": "image generation",
}
"""Items of OpenAI's Responses that are charged by the call or by the hour."""
FREE = ("web_search_requests", "web_fetch_requests", "tool_search_requests")
"""Counts of Anthropic's own tools that are priced, or free."""


def tier_of(answer: Data, usage: Data) -> str:
    """The service tier that answered: in the counts, or beside them."""
    for place in (usage, answer):
        for name in ("service_tier", "serviceTier"):
            given = place.get(name)
            if told := a_text(given) or a_text(a_dict(given).get("type")):
                return clean(told[:MAX_TIER_CHARS]).lower()
    traffic = a_text(usage.get("trafficType", usage.get("traffic_type"))).lower()
    return "" if traffic.endswith("unspecified") else traffic.removeprefix(TRAFFIC)


def searches_in(answer: Data, usage: Data) -> int:
    """The web searches that an answer reports."""
    counted = a_dict(usage.get("server_tool_use")).get("web_search_requests")
    if isinstance(counted, int | float):
        return max(int(counted), 0)
    items = [item for item in dicts(answer.get("output")) if item.get("type") == "web_search_call"]
    # Opening a page that was found is no search.
    asked = [item for item in items if a_text(a_dict(item.get("action")).get("type")) in ("", "search")]
    return len(asked) + sum(len(_queries(each)) for each in dicts(answer.get("candidates")))


def _queries(candidate: Data) -> list[Any]:
    grounded = a_dict(candidate.get("groundingMetadata", candidate.get("grounding_metadata")))
    found = grounded.get("webSearchQueries", grounded.get("web_search_queries"))
    return [each for each in found if each] if isinstance(found, list) else []


def paid_tools(answer: Data, usage: Data) -> Iterator[str]:
    """The provider's own tools that cost extra, by a price that is not known here."""
    kinds = {a_text(item.get("type")) for item in dicts(answer.get("output"))}
    yield from (PAID[kind] for kind in kinds if kind in PAID)
    for name, count in a_dict(usage.get("server_tool_use")).items():
        if name not in FREE and isinstance(count, int | float) and count > 0:
            yield name.removesuffix("_requests").replace("_", " ")


READ = (
    "cache_read_input_tokens",
    "cacheReadInputTokens",
    "cached_tokens",
    "cachedContentTokenCount",
    "cached_content_token_count",
    "prompt_cache_hit_tokens",
)
WRITTEN = ("cache_creation_input_tokens", "cacheWriteInputTokens", "cache_write_tokens")
SILENT = ("gemini",)
"""Those who say nothing of their cache where it gave nothing."""
OLLAMA = ("prompt_eval_count", "prompt_eval_duration", "eval_count", "eval_duration", "load_duration", "total_duration")


def counted(form: Form, data: Data) -> CallUsage | None:
    """The tokens of an answer; None where it says nothing of them."""
    # A body in Anthropic's form may come from Bedrock: names, not providers, say what is meant.
    told = _told(form, data)
    found = read_usage(form, told)
    if found is None:
        return None
    raw = told.get("usage") or told.get("usageMetadata") or told.get("usage_metadata") or told
    return CallUsage(
        max(found.input, 0),
        max(found.cache_read, 0) or _read(form, raw),
        max(found.cache_write, 0) or _number(raw, WRITTEN),
        max(found.output, 0),
        _number(a_dict(raw.get("cache_creation")), ("ephemeral_1h_input_tokens",)),
        raw,
        tier_of(data, raw),
        searches_in(data, raw),
        tuple(sorted(paid_tools(data, raw))),
    )


def _read(form: Form, raw: Any) -> int | None:
    found = _number(raw, READ)
    return 0 if found is None and form in SILENT else found


def _told(form: Form, data: Data) -> Data:
    """What is said of tokens, in numbers that can be added."""
    names = OLLAMA if form == "ollama" else ("usage", "usageMetadata", "usage_metadata")
    return {name: clean_data(data[name]) for name in names if isinstance(data.get(name), dict | int | float)}


def _number(raw: Any, names: tuple[str, ...]) -> int | None:
    """The first of these counts, on its own or within the details."""
    places = [raw, *[value for value in a_dict(raw).values() if isinstance(value, dict)]]
    found = [place[name] for place in places for name in names if isinstance(a_dict(place).get(name), int | float)]
    return max(int(found[0]), 0) if found else None
