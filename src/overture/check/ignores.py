"""Comments that ignore findings: `<!-- overture: ignore CODE: reason -->`, for the next line or a whole file."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from ..errors import nearest
from .finding import Edit, Finding
from .ground import Page
from .markdown_lines import Line, lines_of
from .rules import rules

COMMENT = re.compile(
    r"<!--\s*overture\s*:\s*ignore\b(?P<rest>[^<\-\n]*+(?:(?!-->|<!--)[<\-][^<\-\n]*+)*)-->", re.IGNORECASE
)
CODE = r"\w+(?:-\w+)*"
PARTS = re.compile(rf"\s*(?P<codes>{CODE}(?:\s*,\s*{CODE})*)?\s*(?:(?::|(?<=\s)[-–—](?!\S))(?P<reason>.*))?")
ENDS = re.compile(r"\r\n|\n|\r")
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
    whole: bool = False
    """Whether that is the whole file."""
    edit: Edit | None = None
    """What takes the comment away, where it has a line of its own."""


Key = tuple[str, int, str]
"""A file, one of its lines, or 0 for all of it, and a code."""


def covering(found: Iterable[Ignore], whole: int = 0) -> dict[Key, Ignore]:
    """Which comment ignores what where. Of two that ignore the same, the first does it."""
    index: dict[Key, Ignore] = {}
    seen: set[tuple[str, int, int, str]] = set()
    for each in found:
        for code in each.codes if each.reason else ():
            span = (each.path, each.first, each.last, code)
            if code in rules() and span not in seen:
                seen.add(span)
                lines = (whole,) if each.whole else range(each.first, each.last + 1)
                for line in lines:
                    index.setdefault((each.path, line, code), each)
    return index


def ignoring(index: Mapping[Key, Ignore], finding: Finding) -> Iterator[Ignore]:
    """The comments that ignore a finding; one without a line counts as the file's first."""
    if finding.path is not None:
        for line in (0, finding.line or 1):
            if (finding.path, line, finding.code) in index:
                yield index[finding.path, line, finding.code]


def ignores(page: Page) -> Iterator[Ignore]:
    """The comments of a file; those in code are examples of somebody."""
    if not COMMENT.search(page.text):
        return
    rows = lines_of(page)
    top = next((row.number for row in rows if row.sort != "matter" and row.text.strip("\ufeff \t")), 1)
    after = _after(rows)
    lasts: dict[int, int] = {}
    for row in rows:
        if row.sort not in ("code", "fence", "matter"):
            for found in COMMENT.finditer(row.text):
                alone = row.text.strip("\ufeff \t") == found[0]
                first = (after[row.number] or row.number) if alone else row.number
                if first not in lasts:
                    lasts[first] = _last(rows, first)
                known = _ignore(page, row, found, first, lasts[first])
                edit = _removing(page, row) if alone else None
                yield known._replace(whole=alone and row.number == top, edit=edit)


def _ignore(page: Page, row: Line, found: re.Match[str], first: int, last: int) -> Ignore:
    parts = PARTS.fullmatch(found["rest"])
    codes = tuple(re.findall(CODE, parts["codes"] or "")) if parts else ()
    reason = (parts["reason"] or "").strip() if parts else ""
    return Ignore(page.path, row.number, found.start() + 1, codes, reason, first, last)


def _removing(page: Page, row: Line) -> Edit | None:
    """What takes a line away, with its end."""
    end = ENDS.match(page.text, row.start + len(row.text))
    return Edit(row.start, end.end(), "") if end else None


def _after(rows: tuple[Line, ...]) -> list[int]:
    """For each line the number of the next that says something and is no such comment; from below, in one pass."""
    after = [0] * (len(rows) + 1)
    for row in reversed(rows):
        says = row.text.strip() and not COMMENT.search(row.text)
        after[row.number - 1] = row.number if says else after[row.number]
    return after


def _last(rows: tuple[Line, ...], first: int) -> int:
    """The last line that is covered from `first` on: where that opens a block of code, all of it."""
    last = first
    if rows[first - 1].sort == "fence":
        while last < len(rows) and rows[last].sort == "code":
            last += 1
        last = min(last + 1, len(rows))
    return last


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
