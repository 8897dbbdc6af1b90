"""MessageHistory keeps the messages in order; no call is separated from its results."""

from collections import Counter
from collections.abc import Callable, Iterable
from typing import Literal

from ..assemble.sanitize.messages_and_tools import UNCHANGED_KINDS, sanitize_message
from ..errors import SessionError, list_some, show_value
from ..model.diagnostic import Diagnostic, warning
from ..model.message import Call, Message
from ..model.prompt.prompt import Prompt
from ..text.normalize import find_surrogate

SUMMARY_INTRO = "What was said so far was replaced by this summary:"
SUMMARY_FRAME = "summary"
BRANCH_INTRO = "Another line of work was followed and left. This is a summary of it:"


class MessageHistory:
    """A part of Session: the messages, and those that wait until the open calls have results."""

    def __init__(
        self,
        messages: Iterable[Message] = (),
        waiting: Iterable[Message] = (),
        prompt: Callable[[], Prompt | None] = lambda: None,
    ) -> None:
        """Begin with these messages, e.g. of a save; `prompt` returns the session's current prompt."""
        self.prompt = prompt
        """Returns the current prompt. A program's message may not contain the frames of this prompt."""
        self.all: list[Message] = list(messages)
        self.sent: list[Message] = [message for message in self.all if message.sent]
        self.waiting: list[Message] = list(waiting)
        self.open = _open_calls(self.all)
        """The ids of calls without a result, each with the number of its calls."""
        self.calls = _index_last_calls(self.all)
        """The calls of the last message that made any, by id."""
        self.diagnostics: list[Diagnostic] = []
        """The diagnostics of messages that are not in the record yet."""
        self.handed_paths: set[str] = set()
        """The nested project files that were returned to a framework that keeps the messages."""
        self.arrived_paths: list[str] = []
        """The added nested project files that are not in the record yet."""

    def add(self, message: Message) -> None:
        """Append a message. While calls are open, only their results are added; other messages wait."""
        if message.role == "tool":
            self._answer(message)
        elif self.open:
            self.waiting.append(message)
        else:
            self._put(message)
            self.calls = {call.id: call for call in reversed(message.calls)}
            if message.calls:
                self.open = Counter(call.id for call in message.calls)

    def add_revocable(self, message: Message, own: list[Message]) -> None:
        """Append a message of this turn to the history and to `own`, so that a cancelled turn can remove it."""
        at, waits = len(self.all), len(self.waiting)
        self.add(message)
        own += (*self.all[at:], *self.waiting[waits:])

    def _answer(self, message: Message) -> None:
        """Add the result of an open call; after the last one, the waiting messages follow."""
        call = message.call or ""
        if call not in self.open:
            raise SessionError(
                f"The result of call {message.call!r:.200} does not match an open call.",
                cause=f"Open: {list_some(self.open) or 'none'}.",
                hint="Add the assistant's message with its calls first.",
            )
        self._put(message)
        self.open[call] -= 1
        if not self.open[call]:
            del self.open[call]
        if not self.open:
            self._flush()

    def _flush(self) -> None:
        waiting, self.waiting = self.waiting, []
        for message in waiting:
            self.add(message)

    def _put(self, message: Message) -> None:
        """Append a message, sanitized, and note it as sent."""
        if message.kind not in UNCHANGED_KINDS:
            message = self._sanitize(message)
        self.all.append(message)
        if not message.sent:
            return
        self.sent.append(message)
        if message.kind == "context" and message.name:
            self.arrived_paths.append(message.name)
        for text in (message.text, *(part.text for part in message.parts)):
            if (at := find_surrogate(text)) is not None:
                half = f"half a surrogate pair, U+{ord(text[at]):04X}, at its character {at}"
                problem = f"a message ({message.kind}) contains {half}: `�` is sent for it"
                self.diagnostics.append(warning("half-character", problem))

    def _sanitize(self, message: Message) -> Message:
        message, notes = sanitize_message(message, self.prompt())
        self.diagnostics += notes
        return message

    def sanitize_again(self) -> None:
        """Sanitize the messages from before the first prompt again: its frames are known only now."""
        messages = [message if message.kind in UNCHANGED_KINDS else self._sanitize(message) for message in self.all]
        if any(new is not old for new, old in zip(messages, self.all, strict=True)):
            self._reset(messages)

    def _make_summary_message(self, text: str, kind: Literal["summary", "branch"]) -> Message:
        """A summary as a user message. Its text can't end its frame."""
        lead = SUMMARY_INTRO if kind == "summary" else BRANCH_INTRO
        message, notes = sanitize_message(Message("user", text, "custom", name=kind), self.prompt(), SUMMARY_FRAME)
        self.diagnostics += notes
        return Message("user", f"{lead}\n\n<{SUMMARY_FRAME}>\n{message.text.strip()}\n</{SUMMARY_FRAME}>", kind)

    def compact(self, text: str, keep: int) -> None:
        """Replace all but the last `keep` messages with a summary. More are kept if a call needs its results."""
        _check_keep(keep)
        at = _find_complete_start(self.all, max(0, len(self.all) - keep))
        self.handed_paths.clear()
        self._reset([self._sanitize(self._make_summary_message(text, "summary")), *self.all[at:]])

    def branch(self, text: str, keep: int) -> None:
        """Go back to the first `keep` messages, and add a summary of the removed ones."""
        _check_keep(keep)
        messages = self.all[: _find_complete_end(self.all, keep)]
        self.waiting = []
        self.handed_paths.clear()
        self._reset([*messages, self._sanitize(self._make_summary_message(text, "branch"))])

    def remove(self, messages: Iterable[Message]) -> None:
        """Remove these very messages from the history."""
        removed = {id(message) for message in messages}
        self.waiting = [message for message in self.waiting if id(message) not in removed]
        if any(id(message) in removed for message in self.all):
            self._reset([message for message in self.all if id(message) not in removed])

    def has(self, kind: str, name: str) -> bool:
        """Whether a message of that kind and name exists or waits, or a framework got the file instead."""
        if kind == "context" and name in self.handed_paths:
            return True
        return any(m.kind == kind and m.name == name for row in (self.all, self.waiting) for m in row)

    @property
    def awaits_prompt(self) -> bool:
        """Whether the next turn starts with a user prompt: the last reply has no calls."""
        prompts_and_replies = (message for message in reversed(self.all) if message.kind in ("prompt", "reply"))
        last = next(prompts_and_replies, None)
        return last is None or not last.calls

    def _reset(self, messages: list[Message]) -> None:
        self.all = messages
        self.sent = [message for message in messages if message.sent]
        self.open, self.calls = _open_calls(messages), _index_last_calls(messages)
        if not self.open:
            self._flush()


def _check_keep(keep: object) -> None:
    """Refuse what is no number of messages."""
    if type(keep) is not int or keep < 0:
        raise SessionError(f"keep is {show_value(keep)}.", hint="Pass the number of messages to keep.")


def _open_calls(messages: list[Message], end: int | None = None) -> Counter[str]:
    """The calls without a result in the last assistant message before `end`; two calls may have one id."""
    answered: Counter[str] = Counter()
    for index in range(len(messages) if end is None else end, 0, -1):
        message = messages[index - 1]
        if message.role != "tool":
            return Counter(call.id for call in message.calls) - answered
        answered[message.call or ""] += 1
    return Counter()


def _index_last_calls(messages: list[Message]) -> dict[str, Call]:
    """The calls of the last message that is not a result, by id."""
    last = next((message for message in reversed(messages) if message.role != "tool"), None)
    return {call.id: call for call in reversed(last.calls)} if last else {}


def _find_complete_start(messages: list[Message], at: int) -> int:
    """The nearest index at or before `at` from which every result has its call."""
    while 0 < at < len(messages) and messages[at].role == "tool":
        at -= 1
    if at == len(messages) and _open_calls(messages):
        return _find_complete_start(messages, at - 1)
    return at


def _find_complete_end(messages: list[Message], end: int) -> int:
    """The nearest index at or before `end` up to which every call has its results."""
    end = min(end, len(messages))
    while end > 0 and _open_calls(messages, end):
        # Go back to before the calls that lack results.
        end = _find_complete_start(messages, end - 1)
    return end


def find_separated_call(messages: Iterable[Message]) -> str | None:
    """The first call without its result, or result without its call, in words; None if all match."""
    open_calls: Counter[str] = Counter()
    for message in messages:
        if message.role == "tool":
            if message.call not in open_calls:
                return f"the result of call {message.call!r} has no call"
            call = message.call or ""
            open_calls[call] -= 1
            if not open_calls[call]:
                del open_calls[call]
        elif open_calls:
            break
        else:
            open_calls = Counter(call.id for call in message.calls)
    return f"call {next(iter(open_calls))!r} has no result" if open_calls else None
