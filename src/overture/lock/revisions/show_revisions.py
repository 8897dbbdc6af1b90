"""The difference of two revisions as a person reads it."""

from collections.abc import Callable, Iterator

from ...terminal.output import dim, escape_controls, print_heading, print_line, print_table, style
from ...text.escape import escape_diff_line
from .changed_files import FileChange
from .pull_request_comment import COUNTS, OTHER_ORDER
from .revision_diff import RevisionCacheEffect, RevisionDiff, RevisionInfo, SectionDiff

COLOURS = {"changed": "yellow", "added": "green", "removed": "red", "told": "cyan"}
COUNTING = {"now": "green", "no longer": "red", "not": "yellow"}


def show_revisions(told: RevisionDiff) -> None:
    """What differs: the figures, then each section with its lines, then files and problems."""
    if told.nothing:
        print_line(escape_controls(f"The prompt is the same in {told.before.short} and {told.after.short}."))
    else:
        for line in _head(told):
            print_line(line)
    if told.later:
        print_line(escape_controls(f"Changed, and read only when it is used: {', '.join(told.later)}."))
    for note in told.notes:
        print_line(dim(escape_controls(f"Note: {note}.")))
    for section in told.changed:
        show_section(section, told.format)
    _show_files(told.files)
    problems = [("new", "red", each) for each in told.problems.new]
    problems += [("gone", "green", each) for each in told.problems.gone]
    if problems:
        print_heading("Problems")
        print_table([(style(word, fg=colour), escape_controls(str(each))) for word, colour, each in problems])


def _head(told: RevisionDiff) -> Iterator[str]:
    yield f"{_place(told.before)} → {_place(told.after)}"
    for place in (told.before, told.after):
        if place.why:
            all_of_it = "all of it is new" if place is told.before else "all of it is gone"
            yield escape_controls(f"{place.name} has no prompt, so that {all_of_it}: {place.why}")
    before, after = told.tokens
    same = sum(block.change == "same" for block in told.blocks)
    yield (
        f"{told.format(before)} → {told.format(after)} tokens "
        f"({told.format(after - before, signed=True)}, {told.tokenizer}). "
        f"{same} of {len(told.blocks)} sections are the same."
    )
    if told.first is not None and not told.changed:
        yield OTHER_ORDER
    if told.recipes[0] != told.recipes[1] and all(told.recipes):
        yield escape_controls(f"The recipes differ: {told.recipes[0]}, {told.recipes[1]}.")
    changes = (("added", told.tools.added), ("removed", told.tools.removed), ("changed", told.tools.changed))
    for change, names in changes:
        if names:
            yield escape_controls(f"Tools {change}: {', '.join(names)}.")
    if told.cache:
        yield from _cache(told.cache, told.format)


def _cache(cache: RevisionCacheEffect, format: Callable[[int], str]) -> Iterator[str]:
    some, whole = format(cache.kept), format(cache.tokens)
    kept = f"the first {some} of {whole} tokens stay ({cache.share:.0%}), tools included"
    if cache.blame is None:
        yield f"Cache: {kept}."
        return
    where = cache.blame.section or "between two sections"
    source = f" ({cache.blame.source})" if cache.blame.source else ""
    yield escape_controls(f"Cache: {kept}; the first byte that differs is {cache.blame.byte:,}, in {where}{source}.")


def _place(place: RevisionInfo) -> str:
    subject = f" {dim(escape_controls(place.subject[:60]))}" if place.subject else ""
    return style(escape_controls(place.short), bold=True) + subject


def show_section(section: SectionDiff, format: Callable[[int], str]) -> None:
    """One section that is not the same, with the lines that differ under their files."""
    before, after = section.tokens
    because = f"  because {', '.join(section.because)} changed" if section.because else ""
    where = "  in the user's message" if section.place == "user" else ""
    figures = f"{format(before)} → {format(after)} tokens"
    change = style(section.change, fg=COLOURS[section.change])
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
