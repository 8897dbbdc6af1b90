"""pi's guideline table: scan it to see every line that the model can receive."""

from ...model.recipe.rule import ALWAYS, all_of, has, lacks, rule

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
