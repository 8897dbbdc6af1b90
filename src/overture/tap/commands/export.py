"""`overture tap export`: all of it, as lines of JSON."""

import click

from .options import CWD, SINCE_ALL, STORE


@click.command("export")
@click.option("-o", "output", metavar="FILE", help="Write to a file, that only you can read. Default: standard output.")
@SINCE_ALL
@STORE
@CWD
def command(output: str | None, since: str | None, store: str | None, cwd: str | None) -> int:
    """Write calls as lines of JSON.

    The runs first, then the calls, whole.

    \b
    overture tap export -o calls.jsonl   everything that is kept
    """
    from ..show.export_lines import export_lines
    from ..show.which_store import chosen, recorded

    with recorded(store, cwd) as open_store:
        export_lines(open_store.export(chosen(open_store, since or "all")), output)
    return 0
