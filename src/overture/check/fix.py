"""Findings with a safe mend -> the files' new texts, and a diff that shows them."""

import difflib
import re
from collections.abc import Iterable, Mapping

from ..assemble.gate.foreign_text import authored
from ..text.secrets.find import secrets_once
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


HUNK = re.compile(r"@@ -(\d+)(,\d+)? \+(\d+)(,\d+)? @@")


def diff_of(finding: Finding, name: str, text: str) -> list[str]:
    """The diff of one mend alone. Only the lines around it are compared: a file may have thousands of findings."""
    start, end = _around(finding.edits, text)
    here = [Edit(edit.start - start, edit.end - start, edit.text) for edit in finding.edits]
    above = text.count("\n", 0, start)
    lines = diff(name, text[start:end], edited(text[start:end], here))
    return [HUNK.sub(lambda found: _moved(found, above), line) if line.startswith("@@ ") else line for line in lines]


def _around(edits: Iterable[Edit], text: str) -> tuple[int, int]:
    """From the line before the first edit to that after the last; further where a secret would be parted."""
    start, end = min(edit.start for edit in edits), max(edit.end for edit in edits)
    start = text.rfind("\n", 0, max(text.rfind("\n", 0, start), 0)) + 1
    line = text.find("\n", end)
    end = text.find("\n", line + 1) if line >= 0 else -1
    end = end if end >= 0 else len(text)
    parted = [secret for secret in secrets_once(text) if secret.start < end and start < secret.end]
    return min([start, *(each.start for each in parted)]), max([end, *(each.end for each in parted)])


def _moved(found: re.Match[str], by: int) -> str:
    return f"@@ -{int(found[1]) + by}{found[2] or ''} +{int(found[3]) + by}{found[4] or ''} @@"
