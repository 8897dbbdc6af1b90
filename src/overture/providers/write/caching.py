"""What a request tells a provider's cache: its breakpoints beside those of the caller, and its key."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ...assemble.cache_breakpoints import Breakpoints, choose_breakpoints, find_stable_ends
from ...known_models.model_facts import ModelFacts
from ...model.message import Message
from ...model.prompt.prompt import Prompt
from ...model.recipe.section import Pace
from ...model.safe_text import SafeTool
from .contents import MessageItem
from .tools import tools_text


def plan_caching(
    prompt: Prompt,
    facts: ModelFacts,
    count: Callable[[str], int],
    tools: Sequence[SafeTool],
    messages: Sequence[MessageItem],
    ttl: str | None,
) -> tuple[Breakpoints, str]:
    """Where the request sets its breakpoints, beside those of the caller, and the time to live of the first of them."""
    callers_marks = count_callers_marks(messages, facts.vendor)
    lifetime = choose_ttl_beside(callers_marks, ttl, facts.write)
    if lifetime is None:
        return Breakpoints(), facts.ttl(ttl)
    return choose_breakpoints(
        list_block_ends(prompt), prompt.text, facts, count, tools_text(tools), len(callers_marks)
    ), lifetime


def list_block_ends(prompt: Prompt) -> list[tuple[Pace, int]]:
    """The pace of each block of the system prompt, and the character at which it ends."""
    return [(block.pace, at + len(block.text)) for block, at in prompt.placed]


def derive_cache_key(prompt: Prompt) -> str:
    """A key that is the same for all requests of one recipe that begin alike."""
    reached = find_stable_ends(list_block_ends(prompt))
    stable = prompt.text[: reached.get("static", reached.get("session", 0))]
    return f"{prompt.recipe.name[:32]}-{hashlib.sha256(stable.encode()).hexdigest()[:16]}"


BREAKPOINT_KEYS = {"anthropic": "cache_control", "bedrock": "cachePoint", "openai": "prompt_cache_breakpoint"}
"""The key that makes a breakpoint, by whose models take it."""
DATA_KEYS = ("input", "json")
"""What a model or a tool said in JSON: a key in it means nothing."""
MAX_TTL = "1h"


def count_callers_marks(messages: Sequence[MessageItem], vendor: str) -> list[Mapping[str, Any]]:
    """The caller's own marks, wherever in a message that is sent."""
    return list(_count_marks(messages, BREAKPOINT_KEYS[vendor])) if vendor in BREAKPOINT_KEYS else []


def _count_marks(value: Any, key: str) -> Iterator[Mapping[str, Any]]:
    if isinstance(value, Message):
        own = [part.own for part in value.parts]
        yield from _count_marks([*value.blocks, *own] if value.sent else (), key)
    elif isinstance(value, Mapping):
        for name, item in value.items():
            if name == key and isinstance(item, Mapping):
                yield item
            elif name not in DATA_KEYS:
                yield from _count_marks(item, key)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _count_marks(item, key)


def choose_ttl_beside(marks: Sequence[Mapping[str, Any]], wanted: str | None, known: Mapping[str, float]) -> str | None:
    """The time to live of marks that stand before a caller's; none: they may not be set.

    A longer one has to come first. What a caller keeps for an hour begins with tools and system prompt, so that an
    hour for them costs nothing more.
    """
    if not any(mark.get("ttl") == MAX_TTL for mark in marks):
        return wanted or next(iter(known))
    return MAX_TTL if MAX_TTL in known and wanted in (None, MAX_TTL) else None
