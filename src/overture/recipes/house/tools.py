"""The tools of house: Opal's by shorter names, and one for runs in the background."""

from msgspec.structs import replace

from ...model.state.tool import Tool, takes, text
from ..opal.tools import TOOLS as OPAL

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
