"""A store is taken forward to the shape that this Overture knows, one step after the other, and never back."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime

from ...errors import StoreError
from ..databases.database import Database
from .version_1 import version_1
from .version_2 import version_2

Step = Callable[[Database], None]

STEPS: tuple[Step, ...] = (version_1, version_2)
"""Step n takes a store from version n to n + 1. What stands here is never changed: a new shape is a new step."""


def migrate(database: Database, steps: Sequence[Step] = STEPS) -> None:
    """Take the store forward, all of the way or not at all. One of a newer Overture is refused."""
    if _version(database, len(steps)) == len(steps):
        return
    with database.writing():
        # Another process may have taken it forward while this one waited.
        database.run("CREATE TABLE IF NOT EXISTS versions (version BIGINT PRIMARY KEY, at TEXT NOT NULL)")
        for number in range(_version(database, len(steps)), len(steps)):
            steps[number](database)
            at = datetime.now(UTC).isoformat(timespec="seconds")
            database.run("INSERT INTO versions (version, at) VALUES (?, ?)", (number + 1, at))


def _version(database: Database, known: int) -> int:
    """The store's version; 0 of one that is empty."""
    if not database.run(database.words["has_versions"]):
        return 0
    version = int(database.run("SELECT max(version) FROM versions")[0][0] or 0)
    if version > known:
        raise StoreError(
            f"The store {database.where!r} is of version {version}, and this Overture knows versions up to {known}. "
            "Install a newer Overture, or name another store."
        )
    return version
