"""pi: base, append, project context, skills, and last the clock and the working directory."""

from datetime import datetime

from ...model.recipe.body import Body, Group, Part, Skip
from ...model.recipe.recipe import Recipe
from ...model.recipe.section import Section, first_of, section
from ...model.recipe.shorten import beginnings_of_part
from ...model.source import Source, from_state
from ...model.state.files import Overrides, Skill, TextFile
from ...model.state.runtime import Runtime
from ...model.tool.tool import Tool
from ...model.wants.skills import SkillDirs
from ...model.wants.wants import ContextFiles, OverrideFiles, TemplateDirs, Wants
from ...sections.clock import NO_CLOCK, format_to_second, report_unknown_zone, to_local_time
from ...sections.project import explain_no_files, files_under_headings
from ...sections.skill_menu import listed_skills, report_broken_element, write_menu, write_skill_element
from ...sections.tools_and_guidelines import active_names
from .. import prose
from .base import base, system_md
from .tools_and_rules import RULES, TOOLS

SKILLS = prose(__package__, "skills.md")
NOW, CWD = from_state("now"), from_state("runtime.cwd")
HEADER = "# Project Context\n\nProject-specific instructions and guidelines:\n\n"


@section("append", pace="static", priority=95)
def append(overrides: Overrides | None) -> Body:
    """APPEND_SYSTEM.md, straight after the base."""
    text = overrides.append if overrides else None
    if text is None:
        return Skip("there is no APPEND_SYSTEM.md")
    if not text.strip():
        return Skip("APPEND_SYSTEM.md is empty")
    return Part(text, Source("state", name="overrides.append", line=1), trusted=True, leaner=beginnings_of_part)


@section("project-context", priority=70, headings=("# Project Context", "## {}"))
def project_context(context_files: tuple[TextFile, ...]) -> Body:
    """The user's and the project's own instructions, outermost file first."""
    return explain_no_files(context_files) or Group((files_under_headings(context_files, "##"),), before=HEADER)


@section("skills", priority=40, tags=("available_skills",))
def skills(skills: tuple[Skill, ...], tools: tuple[Tool, ...]) -> Body:
    """The skills that the read tool can load: name, description and path."""
    shown = listed_skills(skills)
    if not shown:
        return Skip("there are no skills" if not skills else "every skill is kept out of menus")
    if "read" not in active_names(tools):
        return Skip("skills are loaded with the read tool, which is not active")
    entries = write_menu(
        shown, write_skill_element, "<available_skills>\n", "\n</available_skills>", noted=report_broken_element
    )
    return Group((SKILLS, entries), sep="\n\n")


@section("clock-and-cwd", pace="turn", priority=90)
def clock_and_cwd(now: datetime | None, runtime: Runtime | None) -> Body:
    """The date and time, then the working directory."""
    timezone = runtime.timezone if runtime else None
    cwd = runtime.cwd if runtime else None
    lines: list[Part] = []
    if now is not None:
        time = format_to_second(to_local_time(now, timezone))
        lines.append(Part(time, NOW, before="Current date and time: ", trusted=True))
    if cwd:
        path = cwd.replace("\\", "/")
        lines.append(Part(path, CWD, before="Current working directory: ", single=True))
    notes = (*report_unknown_zone(timezone), *(() if now else (NO_CLOCK,)))
    if not lines:
        return Skip("neither a time nor a working directory is given", notes)
    omits = ("no time is given: its line is left out",) if now is None else ()
    if not cwd:
        omits = ("no working directory is given: its line is left out",)
    return Group(tuple(lines), notes=notes, omits=omits)


RECIPE = Recipe(
    "pi",
    sections=(
        Section("base", first_of(system_md, base), priority=100, required=True, rules=RULES),
        append,
        project_context,
        skills,
        clock_and_cwd,
    ),
    about="A coding agent whose base SYSTEM.md may replace; context, skills, clock and directory follow.",
    wants=Wants(
        walk="root",
        context=ContextFiles(("AGENTS.md", "CLAUDE.md"), take="first", home=("{folder}/agent/AGENTS.md",)),
        skills=SkillDirs(
            project=("{folder}/skills", ".agents/skills"),
            home=("{folder}/agent/skills", ".agents/skills"),
            ancestors=True,
            depth=6,
        ),
        overrides=OverrideFiles("SYSTEM.md", "APPEND_SYSTEM.md", project="{folder}", home="{folder}/agent"),
        templates=TemplateDirs(project=("{folder}/prompts",), home=("{folder}/agent/prompts",)),
    ),
    clock="rebuild",
    tools=TOOLS,
    active=("read", "bash", "edit", "write"),
    settings={"folder": ".sf"},
)
