"""`overture watch`: the record of a live session, printed as files change."""

import sys
import threading
from typing import Any

import click

from ...errors import ConfigError
from ...session.changes.watch_files import Watcher
from ...session.record import Entry
from ...session.session import Session
from ...session.subagent import begin_as_subagent
from ..shared.gather_state import budget_for, counter_for
from ..shared.options import AS_JSON, Ask, building, command_line
from ..shared.state_options import assign, given_state
from ..shared.terminal import dim, report, say, style, visible, write_line

COLOURS = {"rewritten": "yellow", "added": "green", "removed": "red", "told": "cyan"}


@click.command("watch")
@building
@AS_JSON
@click.option("--append", is_flag=True, help="Tell changes in messages, and leave the prompt as it was sent.")
@click.option("--times", type=int, default=None, metavar="N", help="End after N changes. Default: go on until Ctrl-C.")
def command(as_json: bool, append: bool, times: int | None, **options: Any) -> int:
    """Build RECIPE's prompt, and again whenever a file that matters changes; say what changed and why.

    Needs watchfiles: pip install 'overture[watch]'.
    """
    ask = Ask(**options)
    if ask.no_discover:
        raise ConfigError("--no-discover leaves nothing to watch. Leave it out.")
    given = given_state(ask)
    for text in ask.sets:
        assign(given, text)
    session = Session(
        ask.recipe, cwd=ask.cwd, home=ask.home, root=ask.root, state=given, config=command_line(ask),
        on_change="append" if append else "rewrite", budget=budget_for(ask), count=counter_for(ask),
    )  # fmt: skip
    if ask.subagent:
        begin_as_subagent(session)
    session.prepare(record=True)
    print_new(session, as_json)
    changed = threading.Event()
    watcher = Watcher(session, changed.set)
    try:
        watcher.ready.wait()
        follow(session, changed, as_json, times)
    finally:
        watcher.stop()
    return 0


def follow(session: Session, changed: threading.Event, as_json: bool, times: int | None) -> None:
    """Print an entry for each change."""
    while times is None or times > 0:
        changed.wait()
        changed.clear()
        session.prepare(record=True)
        printed = print_new(session, as_json)
        times = None if times is None else times - printed


def print_new(session: Session, as_json: bool) -> int:
    """Print the entries that were not printed yet; how many there were."""
    entries = [entry for entry in session.record if entry.changed or entry.nested or entry.diagnostics]
    for entry in entries:
        if as_json:
            write_line(entry.to_dict())
        else:
            show(entry)
        report(entry.diagnostics)
    session.entries.clear()
    sys.stdout.flush()
    return len(entries)


def show(entry: Entry) -> None:
    """An entry for a person."""
    for trigger in entry.triggers:
        say(style(trigger.name, bold=True) + dim(f"  {visible(trigger.reason)}"))
    for block in entry.changed:
        because = f"  because {', '.join(block.because)} changed" if block.because and entry.old else ""
        say(f"  {style(block.how, fg=COLOURS[block.how])} {block.name}{dim(because)}")
    for path in entry.nested:
        say(f"  {style('arrived', fg='green')} {visible(path)}")
    stayed = f", {len(entry.stayed)} blocks as they were" if entry.old else ""
    first = f", first difference at character {entry.first:,}" if entry.first is not None else ""
    say(f"  {entry.chars:,} characters, {entry.counter.shown(entry.tokens)} tokens{stayed}{first}")
