"""The tools of house, by the names that its guidelines use."""

from ...model.state.tool import Tool, takes, text, texts, whole

PATH = text("The file, absolute or relative to the working directory.")

TOOLS = (
    Tool(
        "read",
        "Read a file.",
        takes(
            {"path": PATH},
            {
                "offset": whole("The first line to read, counted from 1. Default: 1."),
                "limit": whole("How many lines to read. Default: all."),
            },
        ),
    ),
    Tool(
        "edit",
        "Replace a passage of a file with another.",
        takes(
            {
                "path": PATH,
                "old_text": text("The passage to replace, exactly as it stands in the file."),
                "new_text": text("The passage to put in its place."),
            }
        ),
    ),
    Tool(
        "write",
        "Create a file, or replace all of it.",
        takes({"path": PATH, "content": text("All that the file shall hold.")}),
    ),
    Tool(
        "bash",
        "Run a shell command.",
        takes(
            {"command": text("The command to run in the working directory.")},
            {"timeout": whole("Seconds after which it is stopped. Default: it is not.")},
        ),
    ),
    Tool(
        "use_skill",
        "Load a skill's full instructions.",
        takes({"name": text("The skill's name, as the list of skills has it.")}),
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
        "ask_user",
        "Ask the user a question and wait for the answer.",
        takes({"question": text("What to ask.")}, {"choices": texts("Answers to choose from. Default: any answer.")}),
    ),
    Tool(
        "notify_user",
        "Send the user a message from a run in the background.",
        takes({"text": text("The message.")}),
    ),
)
