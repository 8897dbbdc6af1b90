"""What a provider says that it counted -> CallUsage: `input` is the whole request, what it leaves out is None."""

from typing import Any

from ...providers.read.replies import read_usage
from ..call import CallUsage, Form
from .extra_charges import paid_tools, searches_in, tier_of
from .plain_values import Data, a_dict, clean_data

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
