"""Findings with a safe mend -> the files' new texts, and a diff that shows them."""

import difflib
from collections.abc import Iterable, Mapping

from ..assemble.gate.foreign_text import authored
from .finding import Edit, Finding


def mended(findings: Iterable[Finding], texts: Mapping[str, str]) -> dict[str, str]:
    """The new text of each file that a mend changes. Of two edits that overlap, the first counts."""
    edits: dict[str, list[Edit]] = {}
    for finding in findings:
        if finding.edits and finding.path is not None and finding.path in texts:
            edits.setdefault(finding.path, []).extend(finding.edits)
    new = {path: edited(texts[path], found) for path, found in edits.items()}
    return {path: text for path, text in new.items() if text != texts[path]}


def edited(text: str, edits: Iterable[Edit]) -> str:
    """A text with its edits."""
    pieces: list[str] = []
    at = 0
    for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
        if at <= edit.start <= edit.end <= len(text):
            pieces += text[at : edit.start], edit.text
            at = edit.end
    return "".join([*pieces, text[at:]])


def diff(path: str, old: str, new: str) -> list[str]:
    """What a mend changes, as a unified diff; each line without its end, and as the gate would show it."""
    old, new = authored(old)[0], authored(new)[0]
    names = (f"a/{path}", f"b/{path}")
    return list(difflib.unified_diff(old.split("\n"), new.split("\n"), *names, lineterm="", n=1))
