"""Moltis: persona, project context, runtime, skills, workspace, memory, tools and guidelines, in that order."""

from ...model.body import Body, Skip
from ...model.files import Skill, TextFile
from ...model.recipe import Recipe
from ...model.section import heading, section
from ...model.tool import Tool
from ...model.wants import ContextFiles, PersonaFiles, SkillDirs, Wants, WorkspaceFiles
from ...sections.context import headed, nothing
from ...sections.rules import active_names
from ...sections.skills import attributed, listed, made_visible, menu
from .guidance import calling, guidelines, memory, silent_replies, tools
from .persona import identity, introduction, soul, user
from .runtime import runtime
from .sizes import SIZES
from .tools import TOOLS
from .workspace import NAMES, workspace

MENU = "## Available Skills\n<available_skills>\n"


@section("project-context", frame=heading("## Project Context"), priority=70)
def project_context(context_files: tuple[TextFile, ...]) -> Body:
    """The project's own instructions, outermost file first."""
    return nothing(context_files) or headed(context_files, "###")


@section("skills", tags=("available_skills",), headings=("## Available Skills",), priority=40)
def skills(skills: tuple[Skill, ...], tools: tuple[Tool, ...]) -> Body:
    """The skills that can be loaded on demand, each with its folder."""
    shown = listed(skills)
    if not shown:
        return Skip("there are no skills" if not skills else "every skill is kept out of menus")
    if not active_names(tools):
        return Skip("skills are read with tools, and no tool is active")
    return menu(shown, attributed, MENU, "\n</available_skills>", noted=made_visible)


RECIPE = Recipe(
    "moltis",
    sections=(
        introduction,
        identity,
        soul,
        user,
        project_context,
        runtime,
        skills,
        workspace,
        memory,
        tools,
        calling,
        guidelines,
        silent_replies,
    ),
    about="A personal agent: identity and soul, context, runtime, skills, workspace files, tools, guidelines.",
    wants=Wants(
        context=ContextFiles(("CLAUDE.md", "CLAUDE.local.md", ".claude/rules/*.md", "AGENTS.md"), nested=True),
        skills=SkillDirs(project=("{folder}/skills",), home=("{folder}/skills",)),
        persona=PersonaFiles("{folder}"),
        workspace=WorkspaceFiles("{folder}", NAMES),
        runtime=True,
    ),
    tools=TOOLS,
    active=("exec", "browser"),
    settings={"folder": ".moltis"},
    sizes=SIZES,
)
