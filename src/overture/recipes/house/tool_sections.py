"""What the agent can reach: its tools, those it may only plan with, the machine, and the harness's documentation."""

from msgspec.structs import replace

from ...model.recipe.body import Body, Group, Part, Skip
from ...model.recipe.section import section
from ...model.source import from_state
from ...model.state.agent import Agent, User
from ...model.state.runtime import Runtime
from ...model.state.tasks import Mission, SessionInfo
from ...model.state.tool import Tool
from ...sections.combine_bodies import first_of
from ...sections.guidelines import active_names
from ...sections.tool_lines import MORE, broken_names, in_full, line, short_line
from ...text.normalize import one_line
from ..moltis.guidance import calling as moltis_calling
from ..moltis.runtime import routing, told
from ..nova.recipe import directories as nova_directories
from ..ptc.tools import available_tools
from .frames import own_tag
from .rules import EDIT, LOOK, READ, SHELL, WRITE

DESCRIPTION = 160
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
    lines = [line(i, t, one_line(t.description or t.snippet or ""), "description") for i, t in planned]
    plan = Group(tuple(lines), before=PLANNING, loose="fair", rest=MORE)
    notes = broken_names(enumerate(tools))
    if native_tools:
        menu = Group(tuple([short_line(i, t, DESCRIPTION) for i, t in active]), loose="fair", rest=MORE)
        return Group((menu, plan), sep="\n\n", notes=notes)
    headings = tuple(f"### {one_line(tool.name)}" for _, tool in active)
    described = tuple([in_full(i, t, "###", headings) for i, t in active])
    return Group((Group(described, sep="\n\n", loose="fair", rest=MORE), plan), sep="\n\n", notes=notes)


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
    given = runtime or Runtime()
    # Without the session's id, which `planning` tells later: sessions beside each other share all that comes before.
    return told(given, user, None, routing(given, active=True) if "exec" in active_names(tools) else None)


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
