"""Opal: identity, project context, skills, environment, tool guidelines, planning."""

from ...model.diagnostic import warning
from ...model.line_breaks import escaped_breaks
from ...model.recipe.body import Body, Group, Part, Skip
from ...model.recipe.recipe import Recipe
from ...model.recipe.rule import Rule
from ...model.recipe.section import Section, section, tag
from ...model.recipe.wants.wanted_files import ContextFiles, Wants
from ...model.recipe.wants.wanted_skills import SkillDirs
from ...model.source import from_state
from ...model.state.agent import Agent
from ...model.state.files import Skill, TextFile
from ...model.state.runtime import Runtime
from ...model.state.tasks import SessionInfo
from ...model.state.tool import Tool
from ...sections.combine_bodies import first_of
from ...sections.context_files import REST, blank, nothing
from ...sections.escape_markup import escaped
from ...sections.guidelines import active_names, bullets, fired
from ...sections.shorten_text import heads
from ...sections.skill_menu import line, listed, menu
from .. import prose
from .rules import RULES
from .tools import TOOLS

IDENTITY = prose(__package__, "identity.md")
MENU = "Use the `use_skill` tool to load a skill's full instructions when relevant."
PLAN_FIRST = """

Write your plan before starting implementation. Update it as you
complete steps. The user can review the plan at any time with Ctrl+Y."""


def custom_prompt(agent: Agent | None) -> Body:
    """The caller's own prompt, as it stands: no tag around it."""
    if agent is None or not (agent.system_prompt or "").strip():
        return None
    return Part(agent.system_prompt or "", from_state("agent.system_prompt"), trusted=True)


def identity() -> Body:
    """Who the agent is: the caller's `agent.system_prompt`, or else Opal's own identity."""
    return Group((IDENTITY,), before="<identity>\n", after="\n</identity>")


@section("project-context", tags=("project-context",), priority=70)
def project_context(context_files: tuple[TextFile, ...]) -> Body:
    """The project's own instructions, outermost file first."""
    return tagged_files(context_files, "project-context")


def tagged_files(context_files: tuple[TextFile, ...], name: str) -> Body:
    """Each file in a tag of that name."""
    files = [tagged(index, file, name) for index, file in enumerate(context_files) if file.content.strip()]
    loose = Group(tuple(files), sep="\n\n", loose="outermost", rest=REST, omits=blank(context_files))
    return nothing(context_files) or loose


def tagged(index: int, file: TextFile, name: str) -> Group:
    """One file in its tag."""
    field = f"context_files[{index}].path"
    path = Part(
        escaped(file.path),
        from_state(field),
        before=f'<{name} source="',
        after='">',
    )
    content = Part(file.content, file.where, file.path, file.marks, leaner=heads)
    return Group((path, content), after=f"\n</{name}>", notes=escaped_breaks(field, file.path))


@section("skills", frame=tag("skills"), priority=40)
def skills(skills: tuple[Skill, ...], tools: tuple[Tool, ...]) -> Body:
    """The skills that can be loaded on demand: a name and a line each."""
    shown = listed(skills)
    if not shown:
        return Skip("there are no skills" if not skills else "every skill is kept out of menus")
    entries = menu(shown, line)
    if "use_skill" in active_names(tools):
        return Group((MENU, entries), sep="\n\n")
    unreachable = warning("tool-inactive", "the skill menu names `use_skill`, which is not an active tool")
    return Group((MENU, entries), sep="\n\n", notes=(unreachable,))


@section("environment", frame=tag("environment"), priority=80)
def environment(runtime: Runtime | None) -> Body:
    """The working directory."""
    if runtime is None or not runtime.cwd:
        return Skip("no working directory is given")
    return Part(runtime.cwd, from_state("runtime.cwd"), before="Working directory: ", single=True)


@section("tool-guidelines", frame=tag("tool-guidelines"), priority=60, rules=RULES)
def tool_guidelines(rules: tuple[Rule, ...], tools: tuple[Tool, ...]) -> Body:
    """How to use the active tools: one bullet for each rule that fires."""
    return bullets(fired(rules, tools)) or Skip("no rule fires for the active tools")


@section("planning", frame=tag("planning"), priority=30)
def planning(session: SessionInfo | None, runtime: Runtime | None) -> Body:
    """Where to write the plan."""
    if session is None:
        return Skip("no session is given: a sub-agent has none to plan in")
    home = ((runtime.home if runtime else None) or "~").rstrip("/")
    path = session.plan_path or f"{home}/.opal/sessions/{session.id}/plan.md"
    field = "session.plan_path" if session.plan_path else "session.id"
    return Part(
        path,
        from_state(field),
        single=True,
        before="For complex multi-step tasks, create a plan document at:\n",
        after=PLAN_FIRST,
    )


RECIPE = Recipe(
    "opal",
    sections=(
        Section("identity", first_of(custom_prompt, identity), "static", tags=("identity",), priority=100),
        project_context,
        skills,
        environment,
        tool_guidelines,
        planning,
    ),
    about="A coding agent: tagged identity, context, skills, directory, tool rules, planning.",
    wants=Wants(
        walk="root",
        context=ContextFiles(("AGENTS.md", "OPAL.md"), under=("", ".agents", ".opal")),
        skills=SkillDirs(
            project=(".agents/skills", ".github/skills"),
            home=(".agents/skills", ".opal/skills"),
            invalid="skip",
        ),
    ),
    tools=TOOLS,
    active=tuple(tool.name for tool in TOOLS),
)
