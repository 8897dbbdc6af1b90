"""Prompt -> what one request costs as it begins: with nothing in the provider's cache, and with what lasts in it."""

from collections.abc import Iterator

from ...assemble.cache_breakpoints import breakpoints, stable_ends
from ...known_models.cache_rules import in_steps
from ...known_models.model_facts import Facts
from ...known_models.prices import BilledUsage, cost_of
from ...model.prompt.prompt import Prompt
from .sheet import CacheMark, Price


def price_of(prompt: Prompt, tools: str, tokens: int, facts: Facts, provider: str) -> Price:
    """The price of `tokens` tokens, of which the tools and the lasting part of the prompt can come from the cache."""
    return priced(tuple(_marks(prompt, tools, facts)), tokens, facts, provider)


def priced(marks: tuple[CacheMark, ...], tokens: int, facts: Facts, provider: str) -> Price:
    """The price where the marks are known."""
    kept = min(max((mark.tokens for mark in marks), default=0), tokens)
    fresh = cost_of(BilledUsage(fresh=tokens), facts)
    cached = cost_of(BilledUsage(fresh=tokens - kept, read=kept), facts)
    at_least = fresh.at_least or cached.at_least
    return Price(
        provider, facts.model, facts.known, facts.as_known_on, fresh.dollars, cached.dollars, kept, marks, at_least
    )


def _marks(prompt: Prompt, tools: str, facts: Facts) -> Iterator[CacheMark]:
    """Where marks are set; of a cache without marks, where what lasts ends."""
    count, text = prompt.counter, prompt.text
    before = count(tools) if tools else 0
    ends = [(block.pace, at + len(block.text)) for block, at in prompt.placed]
    named = {at + len(block.text): block.name for block, at in prompt.placed}
    if facts.way != "marked":
        lasting = max((end for pace, end in stable_ends(ends).items() if pace != "turn"), default=0)
        if kept := in_steps(before + count(text[:lasting]), facts):
            yield CacheMark(named.get(lasting, "tools"), lasting, kept)
        return
    found = breakpoints(ends, text, facts, count, tools)
    if found.tools:
        yield CacheMark("tools", 0, before)
    for end in found.system:
        yield CacheMark(named.get(end, ""), end, before + count(text[:end]))
