"""A diagnostic describes what is wrong in a user's file in one line, under a code; it is never an exception."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Annotated, Literal

from msgspec.structs import force_setattr

from ..text.invisible import escape_to_line
from ..text.secrets.find_and_hide import hide_secrets
from ..text.secrets.quick_check import may_hold_secret
from .struct import Frozen, note

Level = Literal["info", "warning", "error"]
"""Info: correct behaviour that may still surprise; it fails no `--strict`."""
BREAK = re.compile("[\n\r\u2028\u2029]")
"""Characters that are written as a blank. Other line ends are control characters, which are shown and reported."""
BLANK = "as a space"
ENTITY = "as an entity, e.g. `&#10;`"
AROUND_BREAK = " \t\n\r\u2028\u2029"


class Diagnostic(Frozen, frozen=True, omit_defaults=False, forbid_unknown_fields=False):
    """One problem in a file or a value: what is wrong, where, and what to do."""

    level: Level
    code: Annotated[str, note("the kind of problem, e.g. skill-invalid; it never changes its meaning")]
    message: str
    path: str | None = None
    line: int | None = None
    field: Annotated[str | None, note("the field of the State that it is about")] = None
    column: Annotated[int | None, note("counted in characters, from 1")] = None

    def __post_init__(self) -> None:
        # A value that it names may be a key: no message shows one.
        if may_hold_secret(self.message):
            force_setattr(self, "message", hide_secrets(self.message))

    def __str__(self) -> str:
        """`warning: PATH: line 2: what is wrong`, on one line and with nothing that a terminal would obey."""
        where = f"{escape_to_line(self.path)}: " if self.path else ""
        column = f", column {self.column}" if self.column else ""
        line = f"line {self.line}{column}: " if self.line else ""
        return hide_secrets(f"{self.level}: {where}{line}{escape_to_line(self.message)}")


def warning(
    code: str, message: str, path: str | None = None, line: int | None = None, column: int | None = None
) -> Diagnostic:
    """Worth knowing: something is not as it should be, or not used."""
    return Diagnostic("warning", code, message, path, line, column=column)


def has_problem(notes: Iterable[Diagnostic]) -> bool:
    """Whether anything is wrong: `--strict` fails then."""
    return any(note.level != "info" for note in notes)


def error(code: str, message: str, path: str | None = None, line: int | None = None) -> Diagnostic:
    """A file contains something that can't be used as written."""
    return Diagnostic("error", code, message, path, line)


def report_escaped_breaks(field: str, text: str) -> tuple[Diagnostic, ...]:
    """The same for a field inside an attribute, where every line break is escaped."""
    return (_report(field, ENTITY, None, field),) if not text.isprintable() and BREAK.search(text) else ()


def report_skill_breaks(what: str, text: str, how: str, path: str, line: int | None) -> tuple[Diagnostic, ...]:
    """The same for a skill: `what` is its name, its source or its path."""
    checked = text.strip(AROUND_BREAK) if how is BLANK else text
    return (_report(f"the skill's {what}", how, path, None, line),) if BREAK.search(checked) else ()


def _report(what: str, how: str, path: str | None, field: str | None, line: int | None = None) -> Diagnostic:
    """The diagnostic of a line break in a single-line value."""
    message = f"{what}: a line break in a single-line value: it is written {how}"
    return Diagnostic("warning", "contained-break", message, path, line, field)


# A line break in a single-line value, as a name, a path or a fact -> its report.
# The renderer writes a blank or an entity in place of the break. Multi-line texts that are joined to one line,
# such as descriptions, are not reported.


def report_line_breaks(field: str, text: str | None, path: str | None = None) -> tuple[Diagnostic, ...]:
    """The report of a line break in a single-line field; leading and trailing breaks do not count."""
    # Almost every name is printable, which costs next to nothing to see.
    if not text or text.isprintable() or not BREAK.search(text.strip(AROUND_BREAK)):
        return ()
    return (_report(field, BLANK, path, field),)
