"""Finds tools that are named and not active, and skills that no tool can load."""

from collections.abc import Iterator

from ...text.lazy_pattern import compile_on_use
from ..facts.markdown_lines import lines_of_file
from ..rule import CheckedFile, CheckInput, CheckRule, Finding
from .skills import check_unreachable_skills

FOREIGN_TOOLS = frozenset(
    (
        "apply_patch", "ask_user", "AskUserQuestion", "codebase_search", "delete_file", "edit_file", "ExitPlanMode",
        "file_search", "fetch_webpage", "grep_search", "list_dir", "memory_search", "MultiEdit", "NotebookEdit",
        "read_file", "replace_in_file", "replace_string_in_file", "run_in_terminal", "run_shell_command",
        "run_terminal_cmd", "save_memory", "semantic_search", "str_replace_editor", "sub_agent", "TodoRead",
        "TodoWrite", "update_plan", "use_skill", "view_file", "WebFetch", "WebSearch", "write_file", "write_to_file",
    )
)  # fmt: skip
"""Tools of agents that are called nothing else: a word such as `grep` may be a program."""
TOOL_MENTIONS = (
    compile_on_use(r"(?:\b[Tt]he\s+|\b[Uu]se\s+|\b[Cc]all\s+|\b[Ii]nvoke\s+)`(\w+)(?:\(\))?`\s+tools?\b"),
    compile_on_use(r"\b[Tt]ools?\s+`(\w+)`"),
    compile_on_use(r"\b(?:[Uu]se|[Cc]all|[Ii]nvoke)\s+`(\w+)(?:\([^`]{0,80}\))?`"),
)
MAY_NAME_TOOL = compile_on_use(r"`(\w+)")
"""What every one of them has."""


def check_inactive_tools(inputs: CheckInput) -> Iterator[Finding]:
    """A tool that a file or the recipe tells the model to use, and that it does not have."""
    for note in inputs.prompt.diagnostics:
        if note.code in TAKES:
            yield Finding("inactive-tool", note.level, note.message, note.path, note.line, note.column)
    active = {tool.name for tool in inputs.prompt.state.tools}
    # Where nobody chose the recipe, files are for agents, and its tools are not meant.
    own = set() if inputs.is_default_recipe else {tool.name for tool in inputs.prompt.recipe.tools}
    for page in inputs.pages:
        if active and page.read and page.is_sent:
            yield from _find_inactive_tools(page, active, own)


def _find_inactive_tools(page: CheckedFile, active: set[str], own: set[str]) -> Iterator[Finding]:
    reported = set()
    if (FOREIGN_TOOLS | own).isdisjoint(MAY_NAME_TOOL.findall(page.text)):
        return
    for line in lines_of_file(page):
        if line.sort not in ("prose", "comment") or "`" not in line.text:
            continue
        for form in TOOL_MENTIONS:
            for found in form.finditer(line.text):
                name = found[1]
                known = name in FOREIGN_TOOLS or (name in own and form is not TOOL_MENTIONS[2])
                if known and name not in active and name not in reported:
                    reported.add(name)
                    yield _make_tool_finding(page, line.number, found.start(1) + 1, name, name in own)


def _make_tool_finding(page: CheckedFile, line: int, column: int, name: str, own: bool) -> Finding:
    message = (
        f"the tool `{name}` is mentioned but not active: activate it, or describe the task without it"
        if own
        else (
            f"the tool `{name}` belongs to some agents, and others that read this file lack it: describe "
            "the task instead"
        )
    )
    return Finding("inactive-tool", "warning" if own else "info", message, page.path, line, column)


TAKES = frozenset(("tool-inactive", "tool-planning-only"))
RULES = (
    CheckRule("inactive-tool", "warning", "a tool that is mentioned but not active", check_inactive_tools, TAKES),
    CheckRule("skills-unreachable", "warning", "skills without a tool to load them", check_unreachable_skills),
)
