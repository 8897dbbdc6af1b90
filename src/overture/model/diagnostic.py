"""A diagnostic says what is wrong in a user's file in one line; it is never an exception."""

from collections.abc import Iterable
from typing import Annotated, Literal

from msgspec.structs import force_setattr

from ..text.invisible import escape_to_line
from ..text.lazy_pattern import compile_on_use
from ..text.secrets.find import hide_secrets
from ..text.secrets.shapes import may_hold_secret
from .struct import Frozen, note

Level = Literal["info", "warning", "error"]
"""Info: what was done as it should be, and may still surprise; it fails no `--strict`."""


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
    """A file says something that can't be used as it stands."""
    return Diagnostic("error", code, message, path, line)


# A line break in what stands on one line by nature, a name, a path or a fact -> the report of it.
# Whoever says such a text writes a blank or an entity in the place of the break. Texts of several lines that are put on
# one, as descriptions are, are none of this.


BREAK = compile_on_use("[\n\r\u2028\u2029]")
"""What is written as a blank. Other ends of lines are control characters, which are shown and reported as such."""
BLANK = "as a space"
ENTITY = "as an entity, e.g. `&#10;`"
AROUND_BREAK = " \t\n\r\u2028\u2029"


def report_escaped_breaks(field: str, text: str) -> tuple[Diagnostic, ...]:
    """The same of a field that stands in an attribute, where all of them are kept."""
    return (_report(field, ENTITY, None, field),) if not text.isprintable() and BREAK.search(text) else ()


def report_skill_breaks(what: str, text: str, how: str, path: str, line: int | None) -> tuple[Diagnostic, ...]:
    """The same of a skill: `what` is its name, its source or its path."""
    checked = text.strip(AROUND_BREAK) if how is BLANK else text
    return (_report(f"the skill's {what}", how, path, None, line),) if BREAK.search(checked) else ()


def _report(what: str, how: str, path: str | None, field: str | None, line: int | None = None) -> Diagnostic:
    message = f"{what}: a line break in a single-line value: it is written {how}"
    return Diagnostic("warning", "contained-break", message, path, line, field)


def report_line_breaks(field: str, text: str | None, path: str | None = None) -> tuple[Diagnostic, ...]:
    """The report of a line break in a field that is said on one line; those around it are nobody's line."""
    # Almost every name is printable, which costs next to nothing to see.
    if not text or text.isprintable() or not BREAK.search(text.strip(AROUND_BREAK)):
        return ()
    return (_report(field, BLANK, path, field),)
