"""`overture tap retain`: what is old may go."""

import math

import click

from ...errors import ConfigError
from ...terminal.output import print_error, print_line
from .which_store import CWD, STORE


@click.command("retain")
@click.option("--days", type=click.FloatRange(0), metavar="N", help="Remove calls that are older.")
@click.option("--megabytes", type=click.FloatRange(0), metavar="N", help="Then the oldest, until no more are used.")
@STORE
@CWD
def command(days: float | None, megabytes: float | None, store: str | None, cwd: str | None) -> int:
    """Remove old calls, by age or size.

    With them go the texts that no other call has.

    \b
    overture tap retain --days 30        a month is enough
    overture tap retain --megabytes 500  as much as there is room
    """
    from ...terminal.output import count_noun
    from .which_store import open_recorded_store

    if days is None and megabytes is None:
        raise ConfigError("Nothing is said of what may go.", hint="Give --days N, --megabytes N, or both.")
    if not all(math.isfinite(each) for each in (days, megabytes) if each is not None):
        raise ConfigError("--days and --megabytes are numbers that end, such as 30 or 0.5.", hint="Give one.")
    with open_recorded_store(store, cwd) as open_store:
        done = open_store.retain(age_days=days, bytes=None if megabytes is None else int(megabytes * 1e6))
    size = f"{done.after / 1e6:,.1f} MB are used, of {done.before / 1e6:,.1f}"
    print_line(f"Removed {count_noun(done.calls, 'call')} and {count_noun(done.texts, 'text')}; {size}.")
    if done.broken:
        what = f"The request of {count_noun(done.broken, 'call')}, as it was on the wire, can't be read"
        print_error(f"{what}: what only it named is removed.")
    return 0
