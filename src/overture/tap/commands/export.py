"""`overture tap export`: writes all calls as lines of JSON."""

import sys
from collections.abc import Iterable

import click

from ...discover.disk.write_file import open_replacement
from ...errors import ConfigError
from ...terminal.output import check_output
from .which_store import CWD, SINCE_ALL, STORE


def export_lines(lines: Iterable[str], path: str | None) -> None:
    """Write them as they come."""
    if path is None:
        check_output()
        for line in lines:
            sys.stdout.buffer.write(line.encode())
        sys.stdout.buffer.flush()
        return
    try:
        with open_replacement(path, mode=0o600) as file:
            file.writelines(line.encode() for line in lines)
    except (OSError, ValueError) as problem:
        message = getattr(problem, "strerror", None) or str(problem)
        raise ConfigError(f"{path!r} can't be written: {message.lower()}.") from None


@click.command("export")
@click.option("-o", "output", metavar="FILE", help="Write to a file that only you can read. Default: standard output.")
@SINCE_ALL
@STORE
@CWD
def command(output: str | None, since: str | None, store: str | None, cwd: str | None) -> int:
    """Write calls as lines of JSON.

    One line for each run, then one for each complete call.

    \b
    overture tap export -o calls.jsonl   everything that is recorded
    """
    from .which_store import open_recorded_store, select_calls

    with open_recorded_store(store, cwd) as open_store:
        export_lines(open_store.export(select_calls(open_store, since or "all")), output)
    return 0
