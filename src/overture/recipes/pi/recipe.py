"""pi: base, append, project context, skills, and last the clock and the working directory."""

from datetime import datetime

from msgspec.structs import replace

from ...model.diagnostic import Diagnostic
from ...model.recipe.body import Body, Group, Part, Skip, node_text
from ...model.recipe.cut_to_beginning import beginnings_of_part
from ...model.recipe.recipe import Recipe
from ...model.recipe.rule import ALWAYS, Rule, all_of, has, lacks, rule
from ...model.recipe.section import Section, first_of, section
from ...model.source import Source, from_state
from ...model.state.agent_and_runtime import Agent, Docs, Runtime
from ...model.state.files import Overrides, Skill, TextFile
from ...model.tool import Tool, takes, text, truth, whole
from ...model.wants import ContextFiles, OverrideFiles, SkillDirs, TemplateDirs, Wants
from ...sections.clock import NO_CLOCK, format_to_second, report_unknown_zone, to_local_time
from ...sections.project_files_and_git import explain_no_files, files_under_headings
from ...sections.skill_menu import listed_skills, report_broken_element, write_menu, write_skill_element
from ...sections.template import FillRoom, split_placeholders
from ...sections.tools_and_guidelines import active_names, guidelines, report_broken_names, write_tool_line
from ...text.normalize import to_one_line
from .. import read_prose

PATH = text("The file, absolute or relative to the working directory.")
TOOLS = (
    Tool(
        "read",
        "Read file contents",
        takes(
            {"path": PATH},
            {
                "offset": whole("The first line to read, counted from 1. Default: 1."),
                "limit": whole("How many lines to read. Default: all."),
            },
        ),
    ),
    Tool(
        "bash",
        "Execute bash commands (ls, grep, find, etc.)",
        takes(
            {"command": text("The command to run in the working directory.")},
            {"timeout": whole("Seconds after which it is stopped. Default: it is not.")},
        ),
    ),
    Tool(
        "edit",
        "Make surgical edits to files (find exact text and replace)",
        takes(
            {
                "path": PATH,
                "oldText": text("The text to replace, exactly as it stands in the file."),
                "newText": text("The text to put in its place."),
            }
        ),
    ),
    Tool("write", "Create or overwrite files", takes({"path": PATH, "content": text("All that the file shall hold.")})),
    Tool(
        "grep",
        "Search the contents of files for a pattern",
        takes(
            {"pattern": text("The regular expression to search for.")},
            {
                "path": text("The file or directory to search. Default: the working directory."),
                "glob": text("Which files to search, as in *.py. Default: all."),
                "ignoreCase": truth("Whether upper and lower case count as the same. Default: false."),
                "limit": whole("How many matches to give at most."),
            },
        ),
    ),
    Tool(
        "find",
        "Look for files by name",
        takes(
            {"pattern": text("The names to look for, as in *.py or src/**/*.md.")},
            {
                "path": text("The directory to look in. Default: the working directory."),
                "limit": whole("How many files to give at most."),
            },
        ),
    ),
    Tool(
        "ls",
        "List what a directory holds",
        takes(
            {},
            {
                "path": text("The directory to list. Default: the working directory."),
                "limit": whole("How many entries to give at most."),
            },
        ),
    ),
)

LINES = {tool.name: tool.description for tool in TOOLS}
RULES = (
    rule(
        "bash_for_files",
        all_of(has("bash"), lacks("grep", "find", "ls")),
        "Use bash for file operations like ls, rg, find",
    ),
    rule(
        "explore_with_tools",
        all_of(has("bash"), has("grep", "find", "ls")),
        "Prefer grep/find/ls tools over bash for file exploration",
    ),
    rule(
        "read_before_edit",
        all_of(has("read"), has("edit")),
        "Use read to examine files before editing. You must use this tool instead of cat or sed.",
    ),
    rule("edit_precisely", has("edit"), "Use edit for precise changes (old text must match exactly)"),
    rule("write_new_files", has("write"), "Use write only for new files or complete rewrites"),
    rule("summarize_in_text", has("edit", "write"), "When summarizing your actions, output plain text directly"),
    rule("be_concise", ALWAYS, "Be concise in your responses", last=True),
    rule("show_paths", ALWAYS, "Show file paths clearly when working with files", last=True),
)


def write_tool_list(tools: tuple[Tool, ...]) -> Group:
    """pi's list of tools: one line for each active tool. Tools for planning only are omitted."""
    active = [(index, tool) for index, tool in enumerate(tools) if not tool.planning_only]
    lines = [write_pi_tool_line(index, tool) for index, tool in active]
    omissions = [f"{tool.name} is for planning only, which pi does not show" for tool in tools if tool.planning_only]
    return Group(tuple(lines) or ("(none)",), notes=report_broken_names(active), omits=tuple(omissions))


def write_called_guidelines(rules: tuple[Rule, ...], tools: tuple[Tool, ...]) -> Group | None:
    """pi's guidelines, without those of tools for planning only."""
    # The tuple keeps its length: a guideline's source names the tool by its index in the state.
    return guidelines(rules, tuple([replace(tool, guidelines=()) if tool.planning_only else tool for tool in tools]))


def write_pi_tool_line(index: int, tool: Tool) -> Part | Group:
    """`- name: snippet`, else with the built-in text, else with the name again."""
    snippet = to_one_line(tool.snippet or "")
    built_in = LINES.get(tool.name)
    if not snippet and built_in:
        name = Part(tool.name, from_state(f"tools[{index}].name"), tool.name, "- ", ": ")
        return Group((name, built_in), sep="")
    return write_tool_line(index, tool, snippet or to_one_line(tool.name), "snippet" if snippet else "name")


IDENTITY = read_prose(__package__, "base.md")
CUSTOM_TOOLS = """In addition to the tools above, you may have access to other custom tools
depending on the project."""
DOCS = "Pi documentation (read only when the user asks about pi itself, how to set it up, or how to extend it):\n"


def write_pi_base(
    agent: Agent | None, rules: tuple[Rule, ...], tools: tuple[Tool, ...], runtime: Runtime | None
) -> Body:
    """What the agent is and can do: SYSTEM.md if there is one, or else pi's own base."""
    return Group(
        (
            write_identity(agent),
            Group((write_tool_list(tools),), before="Available tools:\n"),
            CUSTOM_TOOLS,
            Group((write_called_guidelines(rules, tools) or "",), before="Guidelines:\n"),
            write_doc_pointers(runtime.docs if runtime else None),
        ),
        sep="\n\n",
    )


def write_identity(agent: Agent | None) -> Part | str:
    """pi's own first sentence, or the caller's `agent.system_prompt` in its place."""
    custom = (agent.system_prompt or "").strip() if agent else ""
    return Part(custom, from_state("agent.system_prompt"), trusted=True) if custom else IDENTITY


def write_doc_pointers(docs: Docs | None) -> Group:
    """The known paths of pi's own documentation."""
    labels = {"main": "Main documentation", "additional": "Additional docs", "examples": "Examples"}
    lines = [
        Part(path, from_state(f"runtime.docs.{field}"), before=f"- {label}: ", single=True)
        for field, label in labels.items()
        if (path := getattr(docs, field, None))
    ]
    return Group(tuple(lines), before=DOCS)


def write_system_md(overrides: Overrides | None, rules: tuple[Rule, ...], tools: tuple[Tool, ...]) -> Body:
    """SYSTEM.md in place of pi's base, with `{{tools}}` and `{{guidelines}}` filled in."""
    if overrides is None or overrides.system is None:
        return None
    if not overrides.system.strip():
        message = "SYSTEM.md is empty: the prompt has no base; delete the file to get the default"
        cleared = Diagnostic("warning", "system-cleared", message, field="overrides.system")
        return Skip("SYSTEM.md is empty, which clears the base", notes=(cleared,))
    return fill_text(
        overrides.system, {"tools": write_tool_list(tools), "guidelines": write_called_guidelines(rules, tools)}
    )


def fill_text(text: str, values: dict[str, Group | None]) -> Group:
    """Fill SYSTEM.md of pi with these values. A placeholder that repeats too often stays unfilled from there on."""
    sizes = {name: len(node_text(value or "")) for name, value in values.items()}
    parts: list[Part | Group] = []
    notes: list[Diagnostic] = []
    room = FillRoom()
    for piece, name, at in split_placeholders(text, escapes=False):
        refused = room.refuses(name, sizes[name]) if name in sizes else None
        if name in values and refused is None:
            parts.append(values[name] or Group(()))
            continue
        if refused and not notes:
            message = f"line {at}: {refused}; the rest stays as it is"
            notes.append(Diagnostic("warning", "placeholder-repeated", message, field="overrides.system"))
        parts.append(Part(piece, Source("state", name="overrides.system", line=at), trusted=True))
    return Group(tuple(parts), sep="", notes=tuple(notes))


SKILLS = read_prose(__package__, "skills.md")
NOW, CWD = from_state("now"), from_state("runtime.cwd")
HEADER = "# Project Context\n\nProject-specific instructions and guidelines:\n\n"


@section("append", pace="static", priority=95)
def pi_append(overrides: Overrides | None) -> Body:
    """APPEND_SYSTEM.md, straight after the base."""
    text = overrides.append if overrides else None
    if text is None:
        return Skip("no APPEND_SYSTEM.md")
    if not text.strip():
        return Skip("APPEND_SYSTEM.md is empty")
    return Part(text, Source("state", name="overrides.append", line=1), trusted=True, leaner=beginnings_of_part)


@section("project-context", priority=70, headings=("# Project Context", "## {}"))
def pi_project_context(context_files: tuple[TextFile, ...]) -> Body:
    """The user's and the project's own instructions, outermost file first."""
    return explain_no_files(context_files) or Group((files_under_headings(context_files, "##"),), before=HEADER)


@section("skills", priority=40, tags=("available_skills",))
def pi_skills(skills: tuple[Skill, ...], tools: tuple[Tool, ...]) -> Body:
    """The skills that the read tool can load: name, description and path."""
    shown = listed_skills(skills)
    if not shown:
        return Skip("there are no skills" if not skills else "every skill is hidden from the model")
    if "read" not in active_names(tools):
        return Skip("skills are loaded with the read tool, which is not active")
    entries = write_menu(
        shown, write_skill_element, "<available_skills>\n", "\n</available_skills>", report=report_broken_element
    )
    return Group((SKILLS, entries), sep="\n\n")


@section("clock-and-cwd", pace="turn", priority=90)
def pi_clock_and_cwd(now: datetime | None, runtime: Runtime | None) -> Body:
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
    omits = ("no time is given: its line is omitted",) if now is None else ()
    if not cwd:
        omits = ("no working directory is given: its line is omitted",)
    return Group(tuple(lines), notes=notes, omits=omits)


RECIPE = Recipe(
    "pi",
    sections=(
        Section("base", first_of(write_system_md, write_pi_base), priority=100, required=True, rules=RULES),
        pi_append,
        pi_project_context,
        pi_skills,
        pi_clock_and_cwd,
    ),
    about="A coding agent whose base prompt SYSTEM.md can replace; context, skills, clock and directory follow.",
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
