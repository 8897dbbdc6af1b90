"""Nova: identity, responsibilities, directories, storage, formatting, clock, memories, task and background."""

import re
from collections.abc import Iterator
from datetime import datetime

from ...model.diagnostic import Diagnostic, report_escaped_breaks, report_line_breaks, warning
from ...model.recipe.body import Body, Group, Part, Skip
from ...model.recipe.cut_to_beginning import beginnings_of_part
from ...model.recipe.recipe import Recipe
from ...model.recipe.section import section, tag
from ...model.source import from_state
from ...model.state.agent_and_runtime import Agent, Responsibility, Runtime, Step, Task
from ...model.tool import Tool, takes, text
from ...model.wants import AgentJsonFile, MemoriesFile, Wants
from ...sections.clock import NO_CLOCK, format_to_minute, report_unknown_zone
from ...sections.tools_and_guidelines import active_names
from ...text.escape import escape_for_part, indent_lines
from ...text.normalize import tidy, to_one_line
from .. import read_prose

DUTIES_REST = "  [{shown} of {all} responsibilities are given: there is no room for the others.]"


@section("identity", pace="static", tags=("Identity", "Role"), priority=100, required=True)
def nova_identity(agent: Agent | None) -> Body:
    """Who the agent is: `agent.system_prompt`, or else `agent.identity`, or else the older `agent.role`."""
    profile = agent or Agent()
    own, role = _tidy_agent_text(profile.identity), _tidy_agent_text(profile.role)
    if custom := _tidy_agent_text(profile.system_prompt):
        return _write_tagged("Identity", custom, "agent.system_prompt")
    if own:
        unused = "agent.role is not used: agent.identity replaces it; delete one of them"
        notes = (warning("role-unused", unused),) if role else ()
        return _write_tagged("Identity", own, "agent.identity", notes)
    if role:
        return _write_tagged("Role", role, "agent.role")
    return Skip("the agent has neither an identity nor a role")


@section("instructions", pace="static", frame=tag("Instructions"), priority=95)
def nova_instructions(agent: Agent | None) -> Body:
    """How the agent works. Omitted for an agent that has only the older `agent.role`."""
    profile = agent or Agent()
    text = _tidy_agent_text(profile.instructions)
    if not text:
        return Skip("the agent has no instructions")
    if not (_tidy_agent_text(profile.identity) or _tidy_agent_text(profile.system_prompt)):
        return Skip("instructions need an identity, and the agent has none: set agent.identity")
    return Part(text, from_state("agent.instructions"), trusted=True, leaner=beginnings_of_part)


@section("responsibilities", pace="static", frame=tag("Responsibilities"), priority=85, children=("Responsibility",))
def nova_responsibilities(agent: Agent | None) -> Body:
    """The agent's duties, each addressable by its title."""
    listed = agent.responsibilities if agent else ()
    if not listed:
        return Skip("the agent has no responsibilities")
    duties = [write_duty(index, each) for index, each in enumerate(listed) if each.content.strip()]
    blank = [(index, each.title) for index, each in enumerate(listed) if not each.content.strip()]
    messages = (f"agent.responsibilities[{index}], {title!r}, has no content and is skipped" for index, title in blank)
    notes = tuple(warning("responsibility-blank", message) for message in messages)
    loose = Group(tuple(duties), notes=notes, loose="fair", rest=DUTIES_REST)
    return loose if duties else Skip("every responsibility is blank", notes)


def write_duty(index: int, duty: Responsibility) -> Group:
    """One `<Responsibility>` of Nova, indented by two spaces. Its content can't close it."""
    field = f"agent.responsibilities[{index}]"
    before, after = '  <Responsibility title="', '">'
    title = Part(escape_for_part(duty.title), from_state(f"{field}.title"), before=before, after=after)
    content = Part(
        indent_lines(_tidy_agent_text(duty.content), "    "),
        from_state(f"{field}.content"),
        name=duty.title,
        guard=("Responsibility",),
        leaner=beginnings_of_part,
    )
    notes = report_escaped_breaks(f"{field}.title", duty.title)
    return Group((title if title.text else before + after, content), after="\n  </Responsibility>", notes=notes)


def _tidy_agent_text(text: str | None) -> str:
    """A text of Nova's agent without blanks around it."""
    return tidy(text or "")[0]


def _write_tagged(name: str, text: str, field: str, notes: tuple[Diagnostic, ...] = ()) -> Group:
    """A text of Nova's agent in a tag of that name."""
    part = Part(text, from_state(field), trusted=True)
    return Group((part,), before=f"<{name}>\n", after=f"\n</{name}>", notes=notes)


BACKGROUND = (
    "You are running in the background (scheduled task). Your responses will NOT be sent to the user automatically.\n"
    "If you need to notify the user about something important, use the notify_user tool."
)
MEMORIES_REST = "- [{shown} of {all} memories are given: there is no room for the others.]"


@section("context", pace="turn", frame=tag("Context"), priority=80, required=True)
def nova_context(now: datetime | None, runtime: Runtime | None) -> Body:
    """The time to the minute, and its time zone."""
    timezone = runtime.timezone if runtime else None
    if now is None:
        return Skip("no time is given", (NO_CLOCK, *report_unknown_zone(timezone)))
    time = Part(format_to_minute(now, timezone), from_state("now"), before="Current time: ", trusted=True)
    return Group((time,), notes=report_unknown_zone(timezone))


@section("memories", pace="turn", frame=tag("Memories"), priority=60)
def nova_memories(memories: tuple[str, ...]) -> Body:
    """What all agents know: one bullet for each memory."""
    if not memories:
        return Skip("there are no memories")
    parts = [
        Part(
            write_item(text),
            from_state(f"memories[{index}]"),
            name=f"memories[{index}]",
            before="- ",
            leaner=beginnings_of_part,
        )
        for index, text in enumerate(memories)
    ]
    blank = tuple(f"{part.name} is blank" for part in parts if not part.text)
    if len(blank) == len(parts):
        return Skip("every memory is blank")
    return Group(tuple(parts), loose="fair", rest=MEMORIES_REST, omits=blank)


@section("task", pace="turn", frame=tag("Task"), priority=90)
def nova_task(task: Task | None) -> Body:
    """The task of this run, and its progress."""
    if task is None:
        return Skip("the run is not bound to a task")
    after = ". Focus solely on progressing this task."
    focus = Part(to_one_line(str(task.id)), from_state("task.id"), before="You are working on task #", after=after)
    lines = (
        Part(to_one_line(task.title), from_state("task.title"), before="Title: "),
        Part(write_item(task.description or ""), from_state("task.description"), before="Description: "),
        Part(to_one_line(task.status or ""), from_state("task.status"), before="Status: "),
        Group(tuple(write_steps(task.steps)), before="Steps:\n"),
    )
    return Group((focus, Group(lines)), sep="\n\n", notes=tuple(_report_line_breaks(task)))


def _report_line_breaks(task: Task) -> Iterator[Diagnostic]:
    """Nova's warnings about line breaks in single-line fields of a task. A description may have several lines."""
    yield from report_line_breaks("task.id", str(task.id))
    yield from report_line_breaks("task.title", task.title)
    yield from report_line_breaks("task.status", task.status)
    for index, step in enumerate(task.steps):
        yield from report_line_breaks(f"task.steps[{index}].title", step.title)


def write_steps(steps: tuple[Step, ...]) -> list[Part | str]:
    """The steps of Nova's task: ✓ done, → the first open step, ○ the others. One without a title keeps its number."""
    current = next((index for index, step in enumerate(steps) if not step.done), None)
    lines: list[Part | str] = []
    for index, step in enumerate(steps):
        mark = "✓" if step.done else "→" if index == current else "○"
        before, after = f"{index + 1}. {mark}", " (done)" if step.done else ""
        title = to_one_line(step.title)
        source = from_state(f"task.steps[{index}].title")
        lines.append(Part(title, source, before=f"{before} ", after=after) if title else before + after)
    return lines


@section("background", pace="turn", frame=tag("Background"), priority=90)
def nova_background(background: bool, tools: tuple[Tool, ...]) -> Body:
    """Nobody reads the answer: how to reach the user anyway."""
    if not background:
        return Skip("the run is not in the background")
    if "notify_user" in active_names(tools):
        return BACKGROUND
    message = "the background section mentions `notify_user`, which is not an active tool"
    return Group((BACKGROUND,), notes=(warning("tool-inactive", message),))


def write_item(text: str) -> str:
    """A text as an item of Nova's lists. Further lines are indented, so that none can imitate the next item."""
    return indent_lines(tidy(text)[0].strip(), "  ").strip()


STORAGE = read_prose(__package__, "storage.md").split("\n")
TELEGRAM = read_prose(__package__, "telegram.md")
LOOK_FIRST = "\nThere may already be existing files — check before creating new ones."
OTHER_DIRECTORIES_INTRO = "You also have access to these additional directories:\n"


@section("directories", frame=tag("Directories"), priority=80)
def nova_directories(runtime: Runtime | None, agent: Agent | None) -> Body:
    """The working directory and other folders. Omitted for an agent without access to files."""
    facts = runtime or Runtime()
    cwd = Part(
        (facts.cwd or "").strip(),
        from_state("runtime.cwd"),
        single=True,
        before="Your working directory is: ",
        after=LOOK_FIRST,
    )
    others = [
        Part(path.strip(), from_state(f"runtime.directories[{index}]"), before="- ", single=True)
        for index, path in enumerate(facts.directories)
    ]
    if not any(part.text for part in (cwd, *others)):
        return Skip("neither a working directory nor any other is given")
    if not can_access_files(agent) and not any(part.text for part in others):
        return Skip("the agent can't read files: agent.capabilities has no `files`, and no directory is set")
    return Group((cwd, Group(tuple(others), before=OTHER_DIRECTORIES_INTRO)), sep="\n\n")


def can_access_files(agent: Agent | None) -> bool:
    """Whether Nova's agent can access files. An agent without `capabilities` can."""
    return agent is None or agent.capabilities is None or "files" in agent.capabilities


@section("storage", pace="static", frame=tag("Storage"), priority=40)
def nova_storage(agent: Agent | None) -> Body:
    """What to store where, for each kind of storage that the agent has."""
    capabilities = agent.capabilities if agent else None
    if capabilities is None:
        return "\n".join(STORAGE)
    if not capabilities:
        return Skip("the agent has no capabilities: agent.capabilities is empty")
    return "\n".join(line for line in STORAGE if applies_to_capabilities(line, capabilities))


def applies_to_capabilities(line: str, capabilities: tuple[str, ...]) -> bool:
    """Whether a line of Nova's storage applies: a bullet needs the capability in bold; other lines always apply."""
    bold_word = re.search(r"\*\*(\w+)\*\*", line)
    return bold_word is None or bold_word[1].lower() in capabilities


@section("formatting", frame=tag("Formatting"), priority=50)
def nova_formatting(channel: str | None) -> Body:
    """How to format answers for the channel. Only Telegram has rules."""
    if not (channel or "").strip():
        return Skip("no channel is given")
    if not str(channel).strip().lower().startswith("telegram"):
        return Skip(f"the channel {channel!r} has no formatting rules of its own")
    return TELEGRAM


NOTIFY_USER = Tool(
    "notify_user", "Send the user a message from a run in the background.", takes({"text": text("The message.")})
)
RECIPE = Recipe(
    "nova",
    sections=(
        nova_identity,
        nova_instructions,
        nova_responsibilities,
        nova_directories,
        nova_storage,
        nova_formatting,
        nova_context,
        nova_memories,
        nova_task,
        nova_background,
    ),
    about="A personal agent: tagged identity, duties, directories, memories and task.",
    wants=Wants(agent=AgentJsonFile("agent.json"), memories=MemoriesFile("memories.json")),
    sealed=True,
    tools=(NOTIFY_USER,),
)
