"""The runs of a store, with their commands but without the secrets in them."""

import re
from collections.abc import Iterable, Iterator

import msgspec

from ...errors import StoreError, show_value
from ...text.secrets.find import hide_secrets
from ..call import Run
from .database import Database, as_blob, unbroken
from .stored_call import column, moment, read_json, write_json

NAMES_SECRET = re.compile(r"(?i)(?:^|[-_.])(?:api[-_]?key|key|token|secret|password|passwd|auth|bearer|cookie)s?$")
SAYS_SECRET = re.compile(r"(?i)((?:authorization|[\w-]*(?:key|token|secret|password|cookie))\s*[:=]\s*).+", re.DOTALL)
IN_ADDRESS = re.compile(r"(?<=://)[^/@\s]*:[^/@\s]*@")
HIDDEN = "…"


def clean_command(words: Iterable[str]) -> Iterator[str]:
    """Each word; what an option such as --api-key is given, what stands in an address before @, and keys are hidden."""
    hide_next = False
    for word in words:
        option = word.startswith("-")
        if hide_next and not option:
            yield HIDDEN
        else:
            yield hide_secrets(IN_ADDRESS.sub(f"{HIDDEN}@", SAYS_SECRET.sub(rf"\1{HIDDEN}", word)))
        hide_next = option and NAMES_SECRET.search(word) is not None


def keep_run(database: Database, run: Run) -> None:
    """Add a run; the very same may be there already."""
    there = database.run("SELECT about FROM runs WHERE id = ?", (column(run.id),))
    if not there:
        sql = "INSERT INTO runs (id, started, about) VALUES (?, ?, ?)"
        database.run(sql, (column(run.id), moment(run.started), _about(run)))
    elif as_blob(there[0][0]) != _about(run):
        raise StoreError(
            f"Another run has the id {show_value(run.id)} in {database.where!r}. Give this one an id of its own."
        )


def end_run(database: Database, id: str, ended: str, missing: Iterable[str]) -> None:
    """Note when it ended, and what is missing of it."""
    found = database.run("SELECT about FROM runs WHERE id = ?", (column(id),))
    if not found:
        raise StoreError(f"No run has the id {show_value(id)} in {database.where!r}. Add it before it ends.")
    run = _read(database, found[0][0])
    over = msgspec.structs.replace(run, ended=ended, missing=(*run.missing, *missing))
    database.run("UPDATE runs SET about = ? WHERE id = ?", (_about(over), column(id)))


def all_runs(database: Database) -> tuple[Run, ...]:
    """All of them, oldest first."""
    rows = database.run("SELECT about FROM runs ORDER BY started, number")
    return tuple(_read(database, about) for (about,) in rows)


def _about(run: Run) -> bytes:
    return write_json(msgspec.to_builtins(run)).encode()


def _read(database: Database, about: bytes) -> Run:
    with unbroken(database.where):
        run: Run = read_json(as_blob(about), Run)
    return run
