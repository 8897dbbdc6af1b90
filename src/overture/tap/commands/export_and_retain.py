"""`overture tap export` and `retain`: all calls as lines of JSON; old ones are removed, also at the end of a run."""

import math
from collections.abc import Iterable

import click

from ...discovery.write_file import open_replacement
from ...errors import ConfigError
from ...terminal.options import CommandOptions, load_settings
from ...terminal.output import check_output, count_noun, print_error, print_line, write_exactly
from ..store.store import open_store
from .choose_store_and_calls import CWD, SINCE_ALL, STORE, open_recorded_store, refuse_store_as_output, select_calls


def retain_calls(store_path: str) -> None:
    """Remove what is older than `tap.days`, then the oldest until no more than `tap.megabytes` are used."""
    from ..run.end_summary import write_to_stderr

    try:
        config = load_settings(CommandOptions())
        limits = {key: config.get(key).value for key in ("tap.days", "tap.megabytes")}
        days, megabytes = limits.values()
        if days is None and megabytes is None:
            return
        with open_store(store_path) as store:
            done = store.retain(age_days=days, bytes=None if megabytes is None else int(megabytes * 1e6))
    except Exception as problem:  # the program has ended as it has ended
        write_to_stderr([f"  old calls can't be removed: {problem}"])
        return
    if done.calls:
        why = " and ".join(f"{key} = {value:g}" for key, value in limits.items() if value is not None)
        write_to_stderr([f"  {why}: {count_noun(done.calls, 'older call')} removed."])


def export_lines(lines: Iterable[str], path: str | None) -> None:
    """Write exported calls as they come."""
    if path is None:
        check_output()
        for line in lines:
            write_exactly(line.encode())
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
def export_command(output: str | None, since: str | None, store: str | None, cwd: str | None) -> int:
    """Write calls as lines of JSON.

    One line for each run, then one for each complete call.

    \b
    overture tap export -o calls.jsonl   everything that is recorded
    """
    with open_recorded_store(store, cwd) as open_store:
        refuse_store_as_output(output, open_store)
        export_lines(open_store.export(select_calls(open_store, "all" if since is None else since)), output)
    return 0


@click.command("retain")
@click.option("--days", type=click.FloatRange(0), metavar="N", help="Remove calls older than this.")
@click.option(
    "--megabytes", type=click.FloatRange(0), metavar="N", help="Then remove the oldest calls until the store fits."
)
@STORE
@CWD
def retain_command(days: float | None, megabytes: float | None, store: str | None, cwd: str | None) -> int:
    """Remove old calls, by age or size.

    Texts that no other call uses are removed with them.

    \b
    overture tap retain --days 30        keep one month
    overture tap retain --megabytes 500  keep at most 500 MB
    """
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
