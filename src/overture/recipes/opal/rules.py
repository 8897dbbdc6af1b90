"""Opal's guideline table: scan it to see every line that the model can receive."""

from ...model.recipe.rule import all_of, has, lacks, rule

SHELL = has("shell", "bash", "zsh", "cmd", "powershell")
KNOWN = has(
    "read_file", "edit_file", "write_file", "use_skill", "sub_agent",
    "shell", "bash", "zsh", "cmd", "powershell",
)  # fmt: skip

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
        KNOWN,
        "Before starting each major step in a multi-step task, emit a short status tag: "
        "`<status>Analyzing test failures</status>`. Keep it under 6 words.",
    ),
)
