"""A ground to look at, made of texts: no disk."""

import overture
from overture.check.findings_and_input import CheckedFile, CheckInput, Finding
from overture.check.run_rules import run_rules
from overture.testing import make_state

PATH = "/p/AGENTS.md"
NOW = "2026-03-07T08:55:05-06:00"


def ground_of(text: str, **state: object) -> CheckInput:
    """A project with one instruction file."""
    given = make_state(now=NOW, context_files=[{"path": PATH, "content": text}], **state)
    prompt = overture.build("house", given)
    return CheckInput(prompt, (CheckedFile(PATH, text, "instructions"),), root="/p")


def found_in(text: str, code: str, **state: object) -> list[Finding]:
    """What a check finds in an instruction file."""
    return [finding for finding in run_rules(ground_of(text, **state)).findings if finding.code == code]
