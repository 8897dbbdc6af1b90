"""How things look in a terminal, and how they are written down a pipe."""

import os
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import click
import msgspec

from ..discover.write_file import write_file
from ..errors import ConfigError
from ..model.diagnostic import Diagnostic
from ..model.struct import encode_json
from ..text.invisible import CONTROL, on_line, show, shown
from ..text.normalize import with_newlines
from ..text.secrets.shapes import may_hold
from .columns import laid_out
from .long_cells import MARK, STYLED, wrapped
from .progress import quiet
from .showing import printable, printable_data

UNESCAPED = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Control characters that JSON does not escape by itself, and what turns the direction of the text after it."""
PACES = {"static": "green", "session": "cyan", "turn": "yellow"}
CHANGES = {"static": "never", "session": "per session", "turn": "per turn"}
"""How often a section of each pace may change, in words."""
LEAST = 40
"""Columns: a narrower terminal breaks lines itself."""
OUTCOMES = {"loaded": "green", "absent": "bright_black", "unread": "bright_black"}


def write(text: str) -> None:
    """Write text as UTF-8, whatever the locale, with one newline at its end; nothing that a terminal would obey.

    What turns the direction of text goes down a pipe as it is: a prompt is printed as it is sent.
    """
    terminal = sys.stdout is not None and sys.stdout.isatty()
    _write(for_person(text) if terminal else harmless(text))


def _write(text: str) -> None:
    if sys.stdout is None:
        raise ConfigError("Standard output is closed. There is nowhere to write to.")
    quiet()
    sys.stdout.flush()
    sys.stdout.buffer.write(printable(text).encode("utf-8", "replace") + b"\n")
    sys.stdout.buffer.flush()


def write_exactly(data: bytes) -> None:
    """Write bytes down a pipe as they are; for a terminal, as a text that it would not obey."""
    if sys.stdout is None:
        raise ConfigError("Standard output is closed. There is nowhere to write to.")
    quiet()
    sys.stdout.flush()
    if sys.stdout.isatty():
        data = for_person(data.decode("utf-8", "replace")).rstrip("\n").encode() + b"\n"
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def write_json(value: Any) -> None:
    """Write a value as indented JSON."""
    write(_escaped(msgspec.json.format(_encoded(value), indent=2).decode()))


def write_line(value: Any) -> None:
    """Write a value as JSON on one line."""
    write(_escaped(_encoded(value).decode()))


def _encoded(value: Any) -> bytes:
    data = encode_json(value)
    return msgspec.json.encode(printable_data(msgspec.json.decode(data))) if may_hold(data.decode()) else data


def _escaped(text: str) -> str:
    return UNESCAPED.sub(lambda m: f"\\u{ord(m[0]):04x}", text)


def write_text(path: str, text: str, mode: int | None = None) -> None:
    """Write text to a file as UTF-8; a path that can't be written to is an error."""
    try:
        write_file(path, printable(text).encode(), mode=mode)
    except (OSError, ValueError) as problem:
        said = getattr(problem, "strerror", None) or str(problem)
        raise ConfigError(f"{path!r} can't be written: {said.lower()}.") from None


def say(text: str = "") -> None:
    """Write a line for a person; colours vanish where they would not be seen."""
    # Colours come last: an escape character that is there before is not ours, and is shown.
    _write(STYLED.sub("\x1b\\1" if colourful() else "", for_person(text)))


def style(text: str, *, fg: str | None = None, bold: bool | None = None) -> str:
    """Text in a colour, or bold."""
    return click.style(for_person(text), fg=fg, bold=bold).replace("\x1b", MARK) if text else ""


def colourful() -> bool:
    """Whether standard output is a terminal that nobody asked to keep plain."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ


def room() -> int | None:
    """How many columns the terminal has; None down a pipe, where nothing is broken or shortened."""
    if sys.stdout is None or not sys.stdout.isatty():
        return None
    import shutil

    return max(LEAST, shutil.get_terminal_size().columns)


def tell(text: str, indent: str = "") -> None:
    """Say a text in lines that fit the terminal, each behind `indent`; those after the first two blanks further in."""
    for line in wrapped(indent + text, room(), indent + "  "):
        say(line)


def report(diagnostics: Iterable[Diagnostic]) -> None:
    """Each diagnostic on a line of its own on standard error."""
    for diagnostic in diagnostics:
        complain(str(diagnostic))


TOLD: set[str] = set()
"""What this process said already."""


def report_once(*lines: str) -> None:
    """Each line on standard error, however often a command comes to say it."""
    for line in lines:
        if line not in TOLD:
            TOLD.add(line)
            complain(line)


def complain(text: str) -> None:
    """Write a line on standard error: one line, whatever it holds."""
    line = " ".join(visible(printable(text)).split())
    quiet()
    sys.stderr.flush()
    sys.stderr.buffer.write(line.encode("utf-8", "replace") + b"\n")
    sys.stderr.buffer.flush()


def aside(text: str) -> None:
    """A word to somebody who is watching: on standard error, and only if that is a terminal."""
    if sys.stderr is not None and sys.stderr.isatty():
        complain(text)


def heading(text: str) -> None:
    """A heading with a blank line above."""
    say()
    tell(style(text, bold=True))


def table(
    rows: Sequence[Sequence[str]],
    indent: str = "  ",
    heads: Sequence[str] = (),
    wraps: Sequence[int] | None = None,
) -> None:
    """Columns with headings, as wide as they need to be and the terminal allows.

    `wraps` are the columns that go on in the next line where they are too long, by default the last; others lose the
    middle of what is too long.
    """
    if not rows:
        return
    every = [[dim(head) if head else "" for head in heads], *rows] if heads else rows
    every = [[cell.replace("\n", show("\n")) for cell in row] for row in every]
    columns = frozenset([len(every[0]) - 1] if wraps is None else wraps)
    wide = room()
    for line in laid_out(every, wide and wide - len(indent), columns, heads):
        say((indent + line).rstrip())


def counted(number: int, noun: str) -> str:
    """`1 problem`, `2 problems`."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def visible(text: str) -> str:
    """What a file holds on one line, its control characters made visible: it can't play with the terminal."""
    return on_line(text)


def harmless(text: str) -> str:
    """Text of several lines without what a terminal would obey: the last guard before everything that is printed."""
    return CONTROL.sub(lambda m: show(m[0]), with_newlines(text)) if CONTROL.search(text) else text


def for_person(text: str) -> str:
    """The same, with direction overrides and other characters that nobody sees made visible as well."""
    return shown(harmless(text))


def dim(text: str) -> str:
    """Less important."""
    return style(text, fg="bright_black")
