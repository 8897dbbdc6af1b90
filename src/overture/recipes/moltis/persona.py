"""Who speaks, and to whom: introduction, identity, soul, user."""

from ...model.diagnostic import warning
from ...model.line_breaks import line_breaks
from ...model.recipe.body import Body, Group, Part, Skip
from ...model.recipe.section import Section, heading, section
from ...model.source import Source, from_state
from ...model.state.agent import Agent, User
from ...model.state.tool import Tool
from ...sections.combine_bodies import first_of
from ...sections.guidelines import active_names
from ...sections.shorten_text import heads
from ...text.normalize import one_line, tidy
from .. import prose

SOUL = prose(__package__, "soul.md")
WITH_TOOLS = "You are a helpful assistant with access to tools for executing shell commands."
WITHOUT_TOOLS = "You are a helpful assistant. Answer questions clearly and concisely."
IDENTITY = ("name", "emoji", "creature", "vibe")


@section("introduction", pace="static", priority=100, required=True)
def introduction(tools: tuple[Tool, ...]) -> Body:
    """What the assistant is: one with tools, or one without."""
    active = active_names(tools)
    if not active:
        return WITHOUT_TOOLS
    if "exec" in active:
        return WITH_TOOLS
    # The words are fixed, so the reader of the prompt is told instead.
    promised = warning("tool-inactive", "the introduction speaks of shell commands, and `exec` is not an active tool")
    return Group((WITH_TOOLS,), notes=(promised,))


def custom_prompt(agent: Agent | None) -> Body:
    """The caller's own prompt, as it stands."""
    if agent is None or not (agent.system_prompt or "").strip():
        return None
    return Part(agent.system_prompt or "", from_state("agent.system_prompt"), trusted=True)


def own_identity(agent: Agent | None) -> Body:
    """The agent's name, what it is, and its manner, on one line; or `agent.system_prompt` in their place."""
    given = [field for field in IDENTITY if _text(agent, field)]
    if not given:
        return Skip("no identity is given")
    if given == ["emoji"]:
        return Skip("an emoji without a name says nothing")
    name = ("name", "emoji") if "name" in given else ()
    shown = (*name, "creature", "vibe")
    return Group(
        (
            Group(tuple([_part(agent, field) for field in name]), sep=" ", before="Your name is ", after="."),
            Group((_part(agent, "creature"),), before="You are a ", after="."),
            Group((_part(agent, "vibe"),), before="Your vibe: ", after="."),
        ),
        sep=" ",
        notes=tuple([note for f in shown for note in line_breaks(f"agent.{f}", getattr(agent, f, None))]),
    )


identity = Section("identity", first_of(custom_prompt, own_identity), "static", priority=95)


@section("soul", pace="static", frame=heading("## Soul"), priority=60)
def soul(agent: Agent | None) -> Body:
    """The agent's character: SOUL.md, or else Moltis's own."""
    if custom_prompt(agent) is not None:
        return Skip("agent.system_prompt takes the place of identity and soul")
    text, skipped = tidy((agent.soul if agent else None) or "")
    if text:
        return Part(text, Source("state", name="agent.soul", line=1 + skipped), leaner=heads)
    # An identity that is there brings a soul, even where none of its fields says anything.
    return Skip("neither an identity nor a soul is given") if agent is None else SOUL


@section("user", priority=65)
def user(user: User | None) -> Body:
    """The user's name."""
    name = one_line((user.name if user else None) or "")
    if not name:
        return Skip("the user's name is not given")
    said = Part(name, from_state("user.name"), before="The user's name is ", after=".")
    return Group((said,), notes=line_breaks("user.name", user.name if user else None))


def _text(agent: Agent | None, field: str) -> str:
    return one_line(getattr(agent, field, None) or "")


def _part(agent: Agent | None, field: str) -> Part:
    return Part(_text(agent, field), from_state(f"agent.{field}"), name=field)
