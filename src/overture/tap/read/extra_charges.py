"""What an answer says of its price beside its tokens: the service tier, web searches, and tools that cost extra."""

from collections.abc import Iterator
from typing import Any

from .plain_values import Data, a_dict, a_text, clean, dicts

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
