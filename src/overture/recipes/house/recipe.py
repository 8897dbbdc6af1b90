"""house: the five's sections under its own tags, ordered by how often they change."""

from msgspec.structs import replace

from ...model.recipe.body import Body, Skip
from ...model.recipe.recipe import Recipe
from ...model.recipe.rule import Rule
from ...model.recipe.section import Pace, Section, section
from ...model.recipe.wants.wanted_files import (
    AgentFile,
    ContextFiles,
    MemoriesFile,
    OverrideFiles,
    PersonaFiles,
    TemplateDirs,
    Wants,
    WorkspaceFiles,
)
from ...model.recipe.wants.wanted_skills import SkillDirs
from ...model.state.agent import Agent
from ...model.state.files import TextFile
from ...model.state.tool import Tool
from ...sections.combine_bodies import only_if
from ...sections.git_status import git_status
from ...sections.guidelines import guidelines as table_bullets
from ..moltis.guidance import memory
from ..moltis.persona import user
from ..moltis.workspace_section import NAMES, workspace
from ..nova.agent import responsibilities
from ..nova.recipe import formatting, storage
from ..nova.task_and_memories import background, memories, task
from ..opal.recipe import project_context, tagged_files
from ..ptc import recipe as ptc
from ..ptc.inventory import data_inventory
from ..ptc.mission import mission
from ..ptc.previous_error import previous_turn_error
from .frames import FILE, own_tag
from .identity import identity, instructions, soul
from .rules import RULES
from .skill_and_clock_sections import clock, conventions, skills, today
from .tool_sections import calling, directories, documentation, host, planning, tools
from .tools import TOOLS


def ours(section: Section, name: str, pace: Pace) -> Section:
    """A section of one of the five under a tag of house."""
    return replace(section, name=name, pace=pace, frame=own_tag(name))


def programming(section: Section) -> Section:
    """A section of PtcRunner, which house says only where there is a mission."""
    said = only_if("mission", section.body, "no mission is given")
    return replace(section, name=f"program-{section.name}", body=said, frame=own_tag(f"program-{section.name}"))


def told_files(section: Section) -> Section:
    """Opal's project files, each in a tag of house."""

    def body(context_files: tuple[TextFile, ...]) -> Body:
        return tagged_files(context_files, FILE)

    body.__doc__ = section.body.__doc__
    return replace(section, body=body, tags=(FILE,))


@section("storage", pace="static", frame=own_tag("storage"), priority=40)
def keeping(agent: Agent | None) -> Body:
    """Where to keep what, for an agent whose capabilities are given."""
    if agent is None or agent.capabilities is None:
        return Skip("the agent's capabilities are not given")
    return storage.body(agent)


@section("guidelines", pace="static", frame=own_tag("guidelines"), priority=60, rules=RULES)
def guidelines(rules: tuple[Rule, ...], tools: tuple[Tool, ...]) -> Body:
    """How to use the active tools, and what the tools themselves ask for."""
    return table_bullets(rules, tools) or Skip("no tool is active")


RECIPE = Recipe(
    "house",
    sections=(
        identity,
        soul,
        instructions,
        ours(responsibilities, "responsibilities", "static"),
        keeping,
        programming(ptc.role),
        programming(ptc.rules),
        programming(ptc.reference),
        programming(ptc.output_format),
        tools,
        calling,
        guidelines,
        ours(memory, "memory", "static"),
        conventions,
        ours(formatting, "formatting", "session"),
        skills,
        told_files(project_context),
        ours(workspace, "workspace", "session"),
        ours(user, "user", "session"),
        directories,
        host,
        documentation,
        ours(memories, "memories", "turn"),
        planning,
        ours(data_inventory, "data", "turn"),
        ours(mission, "mission", "turn"),
        ours(task, "task", "turn"),
        ours(background, "background", "turn"),
        ours(previous_turn_error, "previous-turn-error", "turn"),
        today,
        ours(git_status, "git", "turn"),
        clock,
    ),
    about="Overture's own: all that the five can say, tagged, slow before fast, the clock in the user's message.",
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
        workspace=WorkspaceFiles("{folder}", NAMES[1:]),
        agent=AgentFile("{folder}/agent.json"),
        memories=MemoriesFile("{folder}/memories.json"),
        templates=TemplateDirs(project=("{folder}/prompts",), home=("{folder}/prompts",)),
        runtime=True,
        git=True,
    ),
    tools=TOOLS,
    active=("read", "edit", "write", "bash"),
    settings={"folder": ".agents"},
)
