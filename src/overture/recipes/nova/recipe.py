"""Nova: who the agent is, what it can reach, how it writes, what is happening, what it is doing."""

import re

from ...model.recipe.body import Body, Group, Part, Skip
from ...model.recipe.recipe import Recipe
from ...model.recipe.section import section, tag
from ...model.recipe.wants.wanted_files import AgentFile, MemoriesFile, Wants
from ...model.source import from_state
from ...model.state.agent import Agent
from ...model.state.runtime import Runtime
from ...model.state.tool import Tool, takes, text
from .. import prose
from .agent import identity, instructions, responsibilities
from .task_and_memories import background, context, memories, task

STORAGE = prose(__package__, "storage.md").split("\n")
TELEGRAM = prose(__package__, "telegram.md")
LOOK_FIRST = "\nThere may already be existing files — check before creating new ones."
ALSO = "You also have access to these additional directories:\n"


@section("directories", frame=tag("Directories"), priority=80)
def directories(runtime: Runtime | None, agent: Agent | None) -> Body:
    """The working directory, and the others that the agent may use. None for an agent that can't reach files."""
    given = runtime or Runtime()
    cwd = Part(
        (given.cwd or "").strip(),
        from_state("runtime.cwd"),
        single=True,
        before="Your working directory is: ",
        after=LOOK_FIRST,
    )
    others = [
        Part(path.strip(), from_state(f"runtime.directories[{index}]"), before="- ", single=True)
        for index, path in enumerate(given.directories)
    ]
    if not any(part.text for part in (cwd, *others)):
        return Skip("neither a working directory nor any other is given")
    if not can_reach(agent) and not any(part.text for part in others):
        return Skip(
            "the agent can't reach files: agent.capabilities has no `files`, and no directory of its own is given"
        )
    return Group((cwd, Group(tuple(others), before=ALSO)), sep="\n\n")


def can_reach(agent: Agent | None) -> bool:
    """Whether the agent has files to work with. One that does not say what it can do is taken to have them."""
    return agent is None or agent.capabilities is None or "files" in agent.capabilities


@section("storage", pace="static", frame=tag("Storage"), priority=40)
def storage(agent: Agent | None) -> Body:
    """Where to keep what: each way of keeping things that the agent has."""
    able = agent.capabilities if agent else None
    if able is None:
        return "\n".join(STORAGE)
    if not able:
        return Skip("the agent has no capability to keep anything: agent.capabilities is empty")
    return "\n".join(line for line in STORAGE if concerns(line, able))


def concerns(line: str, able: tuple[str, ...]) -> bool:
    """A bullet is for the capability that it sets in bold; the other lines are for all."""
    found = re.search(r"\*\*(\w+)\*\*", line)
    return found is None or found[1].lower() in able


@section("formatting", frame=tag("Formatting"), priority=50)
def formatting(channel: str | None) -> Body:
    """How to write for the channel, where it has rules of its own: Telegram."""
    if not (channel or "").strip():
        return Skip("no channel is given")
    if not str(channel).strip().lower().startswith("telegram"):
        return Skip(f"the channel {channel!r} has no formatting rules of its own")
    return TELEGRAM


RECIPE = Recipe(
    "nova",
    sections=(
        identity,
        instructions,
        responsibilities,
        directories,
        storage,
        formatting,
        context,
        memories,
        task,
        background,
    ),
    about="A personal agent: tagged identity, duties, directories, memories and task.",
    wants=Wants(agent=AgentFile("agent.json"), memories=MemoriesFile("memories.json")),
    sealed=True,
    tools=(
        Tool(
            "notify_user",
            "Send the user a message from a run in the background.",
            takes({"text": text("The message.")}),
        ),
    ),
)
