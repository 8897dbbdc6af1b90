"""Opal's own tools, by the names that its guidelines use."""

from ...model.tool import Tool

TOOLS = (
    Tool("read_file", "Read a file, whole or from `offset` for `limit` lines."),
    Tool("edit_file", "Replace a passage of a file with another."),
    Tool("write_file", "Create a file."),
    Tool("shell", "Run a shell command."),
    Tool("sub_agent", "Hand a task to an agent of its own."),
    Tool("use_skill", "Load a skill's full instructions."),
    Tool("ask_user", "Ask the user a question and wait for the answer."),
)
