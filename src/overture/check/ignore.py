"""Parses comments that ignore findings, and finds those without a reason or without a use."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from ..errors import suggest
from .findings import Finding, TextEdit
from .input import CheckedFile
from .markdown import MarkdownLine

COMMENT = re.compile(
    r"<!--\s*overture\s*:\s*ignore\b(?P<rest>[^<\-\n]*+(?:(?!-->|<!--)[<\-][^<\-\n]*+)*)-->", re.IGNORECASE
)
CODE = r"\w+(?:-\w+)*"
PARTS = re.compile(rf"\s*(?P<codes>{CODE}(?:\s*,\s*{CODE})*)?\s*(?:(?::|(?<=\s)[-–—](?!\S))(?P<reason>.*))?")
ENDS = re.compile(r"\r\n|\n|\r")
CODE_OF_FAULTS = "ignore"


class IgnoreComment(NamedTuple):
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
    edit: TextEdit | None = None
    """The edit that removes the comment, if it has a line of its own."""


IgnoreKey = tuple[str, int, str]
"""A file, one of its lines, or 0 for all of it, and a code."""


def index_ignores(comments: Iterable[IgnoreComment], codes: Collection[str]) -> dict[IgnoreKey, IgnoreComment]:
    """Which comment ignores what where. Of two that ignore the same, the first does it."""
    index: dict[IgnoreKey, IgnoreComment] = {}
    known_spans: set[tuple[str, int, int, str]] = set()
    for each in comments:
        for code in each.codes if each.reason else ():
            span = (each.path, each.first, each.last, code)
            if code in codes and span not in known_spans:
                known_spans.add(span)
                lines = (0,) if each.whole else range(each.first, each.last + 1)
                for line in lines:
                    index.setdefault((each.path, line, code), each)
    return index


def find_ignores(index: Mapping[IgnoreKey, IgnoreComment], finding: Finding) -> Iterator[IgnoreComment]:
    """The comments that ignore a finding; one without a line counts as the file's first."""
    if finding.path is not None:
        for line in (0, finding.line or 1):
            if (finding.path, line, finding.code) in index:
                yield index[finding.path, line, finding.code]


def parse_ignores(page: CheckedFile) -> Iterator[IgnoreComment]:
    """The ignore comments of a file; those in code are examples."""
    if not COMMENT.search(page.text):
        return
    rows = page.lines
    top = next((row.number for row in rows if row.sort != "matter" and row.text.strip("\ufeff \t")), 1)
    after = _find_next_lines(rows)
    lasts: dict[int, int] = {}
    for row in rows:
        if row.sort not in ("code", "fence", "matter"):
            for match in COMMENT.finditer(row.text):
                alone = row.text.strip("\ufeff \t") == match[0]
                first = (after[row.number] or row.number) if alone else row.number
                if first not in lasts:
                    lasts[first] = _find_last_line(rows, first)
                known = _parse_ignore(page, row, match, first, lasts[first])
                edit = _make_removal(page, row) if alone else None
                yield known._replace(whole=alone and row.number == top, edit=edit)


def _parse_ignore(page: CheckedFile, row: MarkdownLine, match: re.Match[str], first: int, last: int) -> IgnoreComment:
    parts = PARTS.fullmatch(match["rest"])
    codes = tuple(re.findall(CODE, parts["codes"] or "")) if parts else ()
    reason = (parts["reason"] or "").strip() if parts else ""
    return IgnoreComment(page.path, row.number, match.start() + 1, codes, reason, first, last)


def _make_removal(page: CheckedFile, row: MarkdownLine) -> TextEdit | None:
    """What takes a line away, with its end."""
    end = ENDS.match(page.text, row.start + len(row.text))
    return TextEdit(row.start, end.end(), "") if end else None


def _find_next_lines(rows: tuple[MarkdownLine, ...]) -> list[int]:
    """For each line the number of the next with text that is no such comment; from below, in one pass."""
    after = [0] * (len(rows) + 1)
    for row in reversed(rows):
        has_text = row.text.strip() and not COMMENT.search(row.text)
        after[row.number - 1] = row.number if has_text else after[row.number]
    return after


def _find_last_line(rows: tuple[MarkdownLine, ...], first: int) -> int:
    """The last line that is covered from `first` on: if that opens a block of code, the end of the block."""
    last = first
    if rows[first - 1].sort == "fence":
        while last < len(rows) and rows[last].sort == "code":
            last += 1
        last = min(last + 1, len(rows))
    return last


def find_ignore_faults(
    comments: Mapping[IgnoreComment, set[str]], codes: Collection[str], selected: Collection[str]
) -> Iterator[Finding]:
    """The problems of comments: no reason, no code, an unknown one, and those that ignore nothing."""
    for each, used in comments.items():
        for message, is_removable in _describe_faults(each, used, codes, selected):
            edits = (each.edit,) if each.edit and is_removable else ()
            yield Finding(CODE_OF_FAULTS, "warning", message, each.path, each.line, each.column, edits)


def _describe_faults(
    comment: IgnoreComment, used: set[str], codes: Collection[str], selected: Collection[str]
) -> Iterator[tuple[str, bool]]:
    """Each fault of a comment, and whether the comment may be removed."""
    if not comment.codes:
        yield "ignore comment without a code: write `ignore CODE: reason`", False
    elif not comment.reason:
        yield f"ignore comment without a reason, so it has no effect: write `ignore {comment.codes[0]}: why`", False
    else:
        for code in comment.codes:
            if code not in codes:
                yield f"no check named {code!r:.80}: this comment ignores nothing.{suggest(code, codes)}", False
            elif code in selected and code not in used:
                yield f"this comment ignores {code}, but nothing is found here: remove it", len(comment.codes) == 1
