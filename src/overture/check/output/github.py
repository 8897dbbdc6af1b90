"""Findings as lines that GitHub Actions shows at the place in a pull request."""

from ...text.paths import shown_path
from ..finding import Finding
from ..run import Checked

LEVELS = {"error": "error", "warning": "warning", "info": "notice"}


def annotations(checked: Checked) -> list[str]:
    """A line for each finding: `::error file=AGENTS.md,line=3,title=hidden-character::…`."""
    return [_line(finding, checked.root) for finding in checked.findings]


def _line(finding: Finding, root: str) -> str:
    values = {"file": shown_path(finding.path, root) if finding.path else None, "line": finding.line}
    values |= {"col": finding.column, "title": finding.code}
    given = ",".join(f"{name}={_value(str(value))}" for name, value in values.items() if value is not None)
    return f"::{LEVELS[finding.severity]} {given}::{_text(finding.message)}"


def _text(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _value(text: str) -> str:
    return _text(text).replace(":", "%3A").replace(",", "%2C")
