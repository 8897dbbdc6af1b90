"""The cache breakpoints that a caller set in the conversation already: they count among those of the request."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..model.message import Message
from .messages import Item

KEYS = {"anthropic": "cache_control", "bedrock": "cachePoint", "openai": "prompt_cache_breakpoint"}
"""The key that makes a breakpoint, by whose models take it."""
DATA = ("input", "json")
"""What a model or a tool said in JSON: a key in it means nothing."""
LONGEST = "1h"


def taken(messages: Sequence[Item], vendor: str) -> list[Mapping[str, Any]]:
    """The caller's own marks, wherever in a message that is sent."""
    return list(_marks(messages, KEYS[vendor])) if vendor in KEYS else []


def _marks(value: Any, key: str) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, Message):
        yield from _marks(value.blocks if value.sent else (), key)
    elif isinstance(value, Mapping):
        for name, item in value.items():
            if name == key and isinstance(item, Mapping):
                yield item
            elif name not in DATA:
                yield from _marks(item, key)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _marks(item, key)


def ttl_beside(marks: Sequence[Mapping[str, Any]], wanted: str | None, known: Mapping[str, float]) -> str | None:
    """The time to live of marks that stand before a caller's; none: they may not be set.

    A longer one has to come first. What a caller keeps for an hour begins with tools and system prompt, so that an
    hour for them costs nothing more.
    """
    if not any(mark.get("ttl") == LONGEST for mark in marks):
        return wanted or next(iter(known))
    return LONGEST if LONGEST in known and wanted in (None, LONGEST) else None
