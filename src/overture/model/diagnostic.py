"""What is wrong in a user's file: one line, never an exception."""

from collections.abc import Iterable
from typing import Annotated, Literal

from msgspec.structs import force_setattr

from ..text.invisible import on_line
from ..text.secrets.find import hide_secrets
from ..text.secrets.shapes import may_hold
from .struct import Frozen, note

Level = Literal["info", "warning", "error"]
"""Info: what was done as it should be, and may still surprise; it fails no `--strict`."""


class Diagnostic(Frozen, frozen=True, omit_defaults=False, forbid_unknown_fields=False):
    """One problem: what, which value, what to do."""

    level: Level
    code: Annotated[str, note("a stable word for the kind of problem, e.g. skill-invalid")]
    message: str
    path: str | None = None
    line: int | None = None
    field: Annotated[str | None, note("the field of the State that it is about")] = None
    column: Annotated[int | None, note("counted in characters, from 1")] = None

    def __post_init__(self) -> None:
        # A value that it names may be a key: no message shows one.
        if may_hold(self.message):
            force_setattr(self, "message", hide_secrets(self.message))

    def __str__(self) -> str:
        """`warning: PATH: line 2: what is wrong`, on one line and with nothing that a terminal would obey."""
        where = f"{on_line(self.path)}: " if self.path else ""
        column = f", column {self.column}" if self.column else ""
        line = f"line {self.line}{column}: " if self.line else ""
        return hide_secrets(f"{self.level}: {where}{line}{on_line(self.message)}")


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
