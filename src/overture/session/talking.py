"""What is said in a session: messages, results of tools, commands, skills, summaries."""

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from ..model.message import Call, Message
from . import loading, steps
from .live import Live
from .message import call_of, shell

TOUCHING = ("path", "file_path", "filename", "file", "notebook_path")
"""Arguments of a tool call that name the file which it touches."""


class Talking(Live):
    """The methods of Session that add to the conversation, or take from it."""

    def add(self, message: Message) -> None:
        """Add any message; while tool calls are open, it waits for their results."""
        self.do(lambda: self.talk.add(message))

    def assistant(
        self, text: str = "", calls: Iterable[Call | Mapping[str, Any]] = (), blocks: Iterable[dict[str, Any]] = ()
    ) -> None:
        """Add what the model said, and the tools that it wants to call."""
        self.add(Message("assistant", text, "reply", calls=tuple(map(call_of, calls)), blocks=tuple(blocks)))

    def result(self, call: str, text: str, *, failed: bool = False, touched: Iterable[str] = ()) -> None:
        """Add the result of a tool call. Files that it touched are looked around with the next turn."""
        with self.lock:
            made = loading.open_call(self, call)
            self.talk.add(Message("tool", text, "result", call=call, failed=failed))
            named = [value for key in TOUCHING if made and isinstance(value := made.arguments.get(key), str)]
            self.touched += [*named, *touched]

    def interrupt(self, why: str = "The call was interrupted.") -> None:
        """Answer every open call with an error, so that the conversation can go on."""
        with self.lock:
            for call in tuple(self.talk.open):
                self.talk.add(Message("tool", why, "result", call=call, failed=True))

    def touch(self, *paths: str) -> None:
        """Say that a tool touched these files: recipes that ask for it deliver the project files on the way, once."""
        with self.lock:
            self.touched += paths

    def shell(self, command: str, output: str, exit_code: int | None = 0, *, cut: str | None = None) -> None:
        """Add a command that the user ran: `!cmd` is sent, `!!cmd` is kept and not sent."""
        self.add(shell(command, output, exit_code, cut=cut))

    def send_message(
        self, text: str, *, name: str | None = None, shown: bool = True, when: Literal["now", "next"] = "now"
    ) -> None:
        """Add a message of a program's, now or after the user's next one. Hidden or shown, it is always sent."""
        message = Message("user", text, "custom", name=name, shown=shown)
        self.do(lambda: self.queued.append(message) if when == "next" else self.talk.add(message))

    def compact(self, summary: str, keep: int = 0) -> None:
        """Replace all but the last `keep` messages by a summary; what messages told of the prompt is folded in."""
        with self.lock:
            self.talk.compact(summary, keep)
            steps.fold(self, "compaction")

    def branch(self, summary: str, keep: int) -> None:
        """Go back to the first `keep` messages, with a summary of what is left behind."""
        with self.lock:
            self.talk.branch(summary, keep)
            steps.fold(self, "another branch")

    def use_skill(self, name: str) -> str:
        """Load a skill: its body becomes a user's message, once. What to answer the model comes back."""
        return loading.use_skill(self, name)

    def answer(self, call: Call | Mapping[str, Any]) -> bool:
        """Answer a call of the session's own tool, `use_skill`; false where the call is somebody else's."""
        made = call_of(call)
        said = loading.answered(self, made)
        if said is not None:
            self.result(made.id, said[0], failed=said[1])
        return said is not None
