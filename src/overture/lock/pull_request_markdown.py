"""Formats the difference of two revisions as a comment on a pull request."""

from collections.abc import Mapping, Sequence
from html import escape

from ..errors import OvertureError
from ..model.diagnostic import Diagnostic
from ..text.escape import choose_fence, code_span, escape_diff_line, shorten_middle, write_table
from ..text.invisible import escape_to_line
from ..text.words import pluralize
from .changed_lines_and_files import FileChange
from .revision_diff import RevisionDiff, RevisionInfo, SectionDiff

MAX_COMMENT_CHARS = 65_536
"""Characters that GitHub takes in one comment."""
ROWS = 30
"""Files and problems that are listed, at the most."""
WIDE = 1_000
"""Characters of a line that are shown."""
OTHER_ORDER = "The sections are the same in a different order."
MARK = "<!-- overture diff -->"
"""By this a script finds the comment that it wrote before."""


MAX_FRAME_CHARS = 500
"""The size of a recipe beside its details: its name, of which each character may be an entity, and the fold."""


Comparisons = Mapping[str, RevisionDiff | OvertureError]
"""What differs for each recipe, or why it can't be built."""


def format_comment(diff: RevisionDiff, limit: int = MAX_COMMENT_CHARS) -> str:
    """The comment, within GitHub's maximum length; it lists what was omitted."""
    title = f"### Effective prompt: {_format_revision(diff.before)} → {_format_revision(diff.after)}"
    if diff.nothing:
        return "\n\n".join([MARK, title, "Nothing differs.", *_format_notes(diff)])
    parts = [
        *_format_notes(diff),
        _format_section_table(diff),
        _format_tool_changes(diff),
        _format_file_table(diff.files),
        _format_problems("New problems", diff.problems.new),
        _format_problems("Fixed problems", diff.problems.gone),
        *map(_format_section_details, diff.changed),
    ]
    return _fit_comment_parts([MARK, title, _format_summary(diff)], [part for part in parts if part], limit)


def _fit_comment_parts(blocks: list[str], parts: list[str], limit: int) -> str:
    """As many of the parts as there is room for, in their order; a folded one is cut at a line."""
    note = "{} of {} parts {} dropped or truncated: the limit of GitHub is {:,} characters. `overture diff` shows all."
    room = limit - count_units("\n\n".join(blocks)) - len(note) - 40
    lost = 0
    for text in parts:
        fitting = text if count_units(text) + 2 <= room else _shorten_details(text, room - 2)
        lost += fitting != text
        if fitting:
            blocks.append(fitting)
            room -= count_units(fitting) + 2
    if lost:
        blocks.append(note.format(lost, len(parts), "is" if lost == 1 else "are", MAX_COMMENT_CHARS))
    return "\n\n".join(blocks)


def _shorten_details(text: str, room: int) -> str:
    """A folded part without its last lines, closed as it was; empty if too little would be left to read."""
    if not text.startswith("<details>"):
        return ""
    lines = text.split("\n")
    end = lines[-3:]  # the fence, a blank line, the end of the fold
    note = "… more lines are not shown"
    room -= count_units("\n".join([note, *end])) + 1
    shown: list[str] = []
    for line in lines[:-3]:
        room -= count_units(line) + 1
        if room < 0:
            break
        shown.append(line)
    return "\n".join([*shown, note, *end]) if len(shown) > 8 else ""


def count_units(text: str) -> int:
    """The length in UTF-16 units, in which a character beyond the basic plane counts twice: the maximum."""
    return len(text) + sum(char > "\uffff" for char in text)


def _format_summary(diff: RevisionDiff) -> str:
    before, after = diff.tokens
    lines = []
    for side in (diff.before, diff.after):
        if side.why:
            lines.append(f"{_format_revision(side)} has no prompt: {code_span(side.why, 400)}.")
    more = f"{diff.format(after - before, signed=True)} {pluralize(after - before, 'token')}"
    lines.append(f"**{more}**: {diff.format(before)} → {diff.format(after)} ({diff.tokenizer}).")
    if diff.recipes[0] != diff.recipes[1] and all(diff.recipes):
        lines.append(f"The recipes differ: {code_span(diff.recipes[0])}, {code_span(diff.recipes[1])}.")
    if diff.cache:
        cached = f"the first {diff.format(diff.cache.kept)} of {diff.format(diff.cache.tokens)} tokens stay the same"
        lines.append(f"Cache: {cached} ({diff.cache.share:.0%}), tools included.")
        if blame := diff.cache.blame:
            where = " ".join(code_span(each) for each in (blame.section, blame.source) if each)
            lines.append(f"First difference: byte {blame.byte:,}, {where or 'between two sections'}.")
    return " ".join(lines)


def _format_notes(diff: RevisionDiff) -> list[str]:
    later = [f"Changed, but only loaded on demand: {_format_first_names(diff.later)}."] if diff.later else []
    return [*later, *(f"Note: {code_span(note, 400)}" for note in diff.notes[:ROWS])]


def _format_section_table(diff: RevisionDiff) -> str:
    rows = [
        (
            code_span(each.name),
            each.change,
            f"{diff.format(each.tokens[0])} → {diff.format(each.tokens[1])}",
            _format_places(each),
        )
        for each in diff.changed[:ROWS]
    ]
    if not rows:
        return "The system prompt is the same." if diff.first is None else OTHER_ORDER
    return _append_rest_count(write_table(("section", "change", "tokens", "lines"), rows), len(diff.changed))


def _format_places(section: SectionDiff) -> str:
    positions = list(dict.fromkeys(hunk.place for hunk in section.hunks))
    more = f" and {len(positions) - 3:,} more" if len(positions) > 3 else ""
    return ", ".join(map(code_span, positions[:3])) + more


def _format_tool_changes(diff: RevisionDiff) -> str:
    changes = (("added", diff.tools.added), ("removed", diff.tools.removed), ("changed", diff.tools.changed))
    parts = [f"{_format_first_names(names)} {change}" for change, names in changes if names]
    return f"**Tools**: {'; '.join(parts)}" if parts else ""


def _format_first_names(names: Sequence[str]) -> str:
    more = f" and {len(names) - ROWS:,} more" if len(names) > ROWS else ""
    return ", ".join(map(code_span, names[:ROWS])) + more


COUNTS = {"now": "loaded now", "no longer": "no longer loaded", "not": "not loaded"}


def _format_file_table(files: Sequence[FileChange]) -> str:
    if not files:
        return ""
    rows = [(code_span(file.path), COUNTS[file.counts], code_span(file.why, 300)) for file in files[:ROWS]]
    return _append_rest_count(write_table(("file", "", "because"), rows), len(files))


def _format_problems(title: str, problems: Sequence[Diagnostic]) -> str:
    if not problems:
        return ""
    rows = [f"- {code_span(str(problem), 400)}" for problem in problems[:ROWS]]
    return _append_rest_count("\n".join([f"**{title}**", "", *rows]), len(problems))


def _append_rest_count(text: str, count: int) -> str:
    return f"{text}\n\nand {count - ROWS:,} more." if count > ROWS else text


def _format_section_details(section: SectionDiff) -> str:
    """One section, folded: its lines with their files, in a fence longer than any in them."""
    lines: list[str] = []
    for hunk in section.hunks:
        lines.append(f"@@ {_clip_diff_line(hunk.place)} @@")
        lines += [f"-{_clip_diff_line(line)}" for line in hunk.removed]
        lines += [f"+{_clip_diff_line(line)}" for line in hunk.added]
    ticks = choose_fence("\n".join(lines))
    summary = f"<details><summary><code>{escape(shorten_middle(section.name))}</code> {section.change}</summary>"
    return "\n".join([summary, "", f"{ticks}diff", *lines, ticks, "", "</details>"])


def _clip_diff_line(line: str) -> str:
    """The same, without the end of a line that is too long for a comment."""
    more = f"… {len(line) - WIDE:,} more {pluralize(len(line) - WIDE, 'character')}" if len(line) > WIDE else ""
    return escape_diff_line(line[:WIDE]) + more


def _format_revision(revision: RevisionInfo) -> str:
    return code_span(revision.short)


def format_report(mark: str, results: Sequence[str], comparisons: Comparisons) -> str:
    """A table of all recipes, then details; recipes that differ in the same way share them."""
    blocks = [mark, "### What agents read", " ".join(results)]
    if not comparisons:
        return "\n\n".join(
            [*blocks, "Nothing to compare: fewer than two revisions, or no agent reads anything in them."]
        )
    if diffs := [each for each in comparisons.values() if isinstance(each, RevisionDiff)]:
        commits = ((side.commit or "")[:7] for side in (diffs[0].before, diffs[0].after))
        blocks[1] += f": {' → '.join(map(code_span, commits))}"
    rows = [_format_row(name, each) for name, each in comparisons.items()]
    blocks.append(write_table(("agent", "tokens", "change", "cache"), rows))
    differing = {n: each for n, each in comparisons.items() if isinstance(each, RevisionDiff) and not each.nothing}
    room = MAX_COMMENT_CHARS - count_units("\n\n".join(blocks)) - MAX_FRAME_CHARS * (len(differing) + 1)
    groups: dict[str, list[str]] = {}
    for name, diff in differing.items():
        groups.setdefault(format_comment(diff, room // len(differing)).split("\n\n", 2)[2], []).append(name)
    for text, names in groups.items():
        text = text if count_units(text) <= room else "The details do not fit: `overture diff` shows them."
        title = ", ".join(f"<code>{escape(shorten_middle(escape_to_line(name), 60))}</code>" for name in names)
        blocks.append(f"<details><summary>{title}</summary>\n\n{text}\n\n</details>")
        room -= count_units(text)
    return "\n\n".join(blocks)


def _format_row(name: str, each: RevisionDiff | OvertureError) -> Sequence[str]:
    if isinstance(each, OvertureError):
        return code_span(name), "can't be built", code_span(str(each), 300), ""
    before, after = each.tokens
    cache = f"{each.cache.share:.0%} stays" if each.cache else ""
    tokens = f"{each.format(before)} → {each.format(after)}"
    return code_span(name), tokens, each.format(after - before, signed=True), cache
