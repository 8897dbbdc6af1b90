"""`overture tap list`: the calls, one per line."""

import click

from ...errors import ConfigError
from ...terminal.options import AS_JSON
from ...terminal.output import print_line, write_json
from .which_store import CWD, SINCE, STORE


@click.command("list")
@SINCE
@STORE
@CWD
@click.option(
    "--grep", "words", metavar="TEXT", help="Only calls that contain these words; in all runs, unless --since is given."
)
@AS_JSON
def command(since: str | None, store: str | None, cwd: str | None, words: str | None, as_json: bool) -> int:
    """List the recorded calls, one per line.

    \b
    overture tap list --since all        everything that is recorded
    overture tap list --grep "npm test"  the calls that contain it, and where
    """
    from ..show.show_list import RunNames, make_list_data, show_list
    from ..store.search import search
    from .which_store import open_recorded_store, select_calls

    if words is not None and not words.strip():
        raise ConfigError("--grep is empty.", hint="Pass the words to search for.")
    with open_recorded_store(store, cwd, or_empty=True) as open_store:
        calls = select_calls(open_store, since or ("all" if words else None))
        found = None if words is None else {id: at.label for id, at in search(open_store, calls, words).items()}
        calls = calls if found is None else tuple(call for call in calls if call.id in found)
        if as_json:
            write_json(make_list_data(open_store, calls, found))
        else:
            names = list(RunNames(open_store.list_runs(), calls, since).make_lines()) if words is None else []
            for line in names if calls else ():
                print_line(line)
            show_list(open_store, calls, found, since)
            for line in names if not calls else ():
                print_line(line)
    return 0
