"""`overture watch`: the record of a live session, printed as files change."""

import sys
import threading
from typing import Any

import click

from ...errors import ConfigError
from ...model.prompt.prompt import Prompt
from ...session.changes.watch_files import Watcher
from ...session.session import Session
from ...session.subagent import begin_as_subagent
from ...terminal.gather_state import budget_for, counter_for
from ...terminal.options import AS_JSON, WHICH, Ask, building, command_line
from ...terminal.progress import doing
from ...terminal.state_options import assign, given_state
from ...terminal.terminal import aside, report, write_line
from ..show.show_changes import Seen, show


@click.command("watch", epilog=WHICH)
@building
@AS_JSON
@click.option("--append", is_flag=True, help="Tell changes in messages, and leave the prompt as it was sent.")
@click.option("--times", type=int, default=None, metavar="N", help="End after N changes. Default: go on until Ctrl-C.")
def command(as_json: bool, append: bool, times: int | None, **options: Any) -> int:
    """Build the prompt again whenever a file that matters changes, and show the lines that changed.

    Each change says which lines of which file are new, how many tokens the prompt has now, and how much of it a
    provider's cache can still give back. Needs watchfiles: pip install 'overture[watch]'.

    \b
    overture watch                       until Ctrl-C
    overture watch --json --times 1      the start and one change, as JSON
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
    before = session.last
    doing("reading the files of the project")
    session.prepare(record=True)
    print_new(session, before, as_json)
    changed = threading.Event()
    watcher = Watcher(session, changed.set)
    try:
        watcher.ready.wait()
        if not as_json and times != 0:
            aside("watching; Ctrl-C ends")
        follow(session, changed, as_json, times)
    finally:
        watcher.stop()
    return 0


def follow(session: Session, changed: threading.Event, as_json: bool, times: int | None) -> None:
    """Print an entry for each change."""
    while times is None or times > 0:
        changed.wait()
        changed.clear()
        before = session.last
        session.prepare(record=True)
        printed = print_new(session, before, as_json)
        times = None if times is None else times - printed


def print_new(session: Session, before: Prompt | None, as_json: bool) -> int:
    """Print the entries that were not printed yet; how many there were."""
    assert session.last is not None
    entries = [Seen(e, before, session.last) for e in session.record if e.changed or e.nested or e.diagnostics]
    for seen in entries:
        if as_json:
            write_line(as_data(seen))
        else:
            show(seen)
        report(seen.entry.diagnostics)
    session.entries.clear()
    sys.stdout.flush()
    return len(entries)


def as_data(seen: Seen) -> dict[str, Any]:
    """An entry as JSON has it, with the lines that changed."""
    lines = {block.name: seen.lines(block) for block in seen.entry.changed}
    return {**seen.entry.to_dict(), "lines": {name: found for name, found in lines.items() if found}}
