"""Who the agent is, as its author says it: identity, soul, instructions."""

from ...model.recipe.body import Body, Group, Part, Skip
from ...model.recipe.section import Section, section
from ...model.source import Source, from_state
from ...model.state.agent import Agent
from ...model.state.files import Overrides
from ...sections.combine_bodies import first_of
from ...sections.shorten_text import heads
from .. import prose
from ..moltis.persona import own_identity
from .frames import own_tag

REST = "[{shown} of {all} texts of instructions are given: there is no room for the others.]"
DEFAULT = prose(__package__, "identity.md")


def system_md(overrides: Overrides | None) -> Body:
    """SYSTEM.md in place of the identity; an empty one clears it."""
    if overrides is None or overrides.system is None:
        return None
    if not overrides.system.strip():
        return Skip("SYSTEM.md is empty, which clears the identity")
    return Part(overrides.system, Source("state", name="overrides.system", line=1), trusted=True)


def described(agent: Agent | None) -> Body:
    """Who the agent is: SYSTEM.md, else its author's words, else those of house; then its name and manner."""
    named = own_identity(agent)
    sentences = named if isinstance(named, Group) else ""
    for field in ("system_prompt", "identity", "role"):
        text = getattr(agent, field, None) or ""
        if text.strip():
            return Group((Part(text.strip(), from_state(f"agent.{field}"), trusted=True), sentences), sep="\n\n")
    return Group((DEFAULT, sentences), sep="\n\n")


identity = Section(
    "identity", first_of(system_md, described), "static", own_tag("identity"), priority=100, required=True
)


@section("soul", pace="static", frame=own_tag("soul"), priority=60)
def soul(agent: Agent | None) -> Body:
    """The agent's character. A SOUL.md that is empty means none."""
    text = (agent.soul if agent else None) or ""
    if not text.strip():
        return Skip("no soul is given" if agent is None or agent.soul is None else "SOUL.md is empty: no soul")
    return Part(text, Source("state", name="agent.soul", line=1), leaner=heads)


@section("instructions", pace="static", frame=own_tag("instructions"), priority=95)
def instructions(agent: Agent | None, overrides: Overrides | None) -> Body:
    """How the agent works: its author's instructions, then APPEND_SYSTEM.md."""
    own = (agent.instructions if agent else None) or ""
    more = (overrides.append if overrides else None) or ""
    if not own.strip() and not more.strip():
        return Skip("no instructions are given")
    return Group(
        (
            Part(own.strip(), from_state("agent.instructions"), trusted=True, leaner=heads),
            Part(more.strip(), Source("state", name="overrides.append", line=1), trusted=True, leaner=heads),
        ),
        sep="\n\n",
        loose="fair",
        rest=REST,
    )
