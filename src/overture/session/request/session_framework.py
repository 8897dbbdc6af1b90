"""SessionFramework is the part of Session for a framework that runs the loop and keeps the messages itself."""

from collections.abc import Sequence
from os import fspath
from typing import Unpack

from ...discover.disk.world import Path
from ...model.message import Message, Usage
from ..files.nested_files import Nested, hand_over_nested
from ..messages.change_messages import note_usage
from ..messages.load_skill import use_skill
from ..session_parts import SessionParts
from ..turn.prepare_prompt import prepare_prompt
from .prepare_request import RequestOptions, SessionRequest, prepare_request, prepare_request_async


class SessionFramework:
    """What a framework asks of `session.framework`: requests, skills, nested files. None of it adds a message.

    Every method may be called from any thread.
    """

    def __init__(self, _parts: SessionParts) -> None:
        self._parts = _parts

    def prepare_request(self, messages: Sequence[Message] = (), **about: Unpack[RequestOptions]) -> SessionRequest:
        """The next request: prompt, messages and tools.

        `tools` are all that it offers, in any form: they become the session's tools. `instructions` are its own, sent
        behind the prompt. `conversation` tells conversations apart that begin alike.
        """
        return prepare_request(self._parts, messages, **about)

    async def aprepare_request(
        self, messages: Sequence[Message] = (), **about: Unpack[RequestOptions]
    ) -> SessionRequest:
        """Like `prepare_request`, without blocking the event loop; async hooks run on it."""
        return await prepare_request_async(self._parts, messages, **about)

    def nested_for(self, *paths: Path, again: bool = False) -> tuple[Nested, ...]:
        """The nested project files for touched paths.

        Each file comes once, whoever touched it; `again` gives it once more, for a framework that dropped it. Recipes
        and settings decide as with `touch`, which brings the same as messages.
        """
        if self._parts.current.state is None:
            prepare_prompt(self._parts)
        return hand_over_nested(self._parts, [fspath(path) for path in paths], again=again)

    def use_skill(self, name: str) -> str:
        """Load a skill's full instructions, by its name.

        They come back as text, each time, and no message is added: give the method to the model as a tool.
        A name that is not known gives `Error: …` with the nearest one, so that the model can try again.
        In a loop that asks for turns, `answer(call)` loads the skill as a message, once.
        """
        return use_skill(self._parts, name)

    def add_usage(self, usage: Usage, model: str | None = None) -> None:
        """Add a provider's token counts for a reply that the session has not seen; `reply` does so itself."""
        note_usage(self._parts, usage, model)
