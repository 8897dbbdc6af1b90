"""The difference of two revisions as a person reads it."""

from collections.abc import Callable, Iterator

from ...terminal.output import dim, escape_controls, print_heading, print_line, print_table, style
from ...text.escape import escape_diff_line
from ...text.words import count_noun
from .changed_files import FileChange
from .pull_request_comment import COUNTS, OTHER_ORDER
from .revision_diff import RevisionCacheEffect, RevisionDiff, RevisionInfo, SectionDiff

CHANGE_COLOURS = {"changed": "yellow", "added": "green", "removed": "red", "told": "cyan"}
COUNTING = {"now": "green", "no longer": "red", "not": "yellow"}


def show_revisions(diff: RevisionDiff) -> None:
    """What differs: the figures, then each section with its lines, then files and problems."""
    if diff.nothing:
        print_line(escape_controls(f"The prompt is the same in {diff.before.short} and {diff.after.short}."))
    else:
        for line in _format_header(diff):
            print_line(line)
    if diff.later:
        print_line(escape_controls(f"Changed, but only loaded on demand: {', '.join(diff.later)}."))
    for note in diff.notes:
        print_line(dim(escape_controls(f"Note: {note}.")))
    for section in diff.changed:
        show_section(section, diff.format)
    _show_files(diff.files)
    problems = [("new", "red", each) for each in diff.problems.new]
    problems += [("gone", "green", each) for each in diff.problems.gone]
    if problems:
        print_heading("Problems")
        print_table([(style(word, fg=colour), escape_controls(str(each))) for word, colour, each in problems])


def _format_header(diff: RevisionDiff) -> Iterator[str]:
    yield f"{_style_revision(diff.before)} → {_style_revision(diff.after)}"
    for side in (diff.before, diff.after):
        if side.why:
            all_of_it = "all of it is new" if side is diff.before else "all of it is removed"
            yield escape_controls(f"{side.name} has no prompt, so {all_of_it}: {side.why}")
    before, after = diff.tokens
    same = sum(block.change == "same" for block in diff.blocks)
    yield (
        f"{diff.format(before)} → {diff.format(after)} tokens "
        f"({diff.format(after - before, signed=True)}, {diff.tokenizer}). "
        f"{same} of {count_noun(len(diff.blocks), 'section')} {'is' if same == 1 else 'are'} the same."
    )
    if diff.first is not None and not diff.changed:
        yield OTHER_ORDER
    if diff.recipes[0] != diff.recipes[1] and all(diff.recipes):
        yield escape_controls(f"The recipes differ: {diff.recipes[0]}, {diff.recipes[1]}.")
    changes = (("added", diff.tools.added), ("removed", diff.tools.removed), ("changed", diff.tools.changed))
    for change, names in changes:
        if names:
            yield escape_controls(f"Tools {change}: {', '.join(names)}.")
    if diff.cache:
        yield from _describe_cache_effect(diff.cache, diff.format)


def _describe_cache_effect(cache: RevisionCacheEffect, format: Callable[[int], str]) -> Iterator[str]:
    some, total = format(cache.kept), format(cache.tokens)
    message = f"the first {some} of {total} tokens stay ({cache.share:.0%}), tools included"
    if cache.blame is None:
        yield f"Cache: {message}."
        return
    where = cache.blame.section or "between two sections"
    source = f" ({cache.blame.source})" if cache.blame.source else ""
    yield escape_controls(f"Cache: {message}; the first byte that differs is {cache.blame.byte:,}, in {where}{source}.")


def _style_revision(revision: RevisionInfo) -> str:
    subject = f" {dim(escape_controls(revision.subject[:60]))}" if revision.subject else ""
    return style(escape_controls(revision.short), bold=True) + subject


def show_section(section: SectionDiff, format: Callable[[int], str]) -> None:
    """One section that is not the same, with the lines that differ under their files."""
    before, after = section.tokens
    because = f"  because {', '.join(section.because)} changed" if section.because else ""
    where = "  in the user's message" if section.place == "user" else ""
    figures = f"{format(before)} → {format(after)} tokens"
    change = style(section.change, fg=CHANGE_COLOURS[section.change])
    print_heading(f"{section.name}  {change}  {figures}{dim(where + because)}")
    for hunk in section.hunks:
        print_line(f"  {style(escape_controls(hunk.place), bold=True)}")
        for line in hunk.removed:
            print_line("    " + style(escape_diff_line(f"-{line}"), fg="red"))
        for line in hunk.added:
            print_line("    " + style(escape_diff_line(f"+{line}"), fg="green"))


def _show_files(files: tuple[FileChange, ...]) -> None:
    if files:
        print_heading("Files")
        rows = [
            (style(COUNTS[f.counts], fg=COUNTING[f.counts]), escape_controls(f.path), dim(escape_controls(f.why)))
            for f in files
        ]
        print_table(rows)
