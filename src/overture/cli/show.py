"""How things look in a terminal, and how they are written down a pipe."""

import os
import re
import sys
from collections.abc import Iterable, Sequence
from typing import Any

import click
import msgspec

from ..model.diagnostic import Diagnostic
from ..model.errors import ConfigError
from ..model.hidden import shown

CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f]")
PACES = {"static": "green", "session": "cyan", "turn": "yellow"}
OUTCOMES = {"loaded": "green", "absent": "bright_black", "unread": "bright_black"}


def write(text: str) -> None:
    """Write text as UTF-8, whatever the locale, with one newline at its end."""
    if sys.stdout is None:
        raise ConfigError("Standard output is closed. There is nowhere to write to.")
    sys.stdout.flush()
    sys.stdout.buffer.write(text.encode("utf-8", "replace") + b"\n")
    sys.stdout.buffer.flush()


def write_json(value: Any) -> None:
    """Write a value as indented JSON."""
    write(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


def write_line(value: Any) -> None:
    """Write a value as JSON on one line."""
    write(msgspec.json.encode(value).decode())


def write_file(path: str, text: str) -> None:
    """Write text to a file as UTF-8; a path that can't be written to is an error."""
    try:
        with open(path, "w", encoding="utf-8", newline="\n") as file:  # noqa: PTH123
            file.write(text)
    except (OSError, ValueError) as problem:
        said = getattr(problem, "strerror", None) or str(problem)
        raise ConfigError(f"{path!r} can't be written: {said.lower()}.") from None


def say(text: str = "") -> None:
    """Write a line for a person; colours vanish where they would not be seen."""
    write(text if colourful() else click.unstyle(text))


def colourful() -> bool:
    """Whether standard output is a terminal that nobody asked to keep plain."""
    return sys.stdout.isatty() and "NO_COLOR" not in os.environ


def report(diagnostics: Iterable[Diagnostic]) -> None:
    """Each diagnostic on a line of its own on standard error."""
    for diagnostic in diagnostics:
        line = " ".join(visible(str(diagnostic)).split())
        sys.stderr.buffer.write(line.encode("utf-8", "replace") + b"\n")
    sys.stderr.flush()


def heading(text: str) -> None:
    """A heading with a blank line above."""
    say()
    say(click.style(text, bold=True))


def table(rows: Sequence[Sequence[str]], indent: str = "  ") -> None:
    """Columns as wide as they need to be; the last one is not padded."""
    if not rows:
        return
    widths = [max(len(click.unstyle(row[i])) for row in rows) for i in range(len(rows[0]) - 1)]
    for row in rows:
        cells = [cell + " " * (width - len(click.unstyle(cell))) for cell, width in zip(row, widths, strict=False)]
        last = [row[-1]] if click.unstyle(row[-1]) else []
        say((indent + "  ".join([*cells, *last])).rstrip())


def visible(text: str) -> str:
    """Control characters of a file made visible, so that it can't play with the terminal."""
    return CONTROL.sub(lambda m: f"\\x{ord(m[0]):02x}", shown(text))


def dim(text: str) -> str:
    """Less important."""
    return click.style(text, fg="bright_black")
