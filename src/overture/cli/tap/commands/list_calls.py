"""`overture tap list`: the calls, a line each."""

import click

from ...shared.options import AS_JSON
from ...shared.terminal import write_json
from .options import CWD, SINCE, STORE


@click.command("list")
@SINCE
@STORE
@CWD
@AS_JSON
def command(since: str | None, store: str | None, cwd: str | None, as_json: bool) -> int:
    """List the calls that were recorded, a line each.

    \b
    overture tap list --since all        everything that is kept
    """
    from ..show_list import list_data, show_list
    from ..which_store import chosen, recorded

    with recorded(store, cwd) as open_store:
        calls = chosen(open_store, since)
        if as_json:
            write_json(list_data(open_store, calls))
        else:
            show_list(open_store, calls)
    return 0
