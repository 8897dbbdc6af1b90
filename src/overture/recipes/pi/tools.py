"""pi's own tools, each with its line in the prompt."""

from ...model.tool import Tool

TOOLS = (
    Tool("read", "Read file contents"),
    Tool("bash", "Execute bash commands (ls, grep, find, etc.)"),
    Tool("edit", "Make surgical edits to files (find exact text and replace)"),
    Tool("write", "Create or overwrite files"),
    Tool("grep", "Search the contents of files for a pattern"),
    Tool("find", "Look for files by name"),
    Tool("ls", "List what a directory holds"),
)

LINES = {tool.name: tool.description for tool in TOOLS}
