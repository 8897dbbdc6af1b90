"""A finding of `check`, and a rule, which makes findings of the input."""

from collections.abc import Callable, Iterable
from typing import Any, Literal

from msgspec.structs import asdict

from ..model.diagnostic import Level
from ..model.struct import Frozen
from .input import CheckInput

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")


def as_severity(level: Level) -> Severity:
    """The severity of a diagnostic's level."""
    return "note" if level == "info" else level


class TextEdit(Frozen, frozen=True):
    """A replacement of the characters `start` to `end` of a file's text."""

    start: int
    end: int
    text: str


class Finding(Frozen, frozen=True):
    """One problem: its code, severity, message and location."""

    code: str
    severity: Severity
    message: str
    path: str | None = None
    line: int | None = None
    column: int | None = None
    edits: tuple[TextEdit, ...] = ()
    """The safe fix, if there is one."""
    related: tuple[str, ...] = ()
    """Other files that it is about."""

    @property
    def fixable(self) -> bool:
        """Whether `overture check --fix` can fix it."""
        return bool(self.edits)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form, with all keys; unknown values are None."""
        data = asdict(self)
        del data["edits"], data["related"]
        return {**data, "fixable": self.fixable, **({"related": list(self.related)} if self.related else {})}


class CheckRule(Frozen, frozen=True):
    """One check. Its page, pages/CODE.md, explains it."""

    code: str
    severity: Severity
    """The worst that it reports by itself."""
    title: str
    """What it finds, in a line."""
    look: Callable[[CheckInput], Iterable[Finding]]
    is_security: bool = False
