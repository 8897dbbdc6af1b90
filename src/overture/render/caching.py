"""What a request tells a provider's cache: where its breakpoints are, and the key by which like requests meet."""

import hashlib
from collections.abc import Callable, Sequence

from ..assemble.breakpoints import Breakpoints, breakpoints, stable_ends
from ..model.facts import Facts
from ..model.prompt import Prompt
from ..model.section import Pace
from ..model.tool import Tool
from .messages import Item
from .taken import taken, ttl_beside
from .tools import tools_text


def caching(
    prompt: Prompt,
    facts: Facts,
    count: Callable[[str], int],
    tools: Sequence[Tool],
    messages: Sequence[Item],
    ttl: str | None,
) -> tuple[Breakpoints, str]:
    """Where the request sets its breakpoints, beside those of the caller, and the time to live of the first of them."""
    theirs = taken(messages, facts.vendor)
    chosen = ttl_beside(theirs, ttl, facts.write)
    if chosen is None:
        return Breakpoints(), facts.ttl(ttl)
    return breakpoints(_ends(prompt), prompt.text, facts, count, tools_text(tools), len(theirs)), chosen


def _ends(prompt: Prompt) -> list[tuple[Pace, int]]:
    return [(block.pace, at + len(block.text)) for block, at in prompt.placed]


def key_of(prompt: Prompt) -> str:
    """A key that is the same for all requests of one recipe that begin alike."""
    reached = stable_ends(_ends(prompt))
    stable = prompt.text[: reached.get("static", reached.get("session", 0))]
    return f"{prompt.recipe.name[:32]}-{hashlib.sha256(stable.encode()).hexdigest()[:16]}"
