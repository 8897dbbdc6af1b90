"""How a rule of an agent's is known, in words."""

from ...model.recipe.agent_facts import AgentFacts, OwnPrompt, Signs
from ...model.recipe.wants.wanted_instructions import Evidence
from .listing import quoted

KNOWN: dict[Evidence, str] = {
    "run": "seen in a run",
    "code": "read in its source",
    "docs": "documented by its makers",
    "reported": "reported by others",
}
"""How a thing is known, the surest first."""
OWN = {"code": "source", "docs": "documentation"}


def evidence(known: Evidence | None, facts: AgentFacts) -> str:
    """How a rule is known: `seen in a run of 0.166.0`."""
    known = known or facts.known
    own = OWN.get(known)
    if own and facts.version.startswith(own):
        return f"read in its {facts.version}" if own == "source" else f"as its {facts.version} says"
    if known == "run":
        return f"{KNOWN[known]} of {facts.version}"
    return KNOWN[known] if known != facts.known else f"{KNOWN[known]} ({facts.version})"


def own_prompt(own: OwnPrompt) -> str:
    """How large the agent's own prompt is."""
    said = [f"about {own.characters:,} characters"] if own.characters else []
    if own.tools:
        said.append(
            f"{own.tools} tools" + (f" of about {own.tool_characters:,} characters" * bool(own.tool_characters))
        )
    if own.messages:
        said.append(f"about {own.messages:,} characters in the first message")
    return "; ".join(said) or "not measured"


def signs_in_words(signs: Signs) -> str:
    """By what one sees that the agent is used."""
    said = [f"{quoted(signs.project, 'or')} in a project"] if signs.project else []
    said += [f"{quoted([f'~/{sign}' for sign in signs.home], 'or')}"] if signs.home else []
    said += [f"the program {quoted(signs.programs, 'or')}"] if signs.programs else []
    return "; ".join(said) or "not known"
