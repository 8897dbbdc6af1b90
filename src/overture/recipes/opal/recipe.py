"""Opal: identity, project context, skills, environment, tool guidelines, planning; its tools and rules."""

from ...model.diagnostic import report_escaped_breaks, warning
from ...model.recipe.body import Body, Group, Part, Skip
from ...model.recipe.cut_to_beginning import beginnings_of_part
from ...model.recipe.recipe import Recipe
from ...model.recipe.rule import Rule, all_of, has, lacks, rule
from ...model.recipe.section import Section, first_of, section, tag
from ...model.source import from_state
from ...model.state.agent_and_runtime import Agent, Runtime, SessionInfo
from ...model.state.files import Skill, TextFile
from ...model.tool import Tool, takes, text, texts, whole
from ...model.wants import ContextFiles, SkillDirs, Wants
from ...sections.project_files_and_git import FILES_REST, blank_files, explain_no_files
from ...sections.skill_menu import listed_skills, write_menu, write_skill_line
from ...sections.tools_and_guidelines import active_names, bullets, fired_guidelines
from ...text.escape import escape_for_part
from .. import read_prose

PATH = text("The file, absolute or relative to the working directory.")

TOOLS = (
    Tool(
        "read_file",
        "Read a file, whole or from `offset` for `limit` lines.",
        takes(
            {"path": PATH},
            {
                "offset": whole("The first line to read, counted from 1. Default: 1."),
                "limit": whole("How many lines to read. Default: all."),
            },
        ),
    ),
    Tool(
        "edit_file",
        "Replace a passage of a file with another.",
        takes(
            {
                "path": PATH,
                "old_text": text("The passage to replace, exactly as it stands in the file."),
                "new_text": text("The passage to put in its place."),
            }
        ),
    ),
    Tool("write_file", "Create a file.", takes({"path": PATH, "content": text("All that the file shall hold.")})),
    Tool(
        "shell",
        "Run a shell command.",
        takes(
            {"command": text("The command to run in the working directory.")},
            {"timeout": whole("Seconds after which it is stopped. Default: it is not.")},
        ),
    ),
    Tool(
        "sub_agent",
        "Hand a task to an agent of its own.",
        takes(
            {"task": text("What it is to do, with all that it needs to know.")},
            {"tools": texts("The names of the tools that it may use. Default: all that it can have.")},
        ),
    ),
    Tool(
        "use_skill",
        "Load a skill's full instructions.",
        takes({"name": text("The skill's name, as the list of skills has it.")}),
    ),
    Tool(
        "ask_user",
        "Ask the user a question and wait for the answer.",
        takes({"question": text("What to ask.")}, {"choices": texts("Answers to choose from. Default: any answer.")}),
    ),
)


SHELL = has("shell", "bash", "zsh", "cmd", "powershell")
KNOWN_TOOLS = has("read_file", "edit_file", "write_file", "use_skill", "sub_agent", *SHELL.names)
RULES = (
    rule(
        "read_vs_shell",
        all_of(has("read_file"), SHELL),
        "Use the `read_file` tool to read files. Do NOT use `cat`, `head`, `tail`, or `less` via shell.",
        "Use `read_file` with `offset` and `limit` to read specific line ranges.",
    ),
    rule(
        "edit_vs_shell",
        all_of(has("edit_file"), SHELL),
        "Use the `edit_file` tool for all file modifications. "
        "Do NOT use `sed`, `awk`, `perl -i`, or shell redirects (`>`, `>>`).",
    ),
    rule(
        "write_guidelines",
        has("write_file"),
        "Use the `write_file` tool to create new files. Do NOT use shell redirects or `tee`.",
    ),
    rule(
        "shell_display_warning",
        SHELL,
        "When summarizing your actions, output plain text directly in your response. "
        "Do NOT use `cat`, `echo`, or shell to display files you just wrote.",
    ),
    rule(
        "search_guidelines",
        all_of(SHELL, lacks("read_file")),
        "Use shell commands like `cat`, `grep`, `find`, and `ls` for file exploration.",
    ),
    rule(
        "status_tags",
        KNOWN_TOOLS,
        "Before starting each major step in a multi-step task, emit a short status tag: "
        "`<status>Analyzing test failures</status>`. Keep it under 6 words.",
    ),
)


IDENTITY = read_prose(__package__, "identity.md")
MENU = "Use the `use_skill` tool to load a skill's full instructions when relevant."
PLAN_AT = "For complex multi-step tasks, create a plan document at:\n"
PLAN_FIRST = """

Write your plan before starting implementation. Update it as you
complete steps. The user can review the plan at any time with Ctrl+Y."""


def write_custom_prompt(agent: Agent | None) -> Body:
    """In opal, the caller's own prompt as it stands: no tag around it."""
    if agent is None or not (agent.system_prompt or "").strip():
        return None
    return Part(agent.system_prompt or "", from_state("agent.system_prompt"), trusted=True)


def write_opal_identity() -> Body:
    """Who the agent is: the caller's `agent.system_prompt`, or else Opal's own identity."""
    return Group((IDENTITY,), before="<identity>\n", after="\n</identity>")


@section("project-context", tags=("project-context",), priority=70)
def opal_project_context(context_files: tuple[TextFile, ...]) -> Body:
    """The project's own instructions, outermost file first."""
    return tag_files(context_files, "project-context")


def tag_files(context_files: tuple[TextFile, ...], name: str) -> Body:
    """Opal's project files, each in a tag of that name."""
    files = [tag_file(index, file, name) for index, file in enumerate(context_files) if file.content.strip()]
    loose = Group(tuple(files), sep="\n\n", loose="outermost", rest=FILES_REST, omits=blank_files(context_files))
    return explain_no_files(context_files) or loose


def tag_file(index: int, file: TextFile, name: str) -> Group:
    """One of opal's project files in its tag."""
    field = f"context_files[{index}].path"
    path = Part(escape_for_part(file.path), from_state(field), before=f'<{name} source="', after='">')
    content = Part(file.content, file.where, file.path, leaner=beginnings_of_part)
    return Group((path, content), after=f"\n</{name}>", notes=report_escaped_breaks(field, file.path))


@section("skills", frame=tag("skills"), priority=40)
def opal_skills(skills: tuple[Skill, ...], tools: tuple[Tool, ...]) -> Body:
    """The skills that can be loaded on demand: a name and a line each."""
    shown = listed_skills(skills)
    if not shown:
        return Skip("there are no skills" if not skills else "every skill is hidden from the model")
    entries = write_menu(shown, write_skill_line)
    if "use_skill" in active_names(tools):
        return Group((MENU, entries), sep="\n\n")
    unreachable = warning("tool-inactive", "the skill menu names `use_skill`, which is not an active tool")
    return Group((MENU, entries), sep="\n\n", notes=(unreachable,))


@section("environment", frame=tag("environment"), priority=80)
def opal_environment(runtime: Runtime | None) -> Body:
    """The working directory."""
    if runtime is None or not runtime.cwd:
        return Skip("no working directory is given")
    return Part(runtime.cwd, from_state("runtime.cwd"), before="Working directory: ", single=True)


@section("tool-guidelines", frame=tag("tool-guidelines"), priority=60, rules=RULES)
def opal_tool_guidelines(rules: tuple[Rule, ...], tools: tuple[Tool, ...]) -> Body:
    """How to use the active tools: one bullet for each rule that fires."""
    return bullets(fired_guidelines(rules, tools)) or Skip("no rule fires for the active tools")


@section("planning", frame=tag("planning"), priority=30)
def opal_planning(session: SessionInfo | None, runtime: Runtime | None) -> Body:
    """Where to write the plan."""
    if session is None:
        return Skip("no session is given: a sub-agent has none to plan in")
    return write_plan_path(session, runtime, ".opal", PLAN_AT, PLAN_FIRST)


def write_plan_path(session: SessionInfo, runtime: Runtime | None, folder: str, before: str, after: str) -> Part:
    """Where the plan of a session is: its own path, or one in a folder under home."""
    home = ((runtime.home if runtime else None) or "~").rstrip("/")
    path = session.plan_path or f"{home}/{folder}/sessions/{session.id}/plan.md"
    field = "session.plan_path" if session.plan_path else "session.id"
    return Part(path, from_state(field), before=before, after=after, single=True)


RECIPE = Recipe(
    "opal",
    sections=(
        Section(
            "identity", first_of(write_custom_prompt, write_opal_identity), "static", tags=("identity",), priority=100
        ),
        opal_project_context,
        opal_skills,
        opal_environment,
        opal_tool_guidelines,
        opal_planning,
    ),
    about="A coding agent: tagged identity, context, skills, directory, tool rules, planning.",
    wants=Wants(
        walk="root",
        context=ContextFiles(("AGENTS.md", "OPAL.md"), under=("", ".agents", ".opal")),
        skills=SkillDirs(
            project=(".agents/skills", ".github/skills"), home=(".agents/skills", ".opal/skills"), invalid="skip"
        ),
    ),
    tools=TOOLS,
    active=tuple(tool.name for tool in TOOLS),
)
