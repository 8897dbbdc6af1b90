"""The tags, tools and guideline rules of house."""

from msgspec.structs import replace

from ...model.recipe.rule import SOME, all_of, has, lacks, rule
from ...model.recipe.section import Frame, tag
from ...model.tool.tool import Tool, takes, text
from ..opal.recipe import TOOLS as OPAL

PREFIX = "prompt-"
"""As in `<prompt-update>`, which a session writes. `<user>`, `<task>` or `<guidelines>` stand in many files."""
FILE = f"{PREFIX}project-context"


def own_tag(name: str) -> Frame:
    """`<prompt-name>` above and `</prompt-name>` below."""
    return tag(PREFIX + name)


# The guideline table of house. It knows a tool by any of the names that the five give it.


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


# The tools of house: Opal's by shorter names, and one for runs in the background.


OF_OPAL = {tool.name: tool for tool in OPAL}

TOOLS = (
    replace(OF_OPAL["read_file"], name="read", description="Read a file."),
    replace(OF_OPAL["edit_file"], name="edit"),
    replace(OF_OPAL["write_file"], name="write", description="Create a file, or replace all of it."),
    replace(OF_OPAL["shell"], name="bash"),
    OF_OPAL["use_skill"],
    OF_OPAL["sub_agent"],
    OF_OPAL["ask_user"],
    Tool(
        "notify_user",
        "Send the user a message from a run in the background.",
        takes({"text": text("The message.")}),
    ),
)
