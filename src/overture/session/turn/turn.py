"""A turn: everything that the model sees. System prompt, messages, definitions of the active tools."""

from typing import Any, Literal, Unpack, overload
from warnings import warn

from msgspec import Struct

from ...errors import OvertureWarning
from ...known_models.models_table import ANY
from ...model.message import Message
from ...model.prompt.prompt import Prompt
from ...model.state.tool import Tool
from ...providers.request.manifest import Sent, manifest
from ...providers.request.render import How, native, request, strange_model
from ...providers.request.request import Ask, Laid
from ...providers.request.tools import callable_tools
from ...report.context import Context
from ..record import Entry


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

    @property
    def context(self) -> Context:
        """What each part of the request takes of the model's window: sections, tools, skills, messages by kind."""
        from .whole_context import context_of

        return context_of(self.prompt, self.messages)

    @overload
    def render(self, provider: str, *, with_manifest: Literal[False] = ..., **how: Unpack[How]) -> dict[str, Any]: ...
    @overload
    def render(
        self, provider: str, *, with_manifest: Literal[True], **how: Unpack[How]
    ) -> tuple[dict[str, Any], tuple[Sent, ...]]: ...
    def render(
        self, provider: str, *, with_manifest: bool = False, **how: Unpack[How]
    ) -> dict[str, Any] | tuple[dict[str, Any], tuple[Sent, ...]]:
        """The request of this turn, as `overture.render` gives it; the keywords are the same.

        Tools keep the session's order, and each message the sections that it was sent with: what one turn sent, the
        next sends again, byte for byte.
        """
        ask, laid = self._laid(provider, how)
        return (laid.body, manifest(ask, laid)) if with_manifest else laid.body

    def _laid(self, provider: str, how: How) -> tuple[Ask, Laid]:
        tools = callable_tools(native(self.prompt))
        made = request(provider, self.prompt, self.messages, tools, settled=True, **how)
        for note in strange_model(provider, how.get("model"), how.get("models")):
            warn(note.message, OvertureWarning, stacklevel=3)
        return made

    def to_openai(self, **how: Unpack[How]) -> dict[str, Any]:
        """`client.chat.completions.create(model=…, **turn.to_openai())`; `model=` makes it that model's."""
        return without_model(self._laid("openai-chat", for_any(how))[1])

    def to_anthropic(self, **how: Unpack[How]) -> dict[str, Any]:
        """`client.messages.create(model=…, max_tokens=…, **turn.to_anthropic())`; `model=` makes it that model's."""
        return without_model(self._laid("anthropic", for_any(how))[1])


def for_any(how: How) -> How:
    """What is said of a request whose model is named beside it: nothing that only some take, unless it is known."""
    return {**how, "model": how.get("model") or ANY}


def without_model(laid: Laid) -> dict[str, Any]:
    """The request for whatever model is named beside it."""
    return {key: value for key, value in laid.body.items() if key != "model"}
