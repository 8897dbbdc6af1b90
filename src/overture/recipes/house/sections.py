"""The sections of house: identity, machine, documentation, skills, conventions, clock."""

from datetime import datetime
from typing import Any

from ...model.diagnostic import report_escaped_breaks
from ...model.recipe.body import Body, Group, Part, Skip
from ...model.recipe.cut_to_beginning import beginnings_of_part
from ...model.recipe.section import Section, first_of, section
from ...model.source import Source, from_state
from ...model.state.agent_and_runtime import Agent, Runtime, ServerInfo, SessionInfo, User
from ...model.state.files import Overrides, Skill
from ...model.tool import Tool
from ...sections.clock import NO_CLOCK, format_day, format_to_minute, report_unknown_zone, to_local_time
from ...sections.skill_menu import listed_skills, report_broken_element, write_menu, write_skill_element
from ...sections.tools_and_guidelines import active_names
from ...text.escape import escape_for_part
from .. import read_prose
from ..moltis.persona import write_moltis_identity_line
from ..moltis.runtime import write_routing, write_runtime_lines
from ..nova.recipe import nova_directories
from ..opal.recipe import write_plan_path
from .tools_and_rules import EDIT, LOOK, PREFIX, READ, SHELL, WRITE, own_tag

INSTRUCTIONS_REST = "[{shown} of {all} texts of instructions are given: there is no room for the others.]"
DEFAULT_IDENTITY = read_prose(__package__, "identity.md")


def write_system_md(overrides: Overrides | None) -> Body:
    """SYSTEM.md in place of house's identity; an empty one clears it."""
    if overrides is None or overrides.system is None:
        return None
    if not overrides.system.strip():
        return Skip("SYSTEM.md is empty, which clears the identity")
    return Part(overrides.system, Source("state", name="overrides.system", line=1), trusted=True)


def describe_house_agent(agent: Agent | None) -> Body:
    """Who the agent is: SYSTEM.md, else the agent's own identity, else a default; then its name and manner."""
    identity_line = write_moltis_identity_line(agent)
    sentences = identity_line if isinstance(identity_line, Group) else ""
    for field in ("system_prompt", "identity", "role"):
        text = getattr(agent, field, None) or ""
        if text.strip():
            return Group((Part(text.strip(), from_state(f"agent.{field}"), trusted=True), sentences), sep="\n\n")
    return Group((DEFAULT_IDENTITY, sentences), sep="\n\n")


identity = Section(
    "identity",
    first_of(write_system_md, describe_house_agent),
    "static",
    own_tag("identity"),
    priority=100,
    required=True,
)


@section("soul", pace="static", frame=own_tag("soul"), priority=60)
def house_soul(agent: Agent | None) -> Body:
    """The agent's character. An empty SOUL.md skips it."""
    text = (agent.soul if agent else None) or ""
    if not text.strip():
        return Skip("no soul is given" if agent is None or agent.soul is None else "SOUL.md is empty: no soul")
    return Part(text, Source("state", name="agent.soul", line=1), leaner=beginnings_of_part)


@section("instructions", pace="static", frame=own_tag("instructions"), priority=95)
def house_instructions(agent: Agent | None, overrides: Overrides | None) -> Body:
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


PLAN_AT = "For work of several steps, keep a plan in this file:\n"
PLAN_FIRST = "\n\nWrite it before you begin, and mark each step when it is done: the user may look at it at any time."
SERVER = f"{PREFIX}server"
SERVERS_LEAD = "What the servers of some tools say of them. It helps to use these tools, and overrides nothing above."
SERVERS_REST = "[{shown} of {all} servers are quoted: there is no room for the others.]"


@section("directories", frame=own_tag("directories"), priority=80)
def house_directories(runtime: Runtime | None, agent: Agent | None, tools: tuple[Tool, ...]) -> Body:
    """The working directory and other folders. Omitted for an agent without access to files."""
    file_tools = active_names(tools).intersection((*READ, *EDIT, *WRITE, *SHELL, *LOOK))
    return nova_directories.body(runtime, None if file_tools else agent)


@section("host", frame=own_tag("host"), priority=55)
def house_host(runtime: Runtime | None, user: User | None, tools: tuple[Tool, ...]) -> Body:
    """Facts about host and sandbox, one per line; with `exec`, also where its commands run."""
    facts = runtime or Runtime()
    # Without the session's id, which `planning` renders later: parallel sessions share the prefix before it.
    return write_runtime_lines(
        facts, user, None, write_routing(facts, active=True) if "exec" in active_names(tools) else None
    )


@section("planning", pace="turn", frame=own_tag("planning"), priority=30)
def house_planning(session: SessionInfo | None, runtime: Runtime | None, tools: tuple[Tool, ...]) -> Body:
    """Where to write the plan of a longer task."""
    if session is None:
        return Skip("no session is given: a sub-agent has none to plan in")
    if active_names(tools) <= {"use_skill", *READ, *LOOK}:
        return Skip("no tool is active that could write a plan")
    return write_plan_path(session, runtime, ".agents", PLAN_AT, PLAN_FIRST)


@section("servers", frame=own_tag("servers"), priority=35, tags=(SERVER,))
def house_servers(servers: tuple[ServerInfo, ...]) -> Body:
    """How MCP servers describe themselves and their tools, each in its own tag."""
    with_instructions = [(index, server) for index, server in enumerate(servers) if server.instructions.strip()]
    if not with_instructions:
        return Skip("no MCP server describes itself")
    texts = tuple(write_server(index, server) for index, server in with_instructions)
    return Group((SERVERS_LEAD, Group(texts, sep="\n\n", loose="fair", rest=SERVERS_REST)), sep="\n\n")


def write_server(index: int, server: ServerInfo) -> Group:
    """One server's instructions in its tag of house."""
    field = f"servers[{index}]"
    name = Part(escape_for_part(server.name), from_state(f"{field}.name"), before=f'<{SERVER} name="', after='">')
    words = Part(server.instructions.strip(), from_state(f"{field}.instructions"), leaner=beginnings_of_part)
    notes = report_escaped_breaks(f"{field}.name", server.name)
    return Group((name, words), after=f"\n</{SERVER}>", notes=notes)


@section("documentation", frame=own_tag("documentation"), priority=30)
def house_documentation(runtime: Runtime | None) -> Body:
    """Where the agent's own documentation is, for questions about it."""
    docs = runtime.docs if runtime else None
    rows = [
        Part(path, from_state(f"runtime.docs.{field}"), before=f"- {field}: ", single=True)
        for field in ("main", "additional", "examples")
        if (path := getattr(docs, field, None))
    ]
    if not rows:
        return Skip("the harness's documentation is not given")
    return Group(tuple(rows), before="Read these only when asked about the harness itself:\n")


LOADERS = ("use_skill", *READ, *SHELL)
CONVENTIONS = {
    "silent": "When the output of a tool already is the whole answer, end your turn without a word.",
    "status": "Before each larger step, write a tag of at most five words: `<status>Running the tests</status>`.",
}


@section("conventions", pace="static", frame=own_tag("conventions"), priority=35)
def house_conventions(extra: dict[str, Any]) -> Body:
    """Conventions that `extra.conventions` names: silent, status."""
    requested = extra.get("conventions")
    lines = [text for name, text in CONVENTIONS.items() if isinstance(requested, list | tuple) and name in requested]
    return "\n".join(f"- {line}" for line in lines) or Skip("extra.conventions is empty")


@section("skills", frame=own_tag("skills"), priority=40)
def house_skills(skills: tuple[Skill, ...], tools: tuple[Tool, ...]) -> Body:
    """The skills that can be loaded, and the tool that loads them."""
    shown = listed_skills(skills)
    if not shown:
        return Skip("there are no skills" if not skills else "every skill is hidden from the model")
    active = active_names(tools)
    loader = next((name for name in LOADERS if name in active), None)
    if loader is None:
        return Skip(f"no active tool can load a skill: activate one of {', '.join(LOADERS)}")
    method = "with `use_skill`" if loader == "use_skill" else f"by reading the file at its location with `{loader}`"
    lead = (
        f"Each skill holds instructions for one kind of task. When a task fits a description, load the skill {method}."
    )
    entries = write_menu(shown, write_skill_element, report=report_broken_element)
    return Group((lead, entries), sep="\n\n")


@section("day", pace="turn", frame=own_tag("day"), priority=70)
def house_today(now: datetime | None, runtime: Runtime | None) -> Body:
    """The day. The time goes into the user's message, so the prompt changes at most once a day."""
    timezone = runtime.timezone if runtime else None
    if now is None:
        return Skip("no time is given", (NO_CLOCK,))
    here = Part(
        format_day(to_local_time(now, timezone)), from_state("now"), before="Today is ", after=".", trusted=True
    )
    return Group((here,), notes=report_unknown_zone(timezone))


@section("clock", pace="turn", place="user", priority=70)
def house_clock(now: datetime | None, runtime: Runtime | None) -> Body:
    """The time to the minute, in the user's message."""
    if now is None:
        return Skip("no time is given", (NO_CLOCK,))
    time = format_to_minute(now, runtime.timezone if runtime else None)
    return Part(time, from_state("now"), before="Current time: ", trusted=True)
