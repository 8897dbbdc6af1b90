"""A turn: everything that the model sees. System prompt, messages, definitions of the active tools."""

from typing import Any

from msgspec import Struct

from ..model.prompt import Prompt
from ..model.tool import Tool
from . import wire
from .message import Message
from .record import Entry


class Turn(Struct, frozen=True, eq=False):
    """All that the model sees on one call."""

    number: int
    prompt: Prompt
    """The system prompt: the very object that explain, diff and render take."""
    messages: tuple[Message, ...]
    """What is sent, in order."""
    entry: Entry
    """What the record says of this turn."""

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The active tools; those that are for planning only are not offered."""
        return tuple(tool for tool in self.prompt.state.tools if not tool.planning_only)

    def to_openai(self) -> dict[str, Any]:
        """`messages` and `tools` for `client.chat.completions.create`."""
        return wire.openai(self.prompt.text, self.messages, self.tools)

    def to_anthropic(self) -> dict[str, Any]:
        """`system`, `messages` and `tools` for `client.messages.create`."""
        return wire.anthropic(self.prompt.text, self.messages, self.tools)
