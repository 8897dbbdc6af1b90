"""What a provider counted -> Usage: `input` is the whole request, whoever says it."""

import math
from typing import Any

from ..message import Usage
from .plain_data import pick


def usage_of(provider: str, data: dict[str, Any]) -> Usage | None:
    """The tokens of a response; None where it says nothing of them."""
    if provider == "ollama":
        return None if pick(data, "prompt_eval_count", "eval_count") is None else _ollama(data)
    told = pick(data, "usage", "usage_metadata", "usageMetadata")
    return READERS[provider](told) if isinstance(told, dict) and told else None


def _anthropic(told: dict[str, Any]) -> Usage:
    read = _count(told, "cache_read_input_tokens", "cacheReadInputTokens")
    write = _count(told, "cache_creation_input_tokens", "cacheWriteInputTokens")
    # Both say beside the input what the cache had to do with: the whole is the sum.
    fresh = _count(told, "input_tokens", "inputTokens")
    return Usage(fresh + read + write, _count(told, "output_tokens", "outputTokens"), read, write)


def _openai(told: dict[str, Any]) -> Usage:
    details = pick(told, "prompt_tokens_details", "input_tokens_details")
    return Usage(
        _count(told, "prompt_tokens", "input_tokens"),
        _count(told, "completion_tokens", "output_tokens"),
        _count(details, "cached_tokens"),
        _count(details, "cache_write_tokens"),
    )


def _gemini(told: dict[str, Any]) -> Usage:
    tools = _count(told, "tool_use_prompt_token_count", "toolUsePromptTokenCount")
    thoughts = _count(told, "thoughts_token_count", "thoughtsTokenCount")
    return Usage(
        _count(told, "prompt_token_count", "promptTokenCount") + tools,
        _count(told, "candidates_token_count", "candidatesTokenCount") + thoughts,
        _count(told, "cached_content_token_count", "cachedContentTokenCount"),
    )


def _ollama(told: dict[str, Any]) -> Usage:
    return Usage(_count(told, "prompt_eval_count"), _count(told, "eval_count"))


def _count(told: Any, *names: str) -> int:
    """A number of tokens; what can't be one, such as an infinite number, says nothing."""
    found = pick(told, *names)
    return max(0, int(found)) if isinstance(found, int | float) and math.isfinite(found) else 0


READERS = {
    "anthropic": _anthropic,
    "bedrock": _anthropic,
    "gemini": _gemini,
    "openai-chat": _openai,
    "openai-responses": _openai,
}
