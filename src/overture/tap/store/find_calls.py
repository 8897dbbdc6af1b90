"""Which calls somebody means: by what they are of, by time, by the beginning of an id."""

from collections.abc import Mapping
from datetime import datetime

from ...errors import StoreError, show_value, suggest
from ..databases.database import Database
from .columns import column, microseconds


def conditions(
    same: Mapping[str, str | None], since: datetime | None, until: datetime | None
) -> tuple[str, list[object]]:
    """What SQL asks for: columns that are the same as what is given, and the time; with the values."""
    asked: list[tuple[str, object]] = [(f"{name} = ?", column(text)) for name, text in same.items() if text is not None]
    asked += [("began >= ?", microseconds(since))] if since is not None else []
    asked += [("began < ?", microseconds(until))] if until is not None else []
    return " AND ".join(sql for sql, _ in asked) or "1 = 1", [value for _, value in asked]


def find_id(database: Database, start: str) -> str:
    """The id, as it is kept, of the only call whose id is this or begins so."""
    asked = column(start)
    if start and database.run("SELECT 1 FROM calls WHERE id = ?", (asked,)):
        return asked
    sql = "SELECT id FROM calls WHERE substr(id, 1, ?) = ? ORDER BY began DESC, number DESC LIMIT 4"
    ids = [str(id) for (id,) in database.run(sql, (len(asked), asked))]
    if not ids:
        raise StoreError(
            f"No call in {database.where!r} has an id that begins with {show_value(start)}.{_near(database, start)} "
            "`overture tap list` lists them."
        )
    if len(ids) > 1 or not start:
        some = ", ".join(ids[:3]) + (", …" if len(ids) > 3 else "")
        raise StoreError(f"Several calls have ids that begin with {show_value(start)}: {some}. Give more of it.")
    return ids[0]


def _near(database: Database, start: str) -> str:
    """The newest ids that are like it."""
    rows = database.run("SELECT id FROM calls ORDER BY began DESC, number DESC LIMIT 500")
    return suggest(start, [str(id) for (id,) in rows])
