"""Where a conversation gets the cache breakpoints that tools and system prompt left it."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .join_messages import Place
from .request import Ask

BYTES = ("source", "bytes")
"""Under which Anthropic and Bedrock have them."""


def places_to_mark(
    contents: Sequence[Sequence[Any]], still: Place | None, ask: Ask, can: Callable[[Any], bool]
) -> list[Place]:
    """The message and block of each breakpoint, the last one first, among messages of these blocks.

    One at the end of what the next request sends again as it stands, if that is not below the model's minimum. A long
    conversation gets a second, as far back as the first looks, so that a turn of many blocks still finds what the
    turn before it wrote. `can` says whether a provider takes a mark on a block.
    """
    if not ask.marks.left:
        return []
    places = [(at, index) for at, content in enumerate(contents) for index in range(len(content))]
    places = places if still is None else [place for place in places if place < still]
    # A block may be an object of the SDK's own, as it came from the model: it goes back as it is.
    told = [contents[at][index] for at, index in places]
    fit = [number for number, block in enumerate(told) if isinstance(block, Mapping) and can(block)]
    if not fit or ask.marks.tokens + ask.count("".join(map(_words, told))) < ask.facts.minimum:
        return []
    last, back = fit[-1], ask.facts.lookback
    chosen = [last] + [next(n for n in fit if n >= last - back)] * (0 < back <= last)
    return [places[number] for number in dict.fromkeys(chosen)][: ask.marks.left]


def is_blank(block: Mapping[str, Any]) -> bool:
    """Whether a block is a text that says nothing: a mark on it is refused."""
    text = block.get("text")
    return isinstance(text, str) and not text.strip()


def _words(block: Any) -> str:
    text = block.get("text") if isinstance(block, Mapping) else None
    return text if isinstance(text, str) else str(_without_bytes(block))


def _without_bytes(value: Any) -> Any:
    """A block without images and documents: base64 is no text, and what they count for, only the provider knows."""
    if isinstance(value, Mapping):
        return {key: _without_bytes(item) for key, item in value.items() if key not in BYTES}
    return [_without_bytes(item) for item in value] if isinstance(value, list) else value
