"""A ground to look at, made of texts: no disk."""

from overture.check.engine import run_rules
from overture.check.findings import Finding
from overture.check.input import CheckedFile, CheckInput

PATH = "/p/AGENTS.md"


def ground_of(text: str) -> CheckInput:
    """A project with one instruction file, which two agents get."""
    page = CheckedFile(PATH, text, "instructions", ("Codex", "Cursor"))
    return CheckInput((page,), root="/p")


def found_in(text: str, code: str) -> list[Finding]:
    """What a check finds in an instruction file."""
    return [finding for finding in run_rules(ground_of(text)).findings if finding.code == code]
