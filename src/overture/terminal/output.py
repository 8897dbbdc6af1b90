"""Prints to the terminal or a pipe: safe to display, and without secrets unless an option shows them."""

import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Any, BinaryIO, TextIO, TypeVar

import click
import msgspec

from ..errors import ConfigError
from ..model.diagnostic import Diagnostic
from ..model.struct import encode_json
from ..text.invisible import escape_char, escape_invisible, escape_to_line
from ..text.normalize import CONTROL, normalize_newlines
from ..text.path_printer import readable_path
from ..text.secrets.find_and_hide import find_secrets, hide_secrets
from ..text.secrets.quick_check import Secret, may_hold_secret
from ..text.words import count_noun as count_noun
from .progress_line import clear_progress, is_dumb_terminal
from .table_layout import MARK, STYLED, lay_out_table, wrap_text

T = TypeVar("T")
SECRETS_KEY = "overture.secrets"
UNESCAPED = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Control characters that JSON does not escape by itself, and what turns the direction of the text after it."""
PACES = {"static": "green", "session": "cyan", "turn": "yellow"}
CHANGES = {"static": "never", "session": "per session", "turn": "per turn"}
"""How often a section of each pace may change, in words."""
MIN_TERMINAL_WIDTH = 40
"""Columns: a narrower terminal breaks lines itself."""
OUTCOME_NAMES = {
    "duplicate": "same text",
    "unread": "not looked for",
    "absent": "missing",
    "lazy": "loaded on demand",
    "cleared": "empty",
    "off": "disabled",
    "waiting": "not approved",
}
"""Outcomes in words that people use."""
escape_controls = escape_to_line
"""What a file holds on one line, its control characters made visible: it can't play with the terminal."""
OUTCOMES = {"loaded": "green", "absent": "bright_black", "unread": "bright_black"}


def open_standard_input(hint: str) -> BinaryIO:
    """Standard input as bytes; closed input is an error."""
    if sys.stdin is None:
        raise ConfigError("Standard input is closed.", hint=hint)
    return sys.stdin.buffer


def show_secrets() -> None:
    """Let the command that runs print them."""
    if (context := click.get_current_context(silent=True)) is not None:
        context.meta[SECRETS_KEY] = "show"


def _may_show_secrets() -> bool:
    context = click.get_current_context(silent=True)
    return context is not None and context.meta.get(SECRETS_KEY) == "show"


def redact_text(text: str) -> str:
    """What is printed: the last guard against a key that no prompt holds, as in a path, a value or an error."""
    return text if _may_show_secrets() else hide_secrets(text)


def count_secrets(value: Any) -> int:
    """How many keys and tokens plain data holds."""
    secrets: list[Secret] = []

    def count(text: str) -> str:
        secrets.extend(find_secrets(text))
        return text

    map_texts(value, count)
    return len(secrets)


def map_texts(value: Any, change: Callable[[str], str]) -> Any:
    """Plain data with each of its texts changed, keys too."""
    if isinstance(value, str):
        return change(value)
    if isinstance(value, dict):
        return {map_texts(key, change): map_texts(inner, change) for key, inner in value.items()}
    return [map_texts(item, change) for item in value] if isinstance(value, (list, tuple)) else value


def check_output() -> None:
    """A closed standard output is an error, before anything is written there."""
    if sys.stdout is None:
        raise ConfigError("Standard output is closed.", cause="Redirect it to a file or a pipe.")


def _is_terminal(stream: TextIO | None) -> bool:
    return stream is not None and stream.isatty()


def _put(stream: TextIO | None, data: bytes) -> None:
    """Write to a stream, once the progress line is cleared; a closed standard error has no reader."""
    if stream is None:
        return
    clear_progress()
    stream.flush()
    stream.buffer.write(data)
    stream.buffer.flush()


def _write(text: str) -> None:
    check_output()
    _put(sys.stdout, redact_text(text).encode("utf-8", "replace") + b"\n")


def write(text: str) -> None:
    """Writes text as UTF-8 with one newline at its end; no escape sequence reaches a terminal.

    Direction overrides go down a pipe as they are: a prompt is printed as it is sent.
    """
    _write(escape_for_terminal(text) if _is_terminal(sys.stdout) else escape_terminal_codes(text))


def write_exactly(data: bytes) -> None:
    """Write bytes down a pipe as they are; for a terminal, as a text that it would not obey."""
    check_output()
    if _is_terminal(sys.stdout):
        data = escape_for_terminal(data.decode("utf-8", "replace")).rstrip("\n").encode() + b"\n"
    _put(sys.stdout, data)


def write_json(value: Any, *, indent: int = 2) -> None:
    """Write a value as indented JSON; without an indent, on one line."""
    data = encode_json(value)
    if not _may_show_secrets() and may_hold_secret(data.decode()):
        # Text by text: JSON escapes a quote, and that would hide the secret in it.
        # A table of thousands of rows repeats most of its texts.
        data = msgspec.json.encode(map_texts(msgspec.json.decode(data), cache(hide_secrets)))
    data = msgspec.json.format(data, indent=indent) if indent else data
    write(UNESCAPED.sub(lambda m: f"\\u{ord(m[0]):04x}", data.decode()))


def write_text(path: str, text: str, mode: int | None = None) -> None:
    """Write text to a file as UTF-8; a path that can't be written to is an error."""
    from ..discovery.write_file import write_file

    try:
        write_file(path, redact_text(text).encode(), mode=mode)
    except (OSError, ValueError) as problem:
        message = getattr(problem, "strerror", None) or str(problem)
        raise ConfigError(f"{path!r} can't be written: {message.lower()}.") from None


def print_line(text: str = "") -> None:
    """Writes a line for a person; colours are removed where they would not be seen."""
    _write(_make_printable(text))


def print_lines(lines: Iterable[str]) -> None:
    """Writes many lines at once: one search for secrets covers all of them."""
    _write(_make_printable("\n".join(lines)))


def _make_printable(text: str) -> str:
    # Colours come last: an escape character that is there before is not ours, and is shown.
    return STYLED.sub("\x1b\\1" if _uses_colour() else "", escape_for_terminal(readable_path(text)))


def style(text: str, *, fg: str | None = None, bold: bool | None = None) -> str:
    """Text in a colour, or bold."""
    return click.style(escape_for_terminal(text), fg=fg, bold=bold).replace("\x1b", MARK) if text else ""


def dim(text: str) -> str:
    """Text as it is printed where it is less important."""
    return style(text, fg="bright_black")


def _uses_colour() -> bool:
    return _is_terminal(sys.stdout) and not ("NO_COLOR" in os.environ or is_dumb_terminal())


PIPE_WIDTH = 120
"""Columns of a table whose cells wrap, if no terminal has a width."""


def terminal_width() -> int | None:
    """How many columns the terminal has; None down a pipe, where nothing is wrapped or shortened."""
    if not _is_terminal(sys.stdout):
        return None
    import shutil

    return max(MIN_TERMINAL_WIDTH, shutil.get_terminal_size().columns)


def print_wrapped(text: str, indent: str = "") -> None:
    """Prints a text in lines that fit the terminal, each after `indent`; lines after the first have two more blanks."""
    for line in wrap_text(indent + text, terminal_width(), indent + "  "):
        print_line(line)


def print_diagnostics(diagnostics: Iterable[Diagnostic]) -> None:
    """Each diagnostic on a line of its own on standard error."""
    for diagnostic in diagnostics:
        print_error(str(diagnostic))


def once_per_command(key: str, compute: Callable[[], T]) -> T:
    """A value that is computed once in each run of a command, such as its clock and its standard input."""
    context = click.get_current_context(silent=True)
    known = {} if context is None else context.meta
    if key not in known:
        known[key] = compute()
    value: T = known[key]
    return value


def print_once(*lines: str) -> None:
    """Prints each line once on standard error, however often a command repeats it."""
    printed: set[str] = once_per_command("overture.printed", set)
    for line in lines:
        if line not in printed:
            printed.add(line)
            print_error(line)


def print_error(text: str, *, indented: bool = False) -> None:
    """Writes one line on standard error, also for a message with newlines."""
    line = escape_controls(readable_path(redact_text(text)))
    line = line.rstrip() if indented else " ".join(line.split())
    _put(sys.stderr, line.encode("utf-8", "replace") + b"\n")


def print_hint(text: str) -> None:
    """Prints a hint for a user who is watching: on standard error, and only if that is a terminal."""
    if _is_terminal(sys.stderr):
        print_error(text)


def print_heading(text: str) -> None:
    """A heading with a blank line above."""
    print_line()
    print_wrapped(style(text, bold=True))


def escape_terminal_codes(text: str) -> str:
    """Text of several lines without what a terminal would obey: the last guard before everything that is printed."""
    return CONTROL.sub(lambda m: escape_char(m[0]), normalize_newlines(text)) if CONTROL.search(text) else text


def escape_for_terminal(text: str) -> str:
    """The same, with direction overrides and other invisible characters made visible as well."""
    return escape_invisible(escape_terminal_codes(text))


def print_table(
    rows: Sequence[Sequence[str]],
    indent: str = "  ",
    heads: Sequence[str] = (),
    wraps: Sequence[int] | None = None,
    pipe_width: int | None = None,
) -> None:
    """Columns with headings, as wide as they need to be and the terminal allows; down a pipe, `pipe_width`.

    `wraps` are the columns that go on in the next line where they are too long, by default the last; others lose the
    middle of what is too long.
    """
    if not rows:
        return
    every = [[dim(head) if head else "" for head in heads], *rows] if heads else rows
    every = [[cell.replace("\n", escape_char("\n")) for cell in row] for row in every]
    columns = frozenset([len(every[0]) - 1] if wraps is None else wraps)
    wide = terminal_width() or pipe_width
    for line in lay_out_table(every, wide and wide - len(indent), columns):
        print_line((indent + line).rstrip())
