"""The tags, tools and guideline rules of house, and the sections that name the tools."""

from msgspec.structs import replace

from ...model.recipe.body import Body, Group, Skip
from ...model.recipe.rule import SOME, Rule, all_of, has, lacks, rule
from ...model.recipe.section import Frame, first_of, section, tag
from ...model.state.agent_and_runtime import Mission
from ...model.tool import Tool
from ...sections.tools_and_guidelines import TOOLS_REST, report_broken_names, write_tool_line, write_tools
from ...sections.tools_and_guidelines import guidelines as table_bullets
from ...text.normalize import to_one_line
from ..moltis.tools import moltis_calling
from ..nova.recipe import NOTIFY_USER
from ..opal.recipe import TOOLS as OPAL
from ..ptc.tools import ptc_available_tools

PREFIX = "prompt-"
"""As in `<prompt-update>`, which a session writes. Many files contain a plain `<user>`, `<task>` or `<guidelines>`."""
FILE = f"{PREFIX}project-context"


def own_tag(name: str) -> Frame:
    """A tag of house: `<prompt-name>` above and `</prompt-name>` below."""
    return tag(PREFIX + name)


# The guideline table of house. It accepts a tool under any of its names in the five recipes.


READ = ("read", "read_file")
EDIT = ("edit", "edit_file")
WRITE = ("write", "write_file")
SHELL = ("bash", "shell", "zsh", "cmd", "powershell", "exec")
LOOK = ("grep", "find", "ls")

RULES = (
    rule("look_first", has(*READ, *SHELL), "Look at a file before you change it."),
    rule(
        "read_with_the_tool",
        all_of(has(*READ), has(*SHELL)),
        "Read files with the tool for it, not with a shell command.",
    ),
    rule(
        "edit_with_the_tool",
        all_of(has(*EDIT), has(*SHELL)),
        "Change files with the tool for it, not with a shell command or a redirect.",
    ),
    rule("write_new_files", has(*WRITE), "Write whole files only where they are new or change from end to end."),
    rule(
        "explore_with_tools",
        all_of(has(*LOOK), has(*SHELL)),
        "Search and list with the tools for it before you reach for the shell.",
    ),
    rule(
        "explore_with_shell",
        all_of(has(*SHELL), lacks(*READ, *LOOK)),
        "Use the shell to read, search and list files.",
    ),
    rule("ask_rarely", has("ask_user"), "Ask the user only what nothing within reach can answer."),
    rule("delegate_whole_tasks", has("sub_agent"), "Hand over tasks that stand on their own, and say what you expect."),
    rule("own_words", SOME, "Say in your own words what a tool's result means.", last=True),
    rule("name_files", SOME, "Name the files that you speak of by their paths.", last=True),
)


OPAL_TOOLS = {tool.name: tool for tool in OPAL}
TOOLS = (
    replace(OPAL_TOOLS["read_file"], name="read", description="Read a file."),
    replace(OPAL_TOOLS["edit_file"], name="edit"),
    replace(OPAL_TOOLS["write_file"], name="write", description="Create a file, or replace all of it."),
    replace(OPAL_TOOLS["shell"], name="bash"),
    OPAL_TOOLS["use_skill"],
    OPAL_TOOLS["sub_agent"],
    OPAL_TOOLS["ask_user"],
    NOTIFY_USER,
)
"""Opal's tools under shorter names, and one for runs in the background."""
PLANNING = "For planning only; do not call them:\n"


def write_program_tools(mission: Mission | None, tools: tuple[Tool, ...]) -> Body:
    """House's tools as signatures, with `return` and `fail`, if the mission asks for a program."""
    return None if mission is None else ptc_available_tools.body(tools, mission)


def write_house_tools(tools: tuple[Tool, ...], native_tools: bool) -> Body:
    """The active tools: one line each if the provider gets their schemas, otherwise in full."""
    active = [(index, tool) for index, tool in enumerate(tools) if not tool.planning_only]
    planned = [(index, tool) for index, tool in enumerate(tools) if tool.planning_only]
    if not tools:
        return Skip("no tool is active")
    lines = [write_tool_line(i, t, to_one_line(t.description or t.snippet or ""), "description") for i, t in planned]
    plan = Group(tuple(lines), before=PLANNING, loose="fair", rest=TOOLS_REST)
    notes = report_broken_names(enumerate(tools))
    return Group((write_tools(active, native=native_tools), plan), sep="\n\n", notes=notes)


tools = replace(
    ptc_available_tools,
    name="tools",
    body=first_of(write_program_tools, write_house_tools),
    pace="static",
    frame=own_tag("tools"),
    priority=85,
)


@section("calling", pace="static", frame=own_tag("calling"), priority=85)
def house_calling(tools: tuple[Tool, ...], native_tools: bool, mission: Mission | None) -> Body:
    """How to write a tool call, if neither the provider nor a program has its own format."""
    if mission is not None:
        return Skip("the program calls its tools itself")
    return moltis_calling.body(tools, native_tools)


@section("guidelines", pace="static", frame=own_tag("guidelines"), priority=60, rules=RULES)
def house_guidelines(rules: tuple[Rule, ...], tools: tuple[Tool, ...]) -> Body:
    """How to use the active tools, and what the tools themselves ask for."""
    return table_bullets(rules, tools) or Skip("no tool is active")
