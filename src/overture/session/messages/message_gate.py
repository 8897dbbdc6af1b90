"""Messages of programs, commands and hooks on their way into a conversation: they go through the gate, too."""

from msgspec.structs import replace

from ...assemble.gate.admit import admit
from ...assemble.gate.frames_of_prompt import guard_of_message
from ...assemble.gate.guard import PASSED
from ...assemble.gate.report_foreign_text import Contained
from ...model.diagnostic import Diagnostic, warning
from ...model.message import Message
from ...model.prompt.prompt import Prompt

SPOKEN = ("prompt", "reply", "result")
"""What the user, the model and the tools said is sent as it is; the rest is text of files and programs."""
FRAMED = ("skill", "context", "update", "summary", "branch")
"""These stand in frames of ours, and what is in the frames came through before."""


def through_gate(message: Message, prompt: Prompt | None, *frames: str) -> tuple[Message, tuple[Diagnostic, ...]]:
    """A message as it may be sent beside this prompt, and what was done to it. `frames` are put around it later."""
    guard = PASSED if message.kind in FRAMED else guard_of_message(prompt).extended(frames)
    text, found = admit(message.text, guard)
    parts = tuple([replace(part, text=admit(part.text, guard)[0]) for part in message.parts])
    if parts != message.parts:
        found += tuple([one for part in message.parts for one in admit(part.text, guard)[1]])
    elif text is message.text:
        return message, ()
    return replace(message, text=text, parts=parts), tuple([_note(message, one) for one in found])


def _note(message: Message, found: Contained) -> Diagnostic:
    name = f" {message.name!r:.80}" if message.name else ""
    column = f", column {found.column}" if found.column else ""
    where = f"a message ({message.kind}{name}), line {found.line}{column}"
    return warning(found.code, f"{where}: {found.message}")
