"""house: the five's sections under its own tags, ordered by how often they change."""

from datetime import datetime
from typing import Any

from msgspec.structs import replace

from ...model.diagnostic import report_escaped_breaks
from ...model.recipe.body import Body, Group, Part, Skip
from ...model.recipe.cut_to_beginning import beginnings_of_part
from ...model.recipe.recipe import Recipe
from ...model.recipe.rule import SOME, Rule, all_of, has, lacks, rule
from ...model.recipe.section import Frame, Pace, Section, first_of, only_if, section, tag
from ...model.source import Source, from_state
from ...model.state.agent_and_runtime import Agent, Mission, Runtime, ServerInfo, SessionInfo, User
from ...model.state.files import Overrides, Skill, TextFile
from ...model.tool import Tool
from ...model.wants import (
    AgentJsonFile,
    ContextFiles,
    MemoriesFile,
    OverrideFiles,
    PersonaFiles,
    SkillDirs,
    TemplateDirs,
    Wants,
    WorkspaceFiles,
)
from ...sections.clock import NO_CLOCK, format_day, format_to_minute, report_unknown_zone, to_local_time
from ...sections.project_files_and_git import git_status
from ...sections.skill_menu import listed_skills, report_broken_element, write_menu, write_skill_element
from ...sections.tools_and_guidelines import TOOLS_REST, active_names, report_broken_names, write_tool_line, write_tools
from ...sections.tools_and_guidelines import guidelines as table_bullets
from ...text.escape import escape_for_part
from ...text.normalize import to_one_line
from .. import read_prose
from ..moltis.recipe import (
    WORKSPACE_NAMES,
    moltis_calling,
    moltis_memory,
    moltis_user,
    moltis_workspace,
    write_moltis_identity_line,
    write_routing,
    write_runtime_lines,
)
from ..nova.recipe import (
    NOTIFY_USER,
    nova_background,
    nova_directories,
    nova_formatting,
    nova_memories,
    nova_responsibilities,
    nova_storage,
    nova_task,
)
from ..opal.recipe import TOOLS as OPAL
from ..opal.recipe import tag_files, write_plan_path
from ..ptc.recipe import (
    ptc_available_tools,
    ptc_data_inventory,
    ptc_mission,
    ptc_output_format,
    ptc_previous_turn_error,
    ptc_reference,
    ptc_role,
    ptc_rules,
)

PREFIX = "prompt-"
"""Many files contain a plain `<user>`, `<task>` or `<guidelines>`."""
FILE = f"{PREFIX}project-context"


def own_tag(name: str) -> Frame:
    """A tag of house: `<prompt-name>` above and `</prompt-name>` below."""
    return tag(PREFIX + name)


# The guideline table of house. It accepts a tool under any of its names in the five recipes.


READ = ("read", "read_file")
EDIT = ("edit", "edit_file")
WRITE = ("write", "write_file")
SHELL = ("bash", "shell", "zsh", "cmd", "powershell", "exec")
LOOK = ("grep", "find", "ls")

RULES = (
    rule("look_first", has(*READ, *SHELL), "Look at a file before you change it."),
    rule(
        "read_with_the_tool",
        all_of(has(*READ), has(*SHELL)),
        "Read files with the tool for it, not with a shell command.",
    ),
    rule(
        "edit_with_the_tool",
        all_of(has(*EDIT), has(*SHELL)),
        "Change files with the tool for it, not with a shell command or a redirect.",
    ),
    rule("write_new_files", has(*WRITE), "Write whole files only where they are new or change from end to end."),
    rule(
        "explore_with_tools",
        all_of(has(*LOOK), has(*SHELL)),
        "Search and list with the tools for it before you reach for the shell.",
    ),
    rule(
        "explore_with_shell", all_of(has(*SHELL), lacks(*READ, *LOOK)), "Use the shell to read, search and list files."
    ),
    rule("ask_rarely", has("ask_user"), "Ask the user only what nothing within reach can answer."),
    rule("delegate_whole_tasks", has("sub_agent"), "Hand over tasks that stand on their own, and say what you expect."),
    rule("own_words", SOME, "Say in your own words what a tool's result means.", last=True),
    rule("name_files", SOME, "Name the files that you speak of by their paths.", last=True),
)


OPAL_TOOLS = {tool.name: tool for tool in OPAL}
TOOLS = (
    replace(OPAL_TOOLS["read_file"], name="read", description="Read a file."),
    replace(OPAL_TOOLS["edit_file"], name="edit"),
    replace(OPAL_TOOLS["write_file"], name="write", description="Create a file, or replace all of it."),
    replace(OPAL_TOOLS["shell"], name="bash"),
    OPAL_TOOLS["use_skill"],
    OPAL_TOOLS["sub_agent"],
    OPAL_TOOLS["ask_user"],
    NOTIFY_USER,
)
"""Opal's tools under shorter names, and one for runs in the background."""
PLANNING = "For planning only; do not call them:\n"


def write_program_tools(mission: Mission | None, tools: tuple[Tool, ...]) -> Body:
    """House's tools as signatures, with `return` and `fail`, if the mission asks for a program."""
    return None if mission is None else ptc_available_tools.body(tools, mission)


def write_house_tools(tools: tuple[Tool, ...], native_tools: bool) -> Body:
    """The active tools: one line each if the provider gets their schemas, otherwise in full."""
    active = [(index, tool) for index, tool in enumerate(tools) if not tool.planning_only]
    planned = [(index, tool) for index, tool in enumerate(tools) if tool.planning_only]
    if not tools:
        return Skip("no tool is active")
    lines = [write_tool_line(i, t, to_one_line(t.description or t.snippet or ""), "description") for i, t in planned]
    plan = Group(tuple(lines), before=PLANNING, loose="fair", rest=TOOLS_REST)
    notes = report_broken_names(enumerate(tools))
    return Group((write_tools(active, native=native_tools), plan), sep="\n\n", notes=notes)


tools = replace(
    ptc_available_tools,
    name="tools",
    body=first_of(write_program_tools, write_house_tools),
    pace="static",
    frame=own_tag("tools"),
    priority=85,
)


@section("calling", pace="static", frame=own_tag("calling"), priority=85)
def house_calling(tools: tuple[Tool, ...], native_tools: bool, mission: Mission | None) -> Body:
    """How to write a tool call, if neither the provider nor a program has its own format."""
    if mission is not None:
        return Skip("the program calls its tools itself")
    return moltis_calling.body(tools, native_tools)


@section("guidelines", pace="static", frame=own_tag("guidelines"), priority=60, rules=RULES)
def house_guidelines(rules: tuple[Rule, ...], tools: tuple[Tool, ...]) -> Body:
    """How to use the active tools, and what the tools themselves ask for."""
    return table_bullets(rules, tools) or Skip("no tool is active")


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


def retag_section(section: Section, name: str, pace: Pace) -> Section:
    """A section of one of the five recipes in a tag of house."""
    return replace(section, name=name, pace=pace, frame=own_tag(name))


def require_mission(section: Section) -> Section:
    """A section of PtcRunner that house renders only with a mission."""
    body = only_if("mission", section.body, "no mission is given")
    return replace(section, name=f"program-{section.name}", body=body, frame=own_tag(f"program-{section.name}"))


@section("project-context", tags=(FILE,), priority=70)
def house_project_context(context_files: tuple[TextFile, ...]) -> Body:
    """The project's own instructions, outermost file first."""
    return tag_files(context_files, FILE)


@section("storage", pace="static", frame=own_tag("storage"), priority=40)
def advise_house_storage(agent: Agent | None) -> Body:
    """What to store where, for an agent whose capabilities are given."""
    if agent is None or agent.capabilities is None:
        return Skip("the agent's capabilities are not set")
    return nova_storage.body(agent)


RECIPE = Recipe(
    "house",
    sections=(
        identity,
        house_soul,
        house_instructions,
        retag_section(nova_responsibilities, "responsibilities", "static"),
        advise_house_storage,
        require_mission(ptc_role),
        require_mission(ptc_rules),
        require_mission(ptc_reference),
        require_mission(ptc_output_format),
        tools,
        house_calling,
        house_guidelines,
        retag_section(moltis_memory, "memory", "static"),
        house_conventions,
        retag_section(nova_formatting, "formatting", "session"),
        house_skills,
        house_project_context,
        retag_section(moltis_workspace, "workspace", "session"),
        retag_section(moltis_user, "user", "session"),
        house_directories,
        house_host,
        house_documentation,
        house_servers,
        retag_section(nova_memories, "memories", "turn"),
        house_planning,
        retag_section(ptc_data_inventory, "data", "turn"),
        retag_section(ptc_mission, "mission", "turn"),
        retag_section(nova_task, "task", "turn"),
        retag_section(nova_background, "background", "turn"),
        retag_section(ptc_previous_turn_error, "previous-turn-error", "turn"),
        house_today,
        retag_section(git_status, "git", "turn"),
        house_clock,
    ),
    about=(
        "Overture's own recipe: everything that the other five have, in tags, stable before volatile, "
        "the clock in the user message."
    ),
    wants=Wants(
        context=ContextFiles(
            ("AGENTS.md", "CLAUDE.md"), take="first", home=("{folder}/AGENTS.md",), nested=True, imports=True
        ),
        skills=SkillDirs(
            project=("{folder}/skills", ".claude/skills", ".github/skills"),
            home=("{folder}/skills", ".claude/skills"),
            ancestors=True,
        ),
        overrides=OverrideFiles("SYSTEM.md", "APPEND_SYSTEM.md", project="{folder}", home="{folder}"),
        persona=PersonaFiles("{folder}"),
        workspace=WorkspaceFiles("{folder}", WORKSPACE_NAMES[1:]),
        agent=AgentJsonFile("{folder}/agent.json"),
        memories=MemoriesFile("{folder}/memories.json"),
        templates=TemplateDirs(project=("{folder}/prompts",), home=("{folder}/prompts",)),
        runtime=True,
        git=True,
    ),
    tools=TOOLS,
    active=("read", "edit", "write", "bash"),
    settings={"folder": ".agents"},
)
