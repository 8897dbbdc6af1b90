"""`overture watch` builds again whenever a file changes, and shows which lines did."""

import sys
import threading
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any, NamedTuple

import click

from ...model.prompt.block import Block, block_tokens
from ...model.prompt.prompt import Prompt
from ...report.diff import ChangedLine, changed_lines
from ...session.bring_up_to_date import prepare_prompt
from ...session.record_entry import BlockEntry, Entry
from ...session.session import get_parts
from ...session.session_parts import SessionParts
from ...terminal.option_values import budget_for, counter_for, prepare_session
from ...terminal.options import AS_JSON, RECIPE_HELP, CommandOptions, add_build_options, make_path_printer
from ...terminal.output import (
    count_noun,
    dim,
    escape_controls,
    print_diagnostics,
    print_hint,
    print_wrapped,
    style,
    write_json,
)
from ...terminal.progress_line import report_step
from ...text.path_printer import PathPrinter
from ...web.page.watch_session import Watcher, import_watchfiles

COLOURS = {"rewritten": "yellow", "added": "green", "removed": "red"}
SIGNS = {"removed": ("-", "red"), "added": ("+", "green")}
MAX_SHOWN_LINES = 8
"""So many changed lines of a block are shown; the others are counted."""


class RecordedChange(NamedTuple):
    """An entry, and the prompts before and after it."""

    entry: Entry
    before: Prompt | None
    after: Prompt

    def lines(self, block: BlockEntry) -> list[ChangedLine]:
        """The changed lines of a block that is watched. None at the start, where all are new."""
        if self.before is None:
            return []
        old, new = _find_block(self.before, block.name), _find_block(self.after, block.name)
        return list(changed_lines(old, new, self.before.resolved, self.after.resolved))


def _find_block(prompt: Prompt, name: str) -> Block | None:
    return next((block for block in prompt.blocks if block.name == name), None)


def show_change(change: RecordedChange, printer: PathPrinter) -> None:
    """An entry for a person."""
    entry = change.entry
    for trigger in entry.triggers:
        print_wrapped(style(trigger.name, bold=True) + dim(f"  {printer.within(trigger.reason)}"))
    if entry.old is None:
        names = ", ".join(block.name for block in entry.changed)
        print_wrapped(f"{count_noun(len(entry.changed), 'section')}: {names}", "  ")
        print_wrapped(f"{count_noun(entry.chars, 'character')}, {entry.counter.describe(entry.tokens)}", "  ")
        return
    for block in entry.changed:
        because = f"  because {', '.join(block.because)} changed" if block.because else ""
        print_wrapped(f"{style(block.how, fg=COLOURS[block.how])} {block.name}{dim(because)}", "  ")
        _print_changed_lines(change.lines(block), printer)
    for path in entry.nested:
        print_wrapped(f"{style('arrived', fg='green')} {printer(path)}", "  ")
    print_wrapped("; ".join(_format_sums(change)), "  ")


def _print_changed_lines(lines: Sequence[ChangedLine], printer: PathPrinter) -> None:
    """Print lines that changed since the last build: a few, each file and place once, and how many more there are."""
    for path, group in groupby(lines[:MAX_SHOWN_LINES], key=lambda line: line.path):
        some = list(group)
        if path:
            print_wrapped(dim(f"{printer(path)}:{some[0].line}"), "    ")
        for line in some:
            sign, colour = SIGNS[line.how]
            print_wrapped(style(f"{sign} {escape_controls(line.text)}", fg=colour), "      ")
    if len(lines) > MAX_SHOWN_LINES:
        print_wrapped(dim(f"and {count_noun(len(lines) - MAX_SHOWN_LINES, 'more line')}"), "      ")


def _format_sums(change: RecordedChange) -> Iterator[str]:
    """`812 → 840 tokens (+28); cached prefix: 231 tokens stay, 609 are sent again`."""
    entry, shown = change.entry, change.entry.counter.shown
    before = sum(block_tokens(list(change.before.blocks), entry.counter)) if change.before else 0
    yield f"{shown(before)} → {shown(entry.tokens)} tokens ({entry.tokens - before:+,})"
    if entry.first is None:
        yield "cached prefix: unchanged"
    else:
        cached = min(entry.counter(change.after.text[: entry.first]), entry.tokens)
        unchanged_part = f"{entry.counter.describe(cached)} {'stays' if cached == 1 else 'stay'}"
        sent = f"{shown(entry.tokens - cached)} {'is' if entry.tokens - cached == 1 else 'are'} sent again"
        yield f"cached prefix: {unchanged_part}, {sent}"


@click.command("watch", epilog=RECIPE_HELP)
@add_build_options
@AS_JSON
@click.option(
    "--times",
    type=click.IntRange(min=0),
    default=None,
    metavar="N",
    help="Stop after N changes. Default: run until Ctrl-C.",
)
def command(as_json: bool, times: int | None, **options: Any) -> int:
    """Rebuild the prompt whenever one of its files changes, and show the changed lines.

    Each change shows the new lines of each file, the tokens of the prompt, and how much of it a provider's cache
    can still serve. Needs watchfiles: pip install 'overture[watch]'.

    \b
    overture watch                       until Ctrl-C
    overture watch --json --times 1      the start and one change, as JSON
    """
    flags = CommandOptions(**options)
    session = prepare_session(flags, "watch", budget=budget_for(flags), count=counter_for(flags))()
    import_watchfiles()  # before anything is printed: without it there is nothing to wait for
    parts = get_parts(session)
    before = parts.last_prompt
    report_step("reading the files of the project")
    prepare_prompt(parts, record=True)
    printer = None if as_json else make_path_printer(flags)
    print_new_entries(parts, before, printer)
    changed = threading.Event()
    watcher = Watcher(parts, changed.set)
    try:
        watcher.ready.wait()
        if not as_json and times != 0:
            print_hint("watching; press Ctrl-C to stop")
        follow_changes(parts, changed, printer, times)
    finally:
        watcher.stop()
    return 0


def follow_changes(
    session: SessionParts, changed: threading.Event, printer: PathPrinter | None, times: int | None
) -> None:
    """Print an entry for each change; without a printer, as JSON."""
    while times is None or times > 0:
        changed.wait()
        changed.clear()
        before = session.last_prompt
        prepare_prompt(session, record=True)
        printed = print_new_entries(session, before, printer)
        times = None if times is None else times - printed


def print_new_entries(session: SessionParts, before: Prompt | None, printer: PathPrinter | None) -> int:
    """Print the entries that were not printed yet; how many there were."""
    assert session.last_prompt is not None
    entries = [each for each in session.entries if each.changed or each.nested or each.diagnostics]
    for entry in entries:
        change = RecordedChange(entry, before, session.last_prompt)
        if printer is None:
            lines = {block.name: found for block in entry.changed if (found := change.lines(block))}
            write_json({**entry.to_dict(), "lines": lines}, indent=0)
        else:
            show_change(change, printer)
        print_diagnostics(entry.diagnostics)
    session.entries.clear()
    sys.stdout.flush()
    return len(entries)
