"""Which store and which calls a command means, by its options."""

import os
import re
import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta

import click

from ...errors import ConfigError, find_similar, show_value
from ..store.open_store import ADDRESS, find_store_path, open_store
from ..store.store import Store
from ..store.stored_calls_and_runs import StoredCall

AGO = re.compile(r"(\d{1,6})(s|m|h|d|w)")
UNITS = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}
EXAMPLES = "Pass 2h, 7d, a date such as 2026-11-15, the id of a run, or all."


def find_store(option: str | None, cwd: str | None) -> str:
    """The address or path of the store: as it is given, or the project's own."""
    if option:
        return option
    from ...agents.agent_discovery import resolve_in_folder
    from ...agents.survey_project import list_project_folders

    return find_store_path(list_project_folders(resolve_in_folder(cwd))[0])


def format_store_option(store: str | None, cwd: str | None = None) -> str:
    """The options that a hint repeats, so that its command finds the same calls."""
    options = (("--store", store), ("--cwd", cwd))
    return "".join(f" {name} {shlex.quote(value)}" for name, value in options if value)


@contextmanager
def open_recorded_store(option: str | None, cwd: str | None, *, or_empty: bool = False) -> Iterator[Store]:
    """A store that is there already: to look into one makes none. `or_empty`: a project without one has no calls."""
    store_path = find_store(option, cwd)
    if not ADDRESS.match(store_path) and not os.path.exists(os.path.expanduser(store_path)):
        if or_empty and option is None:
            from tempfile import TemporaryDirectory

            with TemporaryDirectory() as folder, open_store(f"{folder}/empty.sqlite") as store:
                yield store
            return
        message = f"No store at {store_path!r}" if option else "No calls recorded for this project"
        hint = "Record a program: overture tap -- claude"
        raise ConfigError(f"Nothing is recorded in {store_path!r} yet.", message=message, hint=hint)
    with open_store(store_path) as store:
        yield store


def refuse_store_as_output(output: str | None, store: Store) -> None:
    """A slip in -o must not replace the recording by what was made of it."""
    with suppress(OSError):  # an output that does not exist yet, or a store on a server
        if output is not None and os.path.samefile(output, store.where):
            raise ConfigError(f"-o {output!r} is the store itself.", hint="Pass another file.")


def select_calls(store: Store, since: str | None) -> tuple[StoredCall, ...]:
    """The calls since a time, those of one run, all of them; without a word, those of the newest run."""
    if since is None:
        newest = store.list_calls(newest_first=True, limit=1)
        return store.list_calls(run=newest[0].head.run) if newest else ()
    if since == "all":
        return store.list_calls()
    if match := AGO.fullmatch(since):
        return store.list_calls(since=_subtract_time(int(match[1]), match[2]))
    runs = [run.id for run in store.list_runs()]
    named = [id for id in runs if since and id.startswith(since)]
    if len(named) == 1 or since in named:
        return store.list_calls(run=since if since in named else named[0])
    if len(named) > 1:
        raise ConfigError(
            f"Several run ids begin with {show_value(since)}: {', '.join(named[:3])}.", hint="Pass more characters."
        )
    return store.list_calls(since=_parse_time(since, runs))


def _subtract_time(number: int, unit: str) -> datetime:
    """The time so many units ago, for `--since`."""
    try:
        return datetime.now(UTC) - timedelta(**{UNITS[unit]: number})
    except OverflowError:
        return datetime.min.replace(tzinfo=UTC)


def _parse_time(text: str, runs: Sequence[str]) -> datetime:
    """A date or a time; without an offset, that of this machine counts."""
    try:
        return datetime.fromisoformat(text).astimezone()
    except (ValueError, OverflowError):
        raise ConfigError(
            f"--since {show_value(text)} is not a time or a run.", tip=find_similar(text, runs), hint=EXAMPLES
        ) from None


def find_recorded_call(store: Store, id: str | None) -> StoredCall:
    """The call of that id; without one, the newest."""
    if id is not None:
        return store.find_call(id)
    newest = store.list_calls(newest_first=True, limit=1)
    if not newest:
        raise ConfigError(
            f"No call is recorded in {store.where!r} yet.", hint="Record a program: overture tap -- claude"
        )
    return newest[0]


STORE = click.option(
    "--store", metavar="WHERE", help="A file, or postgresql://… for a team. Default: the project's own file."
)
CWD = click.option("--cwd", metavar="DIR", help="Use the calls of this project. Default: the current folder.")
SINCE = click.option(
    "--since", metavar="WHEN", help="2h, 7d, 2026-11-15, the id of a run, or all. Default: the newest run."
)
SINCE_ALL = click.option("--since", metavar="WHEN", help="2h, 7d, 2026-11-15, or the id of a run. Default: all.")
TOKENIZER = click.option("--tokenizer", metavar="NAME", help="Tokenizer: o200k, claude, estimate, …")
