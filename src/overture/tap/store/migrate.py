"""The versions of a store's tables, and the steps from one to the next."""

from collections.abc import Sequence
from datetime import UTC, datetime

from ...errors import StoreError
from .database import Database

VERSION_1 = (
    # `about` is the run as JSON.
    "CREATE TABLE runs (number {number}, id TEXT NOT NULL UNIQUE, started BIGINT NOT NULL, about {bytes} NOT NULL)",
    # A text, named by the SHA-256 of its UTF-8; `packed`: 0 as it is, 1 by zlib.
    "CREATE TABLE texts (number {number}, digest {bytes} NOT NULL UNIQUE, packed INTEGER NOT NULL, "
    "data {bytes} NOT NULL)",
    # `head` is the call as JSON, without its pieces and its reply; `reply` and `sorts` are numbers of texts; `pieces`
    # is a list of such numbers. The columns before it are what calls are looked up by; began is in microseconds.
    "CREATE TABLE calls (number {number}, id TEXT NOT NULL UNIQUE, began BIGINT NOT NULL, run TEXT NOT NULL, "
    "key TEXT NOT NULL, program TEXT NOT NULL, model TEXT NOT NULL, cwd TEXT NOT NULL, "
    "head {bytes} NOT NULL, reply BIGINT NOT NULL, sorts BIGINT NOT NULL, pieces {bytes} NOT NULL)",
    "CREATE INDEX calls_by_began ON calls (began, number)",
    "CREATE INDEX calls_by_run ON calls (run)",
    "CREATE INDEX calls_by_key ON calls (key)",
    # A row for each time that texts were removed: who remembers numbers of texts sees that they count no more.
    "CREATE TABLE sweeps (number BIGINT PRIMARY KEY)",
)

VERSION_2 = (
    # `number` is the call's. `head` is the wire as JSON without its bodies, as zlib packs it with the text `base` for
    # its dictionary. `request` is a list of numbers of texts, with how each is written in the body; empty: not kept.
    # `response` is the answer as it came, with its times; empty: nobody asked for it.
    "CREATE TABLE wires (number {number}, base BIGINT NOT NULL, head {bytes} NOT NULL, request {bytes} NOT NULL, "
    "response {bytes} NOT NULL)",
)
STEPS = VERSION_1, VERSION_2
"""Step n takes a store from version n to n + 1. What stands here is never changed: a new shape is a new step."""


def migrate(database: Database, steps: Sequence[Sequence[str]] = STEPS) -> None:
    """Take the store forward, all of the way or not at all. One of a newer Overture is refused."""
    if _read_version(database, len(steps)) == len(steps):
        return
    with database.transaction():
        # Another process may have taken it forward while this one waited.
        database.run("CREATE TABLE IF NOT EXISTS versions (version BIGINT PRIMARY KEY, at TEXT NOT NULL)")
        for number in range(_read_version(database, len(steps)), len(steps)):
            for statement in steps[number]:
                database.run(statement.format(**database.dialect))
            at = datetime.now(UTC).isoformat(timespec="seconds")
            database.run("INSERT INTO versions (version, at) VALUES (?, ?)", (number + 1, at))


def _read_version(database: Database, known: int) -> int:
    """The store's version; 0 of one that is empty."""
    if not database.run(database.dialect["has_versions"]):
        return 0
    version = int(database.run("SELECT max(version) FROM versions")[0][0] or 0)
    if version > known:
        raise StoreError(
            f"The store {database.where!r} is of version {version}, and this Overture supports versions up to {known}.",
            hint="Upgrade Overture, or pass another store.",
        )
    return version
