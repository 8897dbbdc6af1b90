"""Version 1: runs, calls, texts."""

from ..databases.database import Database

STATEMENTS = (
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


def version_1(database: Database) -> None:
    """Make the tables."""
    for statement in STATEMENTS:
        database.run(statement.format(**database.words))
