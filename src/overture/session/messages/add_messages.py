"""What is added to a conversation, and taken from it: results, interruptions, messages of programs, summaries."""

from collections.abc import Iterable

from ...model.message import Call, Message
from ..live_session import Live
from ..turn.tell_and_record import fold

TOUCHING = ("path", "file_path", "filename", "file", "notebook_path")
"""Arguments of a tool call that name the file which it touches."""


def add(session: Live, message: Message) -> None:
    """Add a message, now or as soon as no call is open."""
    session.do(lambda: session.talk.add(message))


def add_result(session: Live, message: Message, touched: Iterable[str]) -> None:
    """Add a result; files that its call names were touched, besides those that are given."""
    with session.lock:
        made = session.talk.made.get(message.call or "")
        session.talk.add(message)
        named = [value for key in TOUCHING if made and isinstance(value := made.arguments.get(key), str)]
        session.touched += [*named, *touched]


def open_calls(session: Live) -> list[Call]:
    """The calls that have no result yet."""
    return [session.talk.made[id] for id in session.talk.open if id in session.talk.made]


def interrupt(session: Live, why: str) -> None:
    """Answer every open call with an error."""
    with session.lock:
        for call in tuple(session.talk.open.elements()):
            session.talk.add(Message("tool", why, "result", call=call, failed=True))


def compact(session: Live, summary: str, keep: int) -> None:
    """Put a summary in the place of all but the last messages; what messages told is in the prompt then."""
    with session.lock:
        session.talk.compact(summary, keep)
        fold(session, "compaction")


def branch(session: Live, summary: str, keep: int) -> None:
    """Go back to the first messages, with a summary of the rest; what messages told is in the prompt then."""
    with session.lock:
        session.talk.branch(summary, keep)
        fold(session, "another branch")


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
