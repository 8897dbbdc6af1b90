"""Moltis: persona, project, machine, skills, workspace, memory and tools, in twelve sections."""

import re
from collections.abc import Iterator

from ...lazy import cached
from ...model.diagnostic import ENTITY, Diagnostic, warning
from ...model.recipe.body import Body, Group, Part, Skip
from ...model.recipe.cut_to_beginning import shorter_lines
from ...model.recipe.recipe import DocumentedSize, Recipe
from ...model.recipe.section import heading, section
from ...model.skill_dirs import SkillDirs
from ...model.state.agent_and_runtime import Agent, Runtime, Sandbox, User
from ...model.state.files import MAX_DESCRIPTION_CHARS, Skill, TextFile, WorkspaceFile
from ...model.state.state import State
from ...model.tool import Tool, takes, text
from ...model.wants import ContextFiles, PersonaFiles, Wants, WorkspaceFiles
from ...sections.project_files_and_git import explain_no_files, files_under_headings
from ...sections.skill_menu import (
    listed_skills,
    report_broken_element,
    report_broken_field,
    shorten_menu_description,
    skill_folder,
    write_menu,
)
from ...sections.tools_and_guidelines import active_names
from ...text.escape import escape_attribute
from ...text.invisible import escape_char
from ...text.normalize import tidy
from ...text.scan_for_marks import scan
from .persona import WORKSPACE_NAMES, identity, moltis_introduction, moltis_soul, moltis_user, moltis_workspace
from .runtime import moltis_runtime
from .tools import TOOLS, moltis_calling, moltis_guidelines, moltis_memory, moltis_silent_replies, moltis_tools

RULE = "- Run the checks before you commit, and say in the message why the change is needed.\n"
PERSON = State(
    agent=Agent(name="Rex", emoji="🦊", creature="fox", vibe="dry and quick"),
    user=User(name="Robin"),
)
TYPICAL = PERSON.replace(
    tools=TOOLS,
    runtime=Runtime(
        host="devbox",
        os="linux",
        arch="x86_64",
        shell="zsh",
        provider="openai",
        model="gpt-5",
        timezone="Europe/Paris",
        sandbox=Sandbox(enabled=True, mode="all", backend="docker", network=False),
    ),
)
FULL = TYPICAL.replace(
    context_files=(TextFile("/work/CLAUDE.md", RULE * 20), TextFile("/work/app/CLAUDE.md", RULE * 12)),
    workspace_files=(WorkspaceFile("/home/robin/.moltis/TOOLS.md", RULE * 4, "TOOLS.md"),),
    skills=tuple(
        Skill(f"skill-{i}", "Use when a form has to be filled in or a table read.", f"/skills/skill-{i}/SKILL.md")
        for i in range(5)
    ),
)
MCP = tuple(
    Tool(
        f"server_{i}_query",
        "Query the server for records that match, newest first.",
        takes({"query": text("what to find")}),
    )
    for i in range(50)
)
SIZES = (
    DocumentedSize("Minimal (no tools, no context)", "~200 characters, ~50 tokens", state=State()),
    DocumentedSize("Soul + identity + guidelines", "~2,000 characters, ~500 tokens", state=PERSON),
    DocumentedSize("Typical with tools", "~5,000 characters, ~1,250 tokens", state=TYPICAL),
    DocumentedSize(
        "Full (tools + project context + skills)", "~7,000-10,000 characters, ~1,750-2,500 tokens", state=FULL
    ),
    DocumentedSize(
        "Large (many MCP tools + full context)",
        "~12,000-15,000 characters, ~3,000-3,750 tokens",
        state=FULL.replace(tools=(*TOOLS, *MCP)),
    ),
)
MENU = "## Available Skills\n<available_skills>\n"


ATTRIBUTE = re.compile(r'<skill name="[^"]*"')


@section("project-context", frame=heading("## Project Context"), headings=("### {}",), priority=70)
def moltis_project_context(context_files: tuple[TextFile, ...]) -> Body:
    """The project's own instructions, outermost file first."""
    return explain_no_files(context_files) or files_under_headings(context_files, "###")


@section("skills", tags=("available_skills",), headings=("## Available Skills",), children=("skill",), priority=40)
def moltis_skills(skills: tuple[Skill, ...], tools: tuple[Tool, ...]) -> Body:
    """The skills that can be loaded on demand, each with its folder."""
    shown = listed_skills(skills)
    if not shown:
        return Skip("there are no skills" if not skills else "every skill is hidden from the model")
    if not active_names(tools):
        return Skip("skills are loaded with tools, and no tool is active")
    return write_menu(shown, write_attributed_skill, MENU, "\n</available_skills>", report=report_escaped_attributes)


RECIPE = Recipe(
    "moltis",
    sections=(
        moltis_introduction,
        identity,
        moltis_soul,
        moltis_user,
        moltis_project_context,
        moltis_runtime,
        moltis_skills,
        moltis_workspace,
        moltis_memory,
        moltis_tools,
        moltis_calling,
        moltis_guidelines,
        moltis_silent_replies,
    ),
    about="A personal agent: identity and soul, context, runtime, skills, workspace files, tools, guidelines.",
    wants=Wants(
        walk="root",
        context=ContextFiles(("CLAUDE.md", "CLAUDE.local.md", ".claude/rules/*.md", "AGENTS.md"), nested=True),
        skills=SkillDirs(project=("{folder}/skills",), home=("{folder}/skills",)),
        persona=PersonaFiles("{folder}"),
        workspace=WorkspaceFiles("{folder}", WORKSPACE_NAMES),
        runtime=True,
        sudo=True,
    ),
    tools=TOOLS,
    active=("exec", "browser"),
    settings={"folder": ".moltis"},
    sizes=SIZES,
)


def report_escaped_attributes(skill: Skill) -> Iterator[Diagnostic]:
    """Diagnostics of the skills section of Moltis. Attributes are the recipe's own text, which is not sanitized."""
    yield from report_broken_element(skill, ENTITY)
    yield from report_broken_field(skill, "source", skill.source or "", ENTITY)
    attributes = f"{skill.name}\n{skill.source or ''}\n{skill.location}"
    if skill.marks.plain and not skill.source:
        return
    marks = scan(attributes)
    for code, positions in (("hidden-character", marks.hidden), ("control-character", marks.controls)):
        if positions:
            message = f"a character that nobody sees is shown as `{escape_char(attributes[positions[0]])}`"
            yield warning(code, f"the skill's name, source or path: {message}", skill.where.path, skill.where.line)


@cached
def write_attributed_skill(skill: Skill) -> Part:
    """A `<skill>` element with name, source and folder as attributes, and the description as its text."""
    name, source, path = (
        escape_attribute(skill.name),
        escape_attribute(skill.source or "skill"),
        escape_attribute(skill_folder(skill.location)),
    )
    before = f'<skill name="{name}" source="{source}" path="{path}">\n'
    text = tidy(skill.description)[0].strip()
    if not text:
        bare = f'<skill name="{name}"/>'
        return Part(f"{before}</skill>", skill.where, skill.name, trusted=True, leaner=(bare,))
    # A description could close its element and imitate another skill.
    guard = ("skill",)
    description, full = shorten_menu_description(text), text if len(text) > MAX_DESCRIPTION_CHARS else ""
    end, leaner = "\n</skill>", list_shorter_attributed
    return Part(
        description, skill.where, skill.name, before=before, after=end, guard=guard, leaner=leaner, whole=full
    )  # fmt: skip


def list_shorter_attributed(part: Part) -> tuple[str | Group, ...]:
    """Shorter forms of Moltis's skills: less of the description, down to its first sentence; only the name."""
    name = ATTRIBUTE.match(part.before)
    bare = [Group((f"{name[0]}/>",))] if name else []
    return *shorter_lines(part.text), Group((f"{part.before}</skill>",)), *bare
