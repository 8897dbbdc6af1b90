"""Commands that the user ran, as messages; and calls of tools in any form."""

from collections.abc import Mapping
from typing import Any

from ...model.message import Call, Message


def shell(command: str, output: str, exit_code: int | None, *, cut: str | None = None) -> Message:
    """A command that the user ran: `!cmd` is told to the model, `!!cmd` is kept and not sent.

    `exit_code` is None where it was cancelled; `cut` says where the full output lies when this is not all of it.
    """
    sent = not command.startswith("!!")
    command = command.lstrip("!").strip()
    fence = "`" * max(3, 1 + _longest_run(output))
    ticks = "`" * (1 + _longest_run(command))
    # Markdown's own rule: a blank keeps the command's backticks apart from ours.
    blank = [" " if command[at : at + 1] == "`" else "" for at in (0, len(command) - 1)]
    lines = [f"I ran {ticks}{blank[0]}{command}{blank[1]}{ticks}."]
    lines += [fence, output.rstrip("\n"), fence] if output.strip() else ["(no output)"]
    if exit_code is None:
        lines.append("(cancelled)")
    elif exit_code:
        lines.append(f"(exit code {exit_code})")
    if cut is not None:
        lines.append(f"(The output is cut. All of it is in {cut})")
    return Message("user", "\n".join(lines), "shell", name=command, sent=sent)


def _longest_run(text: str) -> int:
    """The longest row of backticks, which a fence has to be longer than."""
    longest = here = 0
    for char in text:
        here = here + 1 if char == "`" else 0
        longest = max(longest, here)
    return longest


def call_of(item: Call | Mapping[str, Any]) -> Call:
    """A call from our form, or from a mapping with `id`, `name` and `arguments` (or Anthropic's `input`)."""
    if isinstance(item, Call):
        return item
    return Call(str(item["id"]), str(item["name"]), dict(item.get("arguments", item.get("input")) or {}))
