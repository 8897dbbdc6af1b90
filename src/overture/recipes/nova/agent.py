"""Nova's slow half: who the agent is, how it works, what its duties are. Its author's words, as they stand."""

from ...model.diagnostic import Diagnostic, warning
from ...model.line_breaks import escaped_breaks
from ...model.recipe.body import Body, Group, Part, Skip
from ...model.recipe.section import section, tag
from ...model.source import from_state
from ...model.state.agent import Agent, Responsibility
from ...sections.escape_markup import escaped, indented
from ...sections.shorten_text import heads
from ...text.normalize import tidy

REST = "  [{shown} of {all} responsibilities are given: there is no room for the others.]"


@section("identity", pace="static", tags=("Identity", "Role"), priority=100, required=True)
def identity(agent: Agent | None) -> Body:
    """Who the agent is: `agent.system_prompt`, or else `agent.identity`, or else the older `agent.role`."""
    given = agent or Agent()
    said, role = _text(given.identity), _text(given.role)
    if custom := _text(given.system_prompt):
        return _tagged("Identity", custom, "agent.system_prompt")
    if said:
        return _tagged("Identity", said, "agent.identity", _unused(role))
    if role:
        return _tagged("Role", role, "agent.role")
    return Skip("the agent has neither an identity nor a role")


@section("instructions", pace="static", frame=tag("Instructions"), priority=95)
def instructions(agent: Agent | None) -> Body:
    """How the agent works. An agent of the older form, with a role alone, has no place for it."""
    given = agent or Agent()
    text = _text(given.instructions)
    if not text:
        return Skip("the agent has no instructions")
    if not (_text(given.identity) or _text(given.system_prompt)):
        return Skip("instructions stand only beside an identity, and the agent has none: give agent.identity")
    return Part(text, from_state("agent.instructions"), trusted=True, leaner=heads)


@section("responsibilities", pace="static", frame=tag("Responsibilities"), priority=85, children=("Responsibility",))
def responsibilities(agent: Agent | None) -> Body:
    """The agent's duties, each addressable by its title."""
    given = agent.responsibilities if agent else ()
    if not given:
        return Skip("the agent has no responsibilities")
    duties = [duty(index, each) for index, each in enumerate(given) if each.content.strip()]
    notes = tuple(_blank(index, each) for index, each in enumerate(given) if not each.content.strip())
    loose = Group(tuple(duties), notes=notes, loose="fair", rest=REST)
    return loose if duties else Skip("every responsibility is blank", notes)


def duty(index: int, given: Responsibility) -> Group:
    """One `<Responsibility>`, moved right by two; its content can't close it."""
    field = f"agent.responsibilities[{index}]"
    before, after = '  <Responsibility title="', '">'
    title = Part(escaped(given.title), from_state(f"{field}.title"), before=before, after=after)
    content = Part(
        indented(_text(given.content), "    "),
        from_state(f"{field}.content"),
        name=given.title,
        guard=("Responsibility",),
        leaner=heads,
    )
    notes = escaped_breaks(f"{field}.title", given.title)
    return Group((title if title.text else before + after, content), after="\n  </Responsibility>", notes=notes)


def _text(text: str | None) -> str:
    return tidy(text or "")[0]


def _tagged(name: str, text: str, field: str, notes: tuple[Diagnostic, ...] = ()) -> Group:
    part = Part(text, from_state(field), trusted=True)
    return Group((part,), before=f"<{name}>\n", after=f"\n</{name}>", notes=notes)


def _unused(role: str) -> tuple[Diagnostic, ...]:
    message = "agent.role is not used: agent.identity stands in its place; delete one of them"
    return (warning("role-unused", message),) if role else ()


def _blank(index: int, given: Responsibility) -> Diagnostic:
    message = f"agent.responsibilities[{index}], {given.title!r}, has no content and is left out"
    return warning("responsibility-blank", message)
