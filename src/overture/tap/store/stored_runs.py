"""The runs of a store, with their commands but without the secrets in them."""

import re
from collections.abc import Iterable, Iterator

import msgspec

from ...errors import StoreError, show_value
from ...text.secrets.find import hide_secrets
from ..call import Run
from .database import Database, as_blob, wrap_read_errors
from .stored_call import escape_column, parse_microseconds, read_json, write_json

SECRET_OPTION = re.compile(r"(?i)(?:^|[-_.])(?:api[-_]?key|key|token|secret|password|passwd|auth|bearer|cookie)s?$")
SECRET_ASSIGNMENT = re.compile(
    r"(?i)((?:authorization|[\w-]*(?:key|token|secret|password|cookie))\s*[:=]\s*).+", re.DOTALL
)
URL_CREDENTIALS = re.compile(r"(?<=://)[^/@\s]*:[^/@\s]*@")
HIDDEN = "…"


def clean_command(words: Iterable[str]) -> Iterator[str]:
    """Each word; what an option such as --api-key is given, what stands in an address before @, and keys are hidden."""
    hide_next = False
    for word in words:
        option = word.startswith("-")
        if hide_next and not option:
            yield HIDDEN
        else:
            yield hide_secrets(URL_CREDENTIALS.sub(f"{HIDDEN}@", SECRET_ASSIGNMENT.sub(rf"\1{HIDDEN}", word)))
        hide_next = option and SECRET_OPTION.search(word) is not None


def insert_run(database: Database, run: Run) -> None:
    """Add a run; the very same may be there already."""
    there = database.run("SELECT about FROM runs WHERE id = ?", (escape_column(run.id),))
    if not there:
        sql = "INSERT INTO runs (id, started, about) VALUES (?, ?, ?)"
        database.run(sql, (escape_column(run.id), parse_microseconds(run.started), _encode_run(run)))
    elif as_blob(there[0][0]) != _encode_run(run):
        raise StoreError(
            f"Another run has the id {show_value(run.id)} in {database.where!r}.",
            hint="Use a unique id.",
        )


def end_run(database: Database, id: str, ended: str, missing: Iterable[str]) -> None:
    """Note when it ended, and what is missing of it."""
    found = database.run("SELECT about FROM runs WHERE id = ?", (escape_column(id),))
    if not found:
        raise StoreError(f"No run has the id {show_value(id)} in {database.where!r}.", hint="Add the run first.")
    run = _decode_run(database, found[0][0])
    over = msgspec.structs.replace(run, ended=ended, missing=(*run.missing, *missing))
    database.run("UPDATE runs SET about = ? WHERE id = ?", (_encode_run(over), escape_column(id)))


def read_runs(database: Database) -> tuple[Run, ...]:
    """All of them, oldest first."""
    rows = database.run("SELECT about FROM runs ORDER BY started, number")
    return tuple(_decode_run(database, about) for (about,) in rows)


def _encode_run(run: Run) -> bytes:
    return write_json(msgspec.to_builtins(run)).encode()


def _decode_run(database: Database, about: bytes) -> Run:
    with wrap_read_errors(database.where):
        run: Run = read_json(as_blob(about), Run)
    return run
