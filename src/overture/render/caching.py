"""What a request tells a provider's cache: where its breakpoints are, and the key by which like requests meet."""

import hashlib
from collections.abc import Callable, Sequence

from ..assemble.breakpoints import Breakpoints, breakpoints, stable_ends
from ..model.facts import Facts
from ..model.prompt import Prompt
from ..model.section import Pace
from ..model.tool import Tool
from .tools import tools_text


def marks_of(prompt: Prompt, facts: Facts, count: Callable[[str], int], tools: Sequence[Tool] = ()) -> Breakpoints:
    """Where the request sets its cache breakpoints."""
    return breakpoints(_ends(prompt), prompt.text, facts, count, tools_text(tools))


def _ends(prompt: Prompt) -> list[tuple[Pace, int]]:
    return [(block.pace, at + len(block.text)) for block, at in prompt.placed]


def key_of(prompt: Prompt) -> str:
    """A key that is the same for all requests of one recipe that begin alike."""
    reached = stable_ends(_ends(prompt))
    stable = prompt.text[: reached.get("static", reached.get("session", 0))]
    return f"{prompt.recipe.name[:32]}-{hashlib.sha256(stable.encode()).hexdigest()[:16]}"
