"""`overture tap retain`: what is old may go."""

import math

import click

from ...errors import ConfigError
from ...terminal.output import print_error, print_line
from .which_store import CWD, STORE


@click.command("retain")
@click.option("--days", type=click.FloatRange(0), metavar="N", help="Remove calls older than this.")
@click.option(
    "--megabytes", type=click.FloatRange(0), metavar="N", help="Then remove the oldest calls until the store fits."
)
@STORE
@CWD
def command(days: float | None, megabytes: float | None, store: str | None, cwd: str | None) -> int:
    """Remove old calls, by age or size.

    Texts that no other call uses are removed with them.

    \b
    overture tap retain --days 30        keep one month
    overture tap retain --megabytes 500  keep at most 500 MB
    """
    from ...terminal.output import count_noun
    from .which_store import open_recorded_store

    if days is None and megabytes is None:
        raise ConfigError("No limit is given.", hint="Pass --days N, --megabytes N, or both.")
    if not all(math.isfinite(each) for each in (days, megabytes) if each is not None):
        raise ConfigError("--days and --megabytes must be finite numbers, such as 30 or 0.5.", hint="Pass a number.")
    with open_recorded_store(store, cwd) as open_store:
        done = open_store.retain(age_days=days, bytes=None if megabytes is None else int(megabytes * 1e6))
    size = f"{done.after / 1e6:,.1f} MB are used, of {done.before / 1e6:,.1f}"
    print_line(f"Removed {count_noun(done.calls, 'call')} and {count_noun(done.texts, 'text')}; {size}.")
    if done.broken:
        what = f"The request of {count_noun(done.broken, 'call')} as sent can't be read"
        print_error(f"warning: {what}: texts that only it used are removed.")
    return 0
