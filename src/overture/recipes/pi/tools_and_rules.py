"""pi's tools, each with its line in the prompt, and its guideline table."""

from msgspec.structs import replace

from ...model.recipe.body import Group, Part
from ...model.recipe.rule import ALWAYS, Rule, all_of, has, lacks, rule
from ...model.source import from_state
from ...model.tool import Tool, takes, text, truth, whole
from ...sections.tools_and_guidelines import guidelines, report_broken_names, write_tool_line
from ...text.normalize import to_one_line

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
    Tool(
        "write",
        "Create or overwrite files",
        takes({"path": PATH, "content": text("All that the file shall hold.")}),
    ),
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
    rule(
        "summarize_in_text",
        has("edit", "write"),
        "When summarizing your actions, output plain text directly",
    ),
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
