"""Finds files over the limits of known agents, and the line at which each agent stops reading."""

from collections.abc import Iterator

from ..rule import CheckInput, CheckRule, Finding, Severity

CODE = "truncated-instructions"
ADVICE = "move what only some tasks need into skills or other files"


def check_agent_limits(check_input: CheckInput) -> Iterator[Finding]:
    """One finding for each file that an agent does not take whole, at the last line that it loads."""
    for file in check_input.truncated:
        severity: Severity = "warning" if file.known in ("run", "code") else "info"
        yield Finding(CODE, severity, f"{file.why}; {ADVICE}", file.path, max(file.last_line, 1))


RULES = (CheckRule(CODE, "warning", "a file that a known agent truncates or skips", check_agent_limits),)
