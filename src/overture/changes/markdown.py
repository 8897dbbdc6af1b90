"""Differences as a comment on a pull request: short first, details folded, all text of the repository inert."""

from collections.abc import Iterable, Iterator, Sequence
from html import escape

from ..report.text_diff import diff_lines
from ..text.escape import choose_fence, code_span, escape_diff_line, shorten_middle, write_table
from ..text.invisible import escape_to_line
from ..text.words import join_words, pluralize
from .prompts import PromptDiff
from .tables import FileChange, FindingRow, LineGroup, TableDiff, name_change, name_lines

MAX_COMMENT_CHARS = 65_536
"""Characters that GitHub takes in one comment."""
ROWS = 30
"""Files, findings and lines that are listed, at the most."""
MAX_LINE_CHARS = 1_000
"""Characters of a changed line that are shown."""
MARK = "<!-- overture diff -->"
"""By this a script finds the comment that it wrote before."""


def format_comment(diff: TableDiff | PromptDiff, mark: str = MARK, results: Sequence[str] = ()) -> str:
    """The comment, within GitHub's maximum length; it says what was dropped."""
    what = "What agents read" if isinstance(diff, TableDiff) else f"The prompt of {code_span(diff.recipe)}"
    title = f"### {what}: {code_span(diff.before.short)} → {code_span(diff.after.short)}"
    head = [mark, title, *([" ".join(results)] if results else [])]
    notes = [f"Note: {code_span(note, 400)}" for note in diff.notes[:ROWS]]
    parts = _list_table_parts(diff) if isinstance(diff, TableDiff) else _list_prompt_parts(diff)
    return fit_parts(head, [*notes, *filter(None, parts)])


def _list_table_parts(diff: TableDiff) -> Iterator[str]:
    tokens: dict[tuple[int, int], list[str]] = {}
    for agent in diff.agents.values():
        tokens.setdefault((agent.before, agent.after), []).append(agent.title)
    rows = [
        (", ".join(titles), f"{diff.format(was)} → {diff.format(now)}", diff.format(now - was, signed=True))
        for (was, now), titles in tokens.items()
    ]
    yield write_table(("agent", "tokens at the start", "change"), rows) if rows else "No agent reads anything here."
    if diff.same and rows:
        yield "No agent gets anything else."
    groups = diff.group_lines()
    yield _list_items("Never arrives", _list_never(diff, groups))
    yield _list_items("New findings", map(_format_finding, diff.findings.added))
    yield _list_items("Fixed findings", map(_format_finding, diff.findings.removed))
    yield _format_files(diff.group_files())
    paths: dict[str, list[LineGroup]] = {}
    for group in groups:
        paths.setdefault(group.path, []).append(group)
    for path, own in paths.items():
        yield _fold(path, "changed lines", _list_lines(own))


def _list_never(diff: TableDiff, groups: Iterable[LineGroup]) -> Iterator[str]:
    """Files and lines that the change adds in vain; comments that an agent strips are meant for others."""
    for titles, each in diff.group_files():
        if each.change == "skipped" and each.after:
            yield f"{join_words(titles)}: {code_span(each.path)}: {code_span(each.after.text, 300)}"
    for group in (group for group in groups if group.change == "added"):
        for losers, reason, why in group.never:
            if reason.code != "stripped":
                lines = pluralize(len(group.text), "line")
                yield f"{join_words(losers)}: {lines} {code_span(name_lines(group))}: {code_span(why, 300)}"


def _format_finding(finding: FindingRow) -> str:
    return f"{finding.code}: {code_span(finding.message, 400)}"


def _list_items(title: str, items: Iterable[str]) -> str:
    listed = list(items)
    lines = [f"- {each}" for each in listed[:ROWS]]
    return _append_rest("\n".join([f"**{title}**", "", *lines]), len(listed)) if listed else ""


def _format_files(groups: Sequence[tuple[list[str], FileChange]]) -> str:
    rows = [
        (code_span(each.path), ", ".join(titles), *map(code_span_or_none, name_change(each)))
        for titles, each in groups[:ROWS]
    ]
    if not rows:
        return ""
    table = _append_rest(write_table(("file", "agents", "", "because"), rows), len(groups))
    summary = f"{len(groups):,} {pluralize(len(groups), 'change')} of files"
    return f"<details><summary>{summary}</summary>\n\n{table}\n\n</details>"


def code_span_or_none(text: str) -> str:
    return code_span(text, 300) if text else ""


def _append_rest(text: str, count: int) -> str:
    return f"{text}\n\nand {count - ROWS:,} more." if count > ROWS else text


def _list_lines(groups: Iterable[LineGroup]) -> Iterator[str]:
    last = -2
    for group in groups:
        if group.change == "removed" or group.line != last:
            yield f"@@ {_clip(name_lines(group))} @@"
        last = group.line if group.change == "removed" else -2
        sign = "+" if group.change == "added" else "-"
        yield from (f"{sign}{_clip(line)}" for line in group.text)


def _list_prompt_parts(diff: PromptDiff) -> Iterator[str]:
    if diff.before.why:
        yield f"{code_span(diff.before.short)} has no prompt: {code_span(diff.before.why, 400)}."
    if diff.patch.same:
        yield "Nothing differs."
        return
    was, now = diff.tokens
    change = f"{diff.format(now - was, signed=True)} {pluralize(now - was, 'token')}"
    yield f"**{change}**: {diff.format(was)} → {diff.format(now)}."
    changed = diff.patch.changed
    rows = [(code_span(each.name), each.change, code_span_or_none(", ".join(each.because))) for each in changed[:ROWS]]
    yield _append_rest(write_table(("section", "change", "because"), rows), len(changed))
    for each in changed:
        yield _fold(each.name, each.change, map(_clip, diff_lines(each.before or "", each.after or "")))


def _fold(name: str, what: str, lines: Iterable[str]) -> str:
    """Lines in a fence longer than any in them, folded."""
    listed = list(lines)
    ticks = choose_fence("\n".join(listed))
    summary = f"<details><summary><code>{escape(shorten_middle(escape_to_line(name)))}</code> {what}</summary>"
    return "\n".join([summary, "", f"{ticks}diff", *listed, ticks, "", "</details>"])


def _clip(line: str) -> str:
    """A line without its end, if that is too long for a comment."""
    rest = len(line) - MAX_LINE_CHARS
    return escape_diff_line(line[:MAX_LINE_CHARS]) + (f"… {rest:,} more {pluralize(rest, 'character')}" * (rest > 0))


def fit_parts(head: Sequence[str], parts: Sequence[str], limit: int = MAX_COMMENT_CHARS) -> str:
    """As many of the parts as there is room for, in their order; a folded one is cut at a line."""
    note = "{} of {} parts {} dropped or truncated: the limit of GitHub is {:,} characters. `overture diff` shows all."
    blocks, lost = [*head], 0
    room = limit - count_units("\n\n".join(blocks)) - len(note) - 40
    for text in parts:
        fitting = text if count_units(text) + 2 <= room else _shorten_fold(text, room - 2)
        lost += fitting != text
        if fitting:
            blocks.append(fitting)
            room -= count_units(fitting) + 2
    if lost:
        blocks.append(note.format(lost, len(parts), "is" if lost == 1 else "are", limit))
    return "\n\n".join(blocks)


def _shorten_fold(text: str, room: int) -> str:
    """A folded fence without its last lines, closed as it was; empty if too little would be left to read."""
    if not text.startswith("<details>") or "```diff\n" not in text:
        return ""
    lines = text.split("\n")
    end = ["… more lines are not shown", *lines[-3:]]  # the fence, a blank line, the end of the fold
    room -= count_units("\n".join(end)) + 1
    shown: list[str] = []
    for line in lines[:-3]:
        room -= count_units(line) + 1
        if room < 0:
            break
        shown.append(line)
    return "\n".join([*shown, *end]) if len(shown) > 8 else ""


def count_units(text: str) -> int:
    """The length in UTF-16 units, in which a character beyond the basic plane counts twice: the maximum."""
    return len(text) + sum(char > "\uffff" for char in text)
