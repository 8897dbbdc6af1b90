"""What a rule found: one line, a place, and, where there is one safe mend, the edit that mends it."""

from typing import Any, Literal

from ..model.struct import Frozen

Severity = Literal["error", "warning", "info"]


class Edit(Frozen, frozen=True):
    """Characters `start` to `end` of a file's text, written otherwise."""

    start: int
    end: int
    text: str


class Finding(Frozen, frozen=True):
    """One thing that is wrong: what, where, and how bad it is."""

    code: str
    severity: Severity
    message: str
    path: str | None = None
    line: int | None = None
    column: int | None = None
    edits: tuple[Edit, ...] = ()
    """The one safe mend; none: there is no such mend."""

    @property
    def fixable(self) -> bool:
        """Whether `--fix` mends it."""
        return bool(self.edits)

    def to_dict(self) -> dict[str, Any]:
        """The JSON form: every key, also of what is not known."""
        return {
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "path": self.path,
            "line": self.line,
            "column": self.column,
            "fixable": self.fixable,
        }
