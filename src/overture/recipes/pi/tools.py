"""pi's own tools, each with its line in the prompt and the schema of its arguments."""

from ...model.state.tool import Tool, takes, text, truth, whole

FOLDER = text("The directory to look in. Default: the working directory.")

TOOLS = (
    Tool(
        "read",
        "Read file contents",
        takes(
            {"path": text("The file, absolute or relative to the working directory.")},
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
                "path": text("The file, absolute or relative to the working directory."),
                "oldText": text("The text to replace, exactly as it stands in the file."),
                "newText": text("The text to put in its place."),
            }
        ),
    ),
    Tool(
        "write",
        "Create or overwrite files",
        takes(
            {
                "path": text("The file, absolute or relative to the working directory."),
                "content": text("All that the file shall hold."),
            }
        ),
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
            {"path": FOLDER, "limit": whole("How many files to give at most.")},
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
