"""Messages of programs, commands and hooks on their way into a conversation: they go through the gate, too."""

from collections.abc import Sequence
from typing import TypeVar

from msgspec.structs import replace

from ...model.diagnostic import Diagnostic, warning
from ...model.message import Message
from ...model.prompt.prompt import Prompt
from .admit import admit
from .frames_of_prompt import guard_of_message
from .guard import PASSED
from .report_foreign_text import Contained

Item = TypeVar("Item")
SPOKEN = ("prompt", "reply", "result")
"""What the user, the model and the tools said is sent as it is; the rest is text of files and programs."""
FRAMED = ("skill", "context", "update", "summary", "branch")
"""These stand in frames of ours, and what is in the frames came through before."""


def through_gate(message: Message, prompt: Prompt | None, *frames: str) -> tuple[Message, tuple[Diagnostic, ...]]:
    """A message as it may be sent beside this prompt, and what was done to it. `frames` are put around it later."""
    guard = PASSED if message.kind in FRAMED else guard_of_message(prompt).extended(frames)
    texts = [admit(text, guard) for text in (message.text, *(part.text for part in message.parts))]
    notes = tuple([_note(message, one) for _, found in texts for one in found])
    (text, _), *others = texts
    parts = tuple([replace(part, text=said) for part, (said, _) in zip(message.parts, others, strict=True)])
    same = text == message.text and parts == message.parts
    return message if same else replace(message, text=text, parts=parts), notes


def all_through_gate(
    messages: Sequence[Message | Item], prompt: Prompt
) -> tuple[tuple[Message | Item, ...], tuple[Diagnostic, ...]]:
    """A conversation as it may be sent beside this prompt; objects in a provider's own form are the caller's."""
    sent, notes = list[Message | Item](), list[Diagnostic]()
    for message in messages:
        if isinstance(message, Message) and message.kind not in SPOKEN:
            message, found = through_gate(message, prompt)
            notes += found
        sent.append(message)
    return tuple(sent), tuple(notes)


def _note(message: Message, found: Contained) -> Diagnostic:
    name = f" {message.name!r:.80}" if message.name else ""
    column = f", column {found.column}" if found.column else ""
    where = f"a message ({message.kind}{name}), line {found.line}{column}"
    return warning(found.code, f"{where}: {found.message}")
