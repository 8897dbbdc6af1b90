"""Comments that ignore findings: `<!-- overture: ignore CODE: reason -->`, for the next line or a whole file."""

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ..errors import nearest
from .finding import Edit, Finding
from .ground import Page
from .markdown_lines import Line, lines_of
from .rules import rules

COMMENT = re.compile(r"<!--\s*overture\s*:\s*ignore\b(?P<rest>.*?)-->", re.IGNORECASE)
CODE = r"\w+(?:-\w+)*"
PARTS = re.compile(rf"\s*(?P<codes>{CODE}(?:\s*,\s*{CODE})*)?\s*(?:(?::|(?<=\s)[-–—](?!\S))(?P<reason>.*))?")
BARE, UNUSED = "ignore-without-reason", "unused-ignore"


class Ignore(NamedTuple):
    """One comment: what it ignores, on which lines, and why."""

    path: str
    line: int
    column: int
    codes: tuple[str, ...]
    reason: str
    first: int
    last: int
    """The lines that it covers."""
    edit: Edit | None = None
    """What takes the comment away, where it has a line of its own."""

    def covers(self, finding: Finding) -> bool:
        """Whether it ignores a finding."""
        inside = finding.path == self.path and (self.first <= (finding.line or 1) <= self.last)
        return inside and any(finding.code == code for code in self.codes)


def ignores(page: Page) -> Iterator[Ignore]:
    """The comments of a file; those in code are examples of somebody."""
    if not COMMENT.search(page.text):
        return
    rows = lines_of(page)
    top = next((row.number for row in rows if row.sort != "matter" and row.text.strip("\ufeff \t")), 1)
    for row in rows:
        if row.sort not in ("code", "fence", "matter"):
            for found in COMMENT.finditer(row.text):
                parts = PARTS.fullmatch(found["rest"])
                codes = tuple(re.findall(CODE, parts["codes"] or "")) if parts else ()
                alone = row.text.strip("\ufeff \t") == found[0]
                span = _covered(rows, row, top, alone)
                edit = Edit(row.start, row.start + len(row.text) + 1, "") if alone else None
                if edit and edit.end > len(page.text):
                    edit = None
                reason = (parts["reason"] or "").strip() if parts else ""
                yield Ignore(page.path, row.number, found.start() + 1, codes, reason, *span, edit)


def _covered(rows: tuple[Line, ...], row: Line, top: int, alone: bool) -> tuple[int, int]:
    """The whole file at its top; the line itself behind words; else the next one that says something.

    Where that opens a block of code, all of it.
    """
    if row.number == top and alone:
        return 1, len(rows)
    if not alone:
        return row.number, row.number
    following = [each for each in rows[row.number :] if each.text.strip() and not COMMENT.search(each.text)]
    if not following:
        return row.number, row.number
    first = following[0]
    if first.sort != "fence":
        return first.number, first.number
    ends = (each.number for each in rows[first.number :] if each.sort != "code")
    return first.number, next(ends, len(rows))


def faults(found: Mapping[Ignore, set[str]], asked: frozenset[str]) -> Iterator[Finding]:
    """What is wrong with comments: no reason, no code, one that is not known, and those that ignore nothing."""
    for each, used in found.items():
        at = (each.path, each.line, each.column)
        edits = (each.edit,) if each.edit else ()
        if not each.codes:
            yield Finding(BARE, "warning", "an ignore without a code: write `ignore CODE: reason`", *at)
        elif not each.reason:
            said = f"an ignore without a reason: write `ignore {each.codes[0]}: why`; until then it ignores nothing"
            yield Finding(BARE, "warning", said, *at)
        else:
            for code in each.codes:
                if code not in rules():
                    said = f"no check is called {code!r:.80}, so this ignores nothing.{nearest(code, rules())}"
                    yield Finding(UNUSED, "warning", said, *at)
                elif code in asked and code not in used:
                    whole = edits if len(each.codes) == 1 else ()
                    yield Finding(
                        UNUSED, "warning", f"this ignores {code}, and there is none: take it away", *at, whole
                    )
