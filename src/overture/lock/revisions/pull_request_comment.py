"""Formats the difference of two revisions as a comment on a pull request."""

import html
from collections.abc import Sequence

from ...model.diagnostic import Diagnostic
from ...text.escape import choose_fence, code_span, escape_diff_line, shorten_middle, write_table
from .changed_files import FileChange
from .revision_diff import RevisionDiff, RevisionInfo, SectionDiff

MAX_COMMENT_CHARS = 65_536
"""Characters that GitHub takes in one comment."""
ROWS = 30
"""Files and problems that are listed, at the most."""
WIDE = 1_000
"""Characters of a line that are shown."""
OTHER_ORDER = "The sections are the same, in another order."
MARK = "<!-- overture diff -->"
"""By this a script finds the comment that it wrote before."""


def format_comment(told: RevisionDiff, limit: int = MAX_COMMENT_CHARS) -> str:
    """The comment, at most as long as GitHub takes it; what had to be left out is said."""
    title = f"### Effective prompt: {_place(told.before)} → {_place(told.after)}"
    if told.nothing:
        return "\n\n".join([MARK, title, "Nothing differs.", *_notes(told)])
    parts = [*_notes(told), _sections(told), _tools(told), _files(told.files)]
    parts += [_problems("New problems", told.problems.new), _problems("Problems that are gone", told.problems.gone)]
    parts += [_details(section) for section in told.changed]
    return _within([MARK, title, _summary(told)], [part for part in parts if part], limit)


def _within(kept: list[str], parts: list[str], limit: int) -> str:
    """As many of the parts as there is room for, in their order; a folded one is cut at a line."""
    left = "{} of {} parts {} left out or cut: GitHub takes {:,} characters. `overture diff` shows all."
    room = limit - _units("\n\n".join(kept)) - len(left) - 40
    lost = 0
    for text in parts:
        fitting = text if _units(text) + 2 <= room else _shortened(text, room - 2)
        lost += fitting != text
        if fitting:
            kept.append(fitting)
            room -= _units(fitting) + 2
    return "\n\n".join(
        [*kept, *([left.format(lost, len(parts), "is" if lost == 1 else "are", MAX_COMMENT_CHARS)] if lost else [])]
    )


def _shortened(text: str, room: int) -> str:
    """A folded part without its last lines, closed as it was; nothing where that leaves too little to read."""
    if not text.startswith("<details>"):
        return ""
    lines = text.split("\n")
    end = lines[-3:]  # the fence, a blank line, the end of the fold
    said = "… more lines are not shown"
    room -= _units("\n".join([said, *end])) + 1
    kept: list[str] = []
    for line in lines[:-3]:
        room -= _units(line) + 1
        if room < 0:
            break
        kept.append(line)
    return "\n".join([*kept, said, *end]) if len(kept) > 8 else ""


def _units(text: str) -> int:
    """The length as it is counted where a picture beyond the basic plane counts twice: the most it can be."""
    return len(text) + sum(char > "\uffff" for char in text)


def _summary(told: RevisionDiff) -> str:
    before, after = told.tokens
    lines = []
    for place in (told.before, told.after):
        if place.why:
            lines.append(f"{_place(place)} has no prompt: {code_span(place.why, 400)}.")
    more = told.format(after - before, signed=True)
    lines.append(f"**{more} tokens**: {told.format(before)} → {told.format(after)} ({told.tokenizer}).")
    if told.recipes[0] != told.recipes[1] and all(told.recipes):
        lines.append(f"The recipes differ: {code_span(told.recipes[0])}, {code_span(told.recipes[1])}.")
    if told.cache:
        kept = f"the first {told.format(told.cache.kept)} of {told.format(told.cache.tokens)} tokens stay"
        lines.append(f"Cache: {kept} ({told.cache.share:.0%}), tools included.")
        if blame := told.cache.blame:
            where = " ".join(code_span(each) for each in (blame.section, blame.source) if each)
            lines.append(f"First difference: byte {blame.byte:,}, {where or 'between two sections'}.")
    return " ".join(lines)


def _notes(told: RevisionDiff) -> list[str]:
    later = [f"Changed, and read only when it is used: {_some(told.later)}."] if told.later else []
    return [*later, *(f"Note: {code_span(note, 400)}" for note in told.notes[:ROWS])]


def _sections(told: RevisionDiff) -> str:
    rows = [
        (
            code_span(each.name),
            each.change,
            f"{told.format(each.tokens[0])} → {told.format(each.tokens[1])}",
            _places(each),
        )
        for each in told.changed[:ROWS]
    ]
    if not rows:
        return "The system prompt is the same." if told.first is None else OTHER_ORDER
    return _with_rest(write_table(("section", "change", "tokens", "lines"), rows), len(told.changed))


def _places(section: SectionDiff) -> str:
    places = list(dict.fromkeys(hunk.place for hunk in section.hunks))
    more = f" and {len(places) - 3:,} more" if len(places) > 3 else ""
    return ", ".join(map(code_span, places[:3])) + more


def _tools(told: RevisionDiff) -> str:
    changes = (("added", told.tools.added), ("removed", told.tools.removed), ("changed", told.tools.changed))
    said = [f"{_some(names)} {change}" for change, names in changes if names]
    return f"**Tools**: {'; '.join(said)}" if said else ""


def _some(names: Sequence[str]) -> str:
    more = f" and {len(names) - ROWS:,} more" if len(names) > ROWS else ""
    return ", ".join(map(code_span, names[:ROWS])) + more


COUNTS = {"now": "counts now", "no longer": "no longer counts", "not": "does not count"}


def _files(files: Sequence[FileChange]) -> str:
    if not files:
        return ""
    rows = [(code_span(file.path), COUNTS[file.counts], code_span(file.why, 300)) for file in files[:ROWS]]
    return _with_rest(write_table(("file", "", "because"), rows), len(files))


def _problems(title: str, problems: Sequence[Diagnostic]) -> str:
    if not problems:
        return ""
    rows = [f"- {code_span(str(problem), 400)}" for problem in problems[:ROWS]]
    return _with_rest("\n".join([f"**{title}**", "", *rows]), len(problems))


def _with_rest(text: str, count: int) -> str:
    return f"{text}\n\nand {count - ROWS:,} more." if count > ROWS else text


def _details(section: SectionDiff) -> str:
    """One section, folded: its lines with their files, in a fence longer than any in them."""
    lines: list[str] = []
    for hunk in section.hunks:
        lines.append(f"@@ {_clipped(hunk.place)} @@")
        lines += [f"-{_clipped(line)}" for line in hunk.removed]
        lines += [f"+{_clipped(line)}" for line in hunk.added]
    ticks = choose_fence("\n".join(lines))
    summary = f"<details><summary><code>{html.escape(shorten_middle(section.name))}</code> {section.change}</summary>"
    return "\n".join([summary, "", f"{ticks}diff", *lines, ticks, "", "</details>"])


def _clipped(line: str) -> str:
    """The same, without the end of a line that nobody reads in a comment."""
    more = f"… {len(line) - WIDE:,} more characters" if len(line) > WIDE else ""
    return escape_diff_line(line[:WIDE]) + more


def _place(place: RevisionInfo) -> str:
    return code_span(place.short)
