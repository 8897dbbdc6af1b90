"""house: the five's sections under its own tags, ordered by how often they change."""

from msgspec.structs import replace

from ...model.recipe.body import Body, Skip
from ...model.recipe.recipe import Recipe
from ...model.recipe.section import Pace, Section, only_if, section
from ...model.skill_dirs import SkillDirs
from ...model.state.agent_and_runtime import Agent
from ...model.state.files import TextFile
from ...model.wants import (
    AgentJsonFile,
    ContextFiles,
    MemoriesFile,
    OverrideFiles,
    PersonaFiles,
    TemplateDirs,
    Wants,
    WorkspaceFiles,
)
from ...sections.project_files_and_git import git_status
from ..moltis.persona import WORKSPACE_NAMES, moltis_user, moltis_workspace
from ..moltis.tools import moltis_memory
from ..nova.recipe import (
    nova_background,
    nova_formatting,
    nova_memories,
    nova_responsibilities,
    nova_storage,
    nova_task,
)
from ..opal.recipe import opal_project_context, tag_files
from ..ptc.mission import ptc_mission, ptc_previous_turn_error
from ..ptc.recipe import ptc_data_inventory, ptc_output_format, ptc_reference, ptc_role, ptc_rules
from .sections import (
    house_clock,
    house_conventions,
    house_directories,
    house_documentation,
    house_host,
    house_instructions,
    house_planning,
    house_servers,
    house_skills,
    house_soul,
    house_today,
    identity,
)
from .tools_and_rules import FILE, TOOLS, house_calling, house_guidelines, own_tag, tools


def retag_section(section: Section, name: str, pace: Pace) -> Section:
    """A section of one of the five recipes in a tag of house."""
    return replace(section, name=name, pace=pace, frame=own_tag(name))


def require_mission(section: Section) -> Section:
    """A section of PtcRunner that house renders only with a mission."""
    body = only_if("mission", section.body, "no mission is given")
    return replace(section, name=f"program-{section.name}", body=body, frame=own_tag(f"program-{section.name}"))


def retag_files(section: Section) -> Section:
    """The project files of house: the section is Opal's, each file in a tag of house."""

    def write_context_files(context_files: tuple[TextFile, ...]) -> Body:
        return tag_files(context_files, FILE)

    write_context_files.__doc__ = section.body.__doc__
    return replace(section, body=write_context_files, tags=(FILE,))


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
        retag_files(opal_project_context),
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
