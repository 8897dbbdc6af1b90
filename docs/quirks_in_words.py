"""What one agent alone does, in the words of the functions in its folder."""

import inspect

from overture.known_agents.quirks import load_quirks


def quirks_in_words(agent: str, *hooks: str) -> list[str]:
    """The first sentence of each of these functions that the agent has."""
    functions = [getattr(load_quirks(agent), hook, None) for hook in hooks] if agent else []
    return [(inspect.getdoc(each) or "").partition("\n")[0] for each in functions if each is not None]
