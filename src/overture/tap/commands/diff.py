"""`overture tap diff`: what differs between two."""

import click

from ...terminal.options import AS_JSON
from ...terminal.output import print_line, write_json
from .which_store import CWD, STORE


@click.command("diff")
@click.argument("before")
@click.argument("after")
@STORE
@CWD
@AS_JSON
def command(before: str, after: str, store: str | None, cwd: str | None, as_json: bool) -> int:
    """Show what differs between two calls.

    The first byte that differs and its section, then all tools and sections that differ. Bytes count the text of
    tools, system prompt and messages, in the order in which a cache reads them, without the JSON around them.

    \b
    overture tap diff 3f 9a              from one to the other
    """
    from ...model.struct import as_json as data_of
    from ..judge.diff_calls import find_differences
    from ..show.change_lines import make_change_lines
    from .which_store import find_recorded_call, open_recorded_store

    with open_recorded_store(store, cwd) as open_store:
        found = find_differences(find_recorded_call(open_store, before), find_recorded_call(open_store, after))
    if as_json:
        write_json(data_of(found))
    else:
        for line in make_change_lines(found):
            print_line(line)
    return 0
