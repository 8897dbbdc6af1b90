"""The sections of house: identity, tools, machine, documentation, skills, conventions, clock."""

from datetime import datetime
from typing import Any

from msgspec.structs import replace

from ...model.recipe.body import Body, Group, Part, Skip
from ...model.recipe.section import Section, first_of, section
from ...model.recipe.shorten import beginnings_of_part
from ...model.source import Source, from_state
from ...model.state.agent_and_task import Agent, Mission, SessionInfo, User
from ...model.state.files import Overrides, Skill
from ...model.state.runtime import Runtime
from ...model.tool.tool import Tool
from ...sections.clock import NO_CLOCK, format_day, format_to_minute, report_unknown_zone, to_local_time
from ...sections.skill_menu import listed_skills, report_broken_element, write_menu, write_skill_element
from ...sections.tools_and_guidelines import (
    TOOLS_REST,
    active_names,
    report_broken_names,
    write_short_tool_line,
    write_tool_in_full,
    write_tool_line,
)
from ...text.normalize import to_one_line
from .. import prose
from ..moltis.persona import own_identity
from ..moltis.runtime import routing, runtime_lines
from ..moltis.tools import calling as moltis_calling
from ..nova.recipe import directories as nova_directories
from ..ptc.tools import available_tools
from .tools_and_rules import EDIT, LOOK, READ, SHELL, WRITE, own_tag

INSTRUCTIONS_REST = "[{shown} of {all} texts of instructions are given: there is no room for the others.]"
DEFAULT_IDENTITY = prose(__package__, "identity.md")


def system_md(overrides: Overrides | None) -> Body:
    """SYSTEM.md in place of the identity; an empty one clears it."""
    if overrides is None or overrides.system is None:
        return None
    if not overrides.system.strip():
        return Skip("SYSTEM.md is empty, which clears the identity")
    return Part(overrides.system, Source("state", name="overrides.system", line=1), trusted=True)


def describe_agent(agent: Agent | None) -> Body:
    """Who the agent is: SYSTEM.md, else its author's words, else those of house; then its name and manner."""
    named = own_identity(agent)
    sentences = named if isinstance(named, Group) else ""
    for field in ("system_prompt", "identity", "role"):
        text = getattr(agent, field, None) or ""
        if text.strip():
            return Group((Part(text.strip(), from_state(f"agent.{field}"), trusted=True), sentences), sep="\n\n")
    return Group((DEFAULT_IDENTITY, sentences), sep="\n\n")


identity = Section(
    "identity", first_of(system_md, describe_agent), "static", own_tag("identity"), priority=100, required=True
)


@section("soul", pace="static", frame=own_tag("soul"), priority=60)
def soul(agent: Agent | None) -> Body:
    """The agent's character. A SOUL.md that is empty means none."""
    text = (agent.soul if agent else None) or ""
    if not text.strip():
        return Skip("no soul is given" if agent is None or agent.soul is None else "SOUL.md is empty: no soul")
    return Part(text, Source("state", name="agent.soul", line=1), leaner=beginnings_of_part)


@section("instructions", pace="static", frame=own_tag("instructions"), priority=95)
def instructions(agent: Agent | None, overrides: Overrides | None) -> Body:
    """How the agent works: its author's instructions, then APPEND_SYSTEM.md."""
    own = (agent.instructions if agent else None) or ""
    more = (overrides.append if overrides else None) or ""
    if not own.strip() and not more.strip():
        return Skip("no instructions are given")
    return Group(
        (
            Part(own.strip(), from_state("agent.instructions"), trusted=True, leaner=beginnings_of_part),
            Part(
                more.strip(), Source("state", name="overrides.append", line=1), trusted=True, leaner=beginnings_of_part
            ),
        ),
        sep="\n\n",
        loose="fair",
        rest=INSTRUCTIONS_REST,
    )


# What the agent can reach: its tools, those it may only plan with, the machine, and the harness's documentation.


MAX_DESCRIPTION_CHARS = 160
"""Characters of a description that a line shows where the provider has the rest."""
PLAN_AT = "For work of several steps, keep a plan in this file:\n"
PLAN_FIRST = "\n\nWrite it before you begin, and mark each step when it is done: the user may look at it at any time."
PLANNING = "For planning only; do not call them:\n"


def program_tools(mission: Mission | None, tools: tuple[Tool, ...]) -> Body:
    """The tools as signatures, with `return` and `fail`, where a program is to be written."""
    return None if mission is None else available_tools.body(tools, mission)


def called_tools(tools: tuple[Tool, ...], native_tools: bool) -> Body:
    """The active tools: a line each where the provider knows their schemas, or else in full."""
    active = [(index, tool) for index, tool in enumerate(tools) if not tool.planning_only]
    planned = [(index, tool) for index, tool in enumerate(tools) if tool.planning_only]
    if not tools:
        return Skip("no tool is active")
    lines = [write_tool_line(i, t, to_one_line(t.description or t.snippet or ""), "description") for i, t in planned]
    plan = Group(tuple(lines), before=PLANNING, loose="fair", rest=TOOLS_REST)
    notes = report_broken_names(enumerate(tools))
    if native_tools:
        menu = Group(
            tuple([write_short_tool_line(i, t, MAX_DESCRIPTION_CHARS) for i, t in active]),
            loose="fair",
            rest=TOOLS_REST,
        )
        return Group((menu, plan), sep="\n\n", notes=notes)
    headings = tuple(f"### {to_one_line(tool.name)}" for _, tool in active)
    described = tuple([write_tool_in_full(i, t, "###", headings) for i, t in active])
    return Group((Group(described, sep="\n\n", loose="fair", rest=TOOLS_REST), plan), sep="\n\n", notes=notes)


tools = replace(
    available_tools,
    name="tools",
    body=first_of(program_tools, called_tools),
    pace="static",
    frame=own_tag("tools"),
    priority=85,
)


@section("calling", pace="static", frame=own_tag("calling"), priority=85)
def calling(tools: tuple[Tool, ...], native_tools: bool, mission: Mission | None) -> Body:
    """How to write a tool call, where neither the provider nor a program has a form of its own for it."""
    if mission is not None:
        return Skip("the program calls its tools itself")
    return moltis_calling.body(tools, native_tools)


@section("directories", frame=own_tag("directories"), priority=80)
def directories(runtime: Runtime | None, agent: Agent | None, tools: tuple[Tool, ...]) -> Body:
    """The working directory and the others; none for an agent with neither a tool nor a capability for files."""
    able = active_names(tools).intersection((*READ, *EDIT, *WRITE, *SHELL, *LOOK))
    return nova_directories.body(runtime, None if able else agent)


@section("host", frame=own_tag("host"), priority=55)
def host(runtime: Runtime | None, user: User | None, tools: tuple[Tool, ...]) -> Body:
    """Facts about host and sandbox, a line each; where `exec` is active, how its commands are routed between them."""
    facts = runtime or Runtime()
    # Without the session's id, which `planning` tells later: sessions beside each other share all that comes before.
    return runtime_lines(facts, user, None, routing(facts, active=True) if "exec" in active_names(tools) else None)


@section("planning", pace="turn", frame=own_tag("planning"), priority=30)
def planning(session: SessionInfo | None, runtime: Runtime | None) -> Body:
    """Where to keep the plan of a longer piece of work."""
    if session is None:
        return Skip("no session is given: a sub-agent has none to plan in")
    home = ((runtime.home if runtime else None) or "~").rstrip("/")
    path = session.plan_path or f"{home}/.agents/sessions/{session.id}/plan.md"
    field = "session.plan_path" if session.plan_path else "session.id"
    return Part(path, from_state(field), before=PLAN_AT, after=PLAN_FIRST, single=True)


@section("documentation", frame=own_tag("documentation"), priority=30)
def documentation(runtime: Runtime | None) -> Body:
    """Where the harness explains itself, for questions about it."""
    docs = runtime.docs if runtime else None
    rows = [
        Part(path, from_state(f"runtime.docs.{field}"), before=f"- {field}: ", single=True)
        for field in ("main", "additional", "examples")
        if (path := getattr(docs, field, None))
    ]
    if not rows:
        return Skip("the harness's documentation is not given")
    return Group(tuple(rows), before="Read these only when asked about the harness itself:\n")


# What house says of skills, conventions and time: aware of who can read, and of what was asked for.


LOADERS = ("use_skill", *READ, *SHELL)
CONVENTIONS = {
    "silent": "When the output of a tool already is the whole answer, end your turn without a word.",
    "status": "Before each larger step, write a tag of at most five words: `<status>Running the tests</status>`.",
}


@section("conventions", pace="static", frame=own_tag("conventions"), priority=35)
def conventions(extra: dict[str, Any]) -> Body:
    """Conventions of the harness, where `extra.conventions` asks for them: silent, status."""
    requested = extra.get("conventions")
    lines = [text for name, text in CONVENTIONS.items() if isinstance(requested, list | tuple) and name in requested]
    return "\n".join(f"- {line}" for line in lines) or Skip("extra.conventions asks for none")


@section("skills", frame=own_tag("skills"), priority=40)
def skills(skills: tuple[Skill, ...], tools: tuple[Tool, ...]) -> Body:
    """The skills that can be loaded, and the tool that loads them."""
    shown = listed_skills(skills)
    if not shown:
        return Skip("there are no skills" if not skills else "every skill is kept out of menus")
    active = active_names(tools)
    loader = next((name for name in LOADERS if name in active), None)
    if loader is None:
        return Skip(f"no active tool can load a skill: it takes one of {', '.join(LOADERS)}")
    method = "with `use_skill`" if loader == "use_skill" else f"by reading the file at its location with `{loader}`"
    lead = (
        f"Each skill holds instructions for one kind of task. When a task fits a description, load the skill {method}."
    )
    entries = write_menu(shown, write_skill_element, noted=report_broken_element)
    return Group((lead, entries), sep="\n\n")


@section("day", pace="turn", frame=own_tag("day"), priority=70)
def today(now: datetime | None, runtime: Runtime | None) -> Body:
    """The day. The clock goes into the user's message, so that the prompt changes once a day at most."""
    timezone = runtime.timezone if runtime else None
    if now is None:
        return Skip("no time is given", (NO_CLOCK,))
    here = Part(
        format_day(to_local_time(now, timezone)), from_state("now"), before="Today is ", after=".", trusted=True
    )
    return Group((here,), notes=report_unknown_zone(timezone))


@section("clock", pace="turn", place="user", priority=70)
def clock(now: datetime | None, runtime: Runtime | None) -> Body:
    """The time, to the minute, in the user's message."""
    if now is None:
        return Skip("no time is given", (NO_CLOCK,))
    time = format_to_minute(now, runtime.timezone if runtime else None)
    return Part(time, from_state("now"), before="Current time: ", trusted=True)
