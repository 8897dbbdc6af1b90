"""SessionMessages is the part of Session that people use for messages: what is said, called and answered."""

from collections.abc import Iterable
from os import fspath
from typing import Any, Literal

from ...discover.disk.location import Path
from ...model.message import Call, Message
from ...providers.read.contents import ContentInput
from ..files.nested_files import Nested, hand_over_nested
from ..session_parts import SessionParts
from ..turn.prepare_prompt import prepare_prompt
from .add_messages import (
    add_assistant,
    add_message,
    add_reply,
    add_result_of,
    branch_messages,
    compact_messages,
    interrupt_calls,
    make_shell_message,
    queue_message,
)
from .load_skill import answer, use_skill


class SessionMessages:
    """The messages of a session. Every method may be called from any thread."""

    _parts: SessionParts

    @property
    def messages(self) -> tuple[Message, ...]:
        """All messages, those that are not sent included."""
        with self._parts.lock:
            return tuple(self._parts.history.all)

    def add(self, message: Message) -> None:
        """Add any message; while tool calls are open, it waits for their results."""
        add_message(self._parts, message)

    def assistant(
        self, text: str | None = "", calls: Iterable[Any] | None = (), blocks: Iterable[dict[str, Any]] = ()
    ) -> None:
        """Add what the model said, and the tools that it wants to call, as any SDK hands them over."""
        add_assistant(self._parts, text, calls, blocks)

    def reply(self, response: Any) -> tuple[Call, ...]:
        """Add a whole response of an SDK, as an object, a dict or JSON: text, calls, reasoning and usage.

        OpenAI (both protocols), Anthropic, Gemini, Bedrock and Ollama are known by their form. The calls come back.
        """
        return add_reply(self._parts, response)

    def result(self, call: Any, text: ContentInput, *, failed: bool = False, touched: Iterable[str] = ()) -> None:
        """Add the result of a call or of its id, as a text or as content parts.

        The next turn looks for instruction files near the paths that it touched.
        """
        add_result_of(self._parts, call, text, failed=failed, touched=touched)

    def interrupt(self, why: str = "The call was interrupted.") -> None:
        """Answer every open call with an error, so that the conversation can go on."""
        interrupt_calls(self._parts, why)

    def touch(self, *paths: str) -> None:
        """Say that a tool touched these files: recipes that ask for it deliver the project files on the way, once."""
        with self._parts.lock:
            self._parts.queue.touched += paths

    def shell(self, command: str, output: str, exit_code: int | None = 0, *, cut: str | None = None) -> None:
        """Add a command that the user ran: `!cmd` is sent, `!!cmd` is kept and not sent."""
        self.add(make_shell_message(command, output, exit_code, cut=cut))

    def send_message(
        self, text: str, *, name: str | None = None, shown: bool = True, when: Literal["now", "next"] = "now"
    ) -> None:
        """Add a message of a program's, now or after the user's next one. Hidden or shown, it is always sent."""
        message = Message("user", text, "custom", name=name, shown=shown)
        (queue_message if when == "next" else add_message)(self._parts, message)

    def compact(self, summary: str, keep: int = 0) -> None:
        """Replace all but the last `keep` messages by a summary; what messages told of the prompt is folded in."""
        compact_messages(self._parts, summary, keep)

    def branch(self, summary: str, keep: int) -> None:
        """Go back to the first `keep` messages, with a summary of what is left behind."""
        branch_messages(self._parts, summary, keep)

    def use_skill(self, name: str) -> str:
        """Load a skill's full instructions, by its name.

        They come back as text, each time, and no message is added: a tool for a framework that keeps its own messages.
        A name that is not known gives `Error: …` with the nearest one, so that the model can try again.
        In a loop that asks for turns, `answer(call)` loads the skill as a message, once.
        """
        return use_skill(self._parts, name)

    def nested_for(self, *paths: Path, again: bool = False) -> tuple[Nested, ...]:
        """The instructions of nested project files that touched paths bring, for a framework with its own messages.

        Each file comes once, whoever touched it; `again` gives it once more, for a framework that dropped it. Recipes
        and settings decide as with `touch`, which brings the same as messages.
        """
        if self._parts.current.state is None:
            prepare_prompt(self._parts)
        return hand_over_nested(self._parts, [fspath(path) for path in paths], again=again)

    def answer(self, call: Any) -> bool:
        """Answer a call of the session's own tool, `use_skill`; false where the call is somebody else's.

        A call whose arguments are no JSON object is answered with an error, whosever it is.
        """
        return answer(self._parts, call)
