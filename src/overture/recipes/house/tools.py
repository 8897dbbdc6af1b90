"""The tools of house, by the names that its guidelines use."""

from ...model.tool import Tool
from ..moltis.tools import takes

TOOLS = (
    Tool("read", "Read a file.", takes("path", "the file")),
    Tool("edit", "Replace a passage of a file with another.", takes("path", "the file")),
    Tool("write", "Create a file, or replace all of it.", takes("path", "the file")),
    Tool("bash", "Run a shell command.", takes("command", "the command line")),
    Tool("use_skill", "Load a skill's full instructions.", takes("name", "the skill")),
    Tool("sub_agent", "Hand a task to an agent of its own.", takes("task", "what it is to do")),
    Tool("ask_user", "Ask the user a question and wait for the answer.", takes("question", "what to ask")),
    Tool("notify_user", "Send the user a message from a run in the background.", takes("text", "the message")),
)
