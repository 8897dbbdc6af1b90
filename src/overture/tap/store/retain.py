"""A store that is kept small: by age, by size; a text goes when no call names it any more."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from .sqlite import BROKEN, SqliteDatabase
from .stored_calls import read_text_numbers, to_microseconds, unpack_body

MAX_TRIES = 8
MAX_DAYS = 500_000
"""What is older than that was never sent, and no calendar of Python goes back further than 700,000."""
ROW_BYTES = 400
"""Bytes that a call takes besides its values: the columns by which it is found, and its places in the indexes."""


class RetainResult(NamedTuple):
    """What was removed, and what is left."""

    calls: int
    texts: int
    before: int
    after: int
    """Bytes that are used."""
    broken: int = 0
    """Calls whose request can't be read as it was on the wire: what only that named is removed."""


def retain(database: SqliteDatabase, age_days: float | None, max_bytes: int | None) -> RetainResult:
    """Remove calls that are too old, then the oldest until the rest has room; and what only they named."""
    before = database.count_used_bytes()
    calls = texts = 0
    broken: set[int] = set()
    if age_days is not None:
        oldest = to_microseconds(datetime.now(UTC) - timedelta(days=min(age_days, MAX_DAYS)))
        calls, texts = _remove(database, oldest, broken)
    for number in range(MAX_TRIES):
        if max_bytes is None or database.count_used_bytes() <= max_bytes:
            break
        # Pages that are not full, and the like, take room that no row accounts for: each time, less is left for rows.
        room = max_bytes * 4**number // 5**number
        more = _remove(database, _find_oldest_kept(database, room), broken)
        calls, texts = calls + more[0], texts + more[1]
    if calls or texts:
        database.shrink()
    return RetainResult(calls, texts, before, database.count_used_bytes(), len(broken))


def _find_oldest_kept(database: SqliteDatabase, room: int) -> int:
    """When the oldest call began that has room together with all that are newer; a moment after all, if none has."""
    sizes: dict[int, int] = dict(database.run("SELECT number, length(data) FROM texts"))
    first = to_microseconds(datetime.max.replace(tzinfo=UTC))
    sql = (
        "SELECT began, reply, pieces, request, length(calls.head) + coalesce(length(wires.head), 0) "
        "FROM calls LEFT JOIN wires ON wires.number = calls.number ORDER BY began DESC, calls.number DESC"
    )
    for began, reply, pieces, request, heads in database.run(sql):
        numbers = {reply, *_read_numbers(read_text_numbers, pieces), *_read_numbers(_list_body_texts, request or b"")}
        own = heads + len(pieces) + len(request or b"")
        room -= ROW_BYTES + own + sum(sizes.pop(number, 0) for number in numbers)
        if room < 0:
            break
        first = began
    return int(first)


def _list_body_texts(data: object) -> list[int]:
    return [number for number, _ in unpack_body(data)]


def _read_numbers(texts: Callable[[object], list[int]], data: object) -> list[int]:
    """The texts that a list names; none where it can't be read."""
    try:
        return texts(data)
    except BROKEN:
        return []


def _remove(database: SqliteDatabase, before: int, broken: set[int]) -> tuple[int, int]:
    """Remove the calls that began before, and runs without calls; how many calls and texts were removed."""
    with database.transaction():
        calls = int(database.run("SELECT count(*) FROM calls WHERE began < ?", (before,))[0][0])
        database.run("DELETE FROM calls WHERE began < ?", (before,))
        database.run("DELETE FROM wires WHERE number NOT IN (SELECT number FROM calls)")
        database.run("DELETE FROM runs WHERE started < ? AND id NOT IN (SELECT run FROM calls)", (before,))
        return calls, _sweep(database, broken)


def _sweep(database: SqliteDatabase, broken: set[int]) -> int:
    """Remove the texts that no call names; calls whose wire can't be read are added to `broken`."""
    used = set(_list_named_texts(database, broken))
    unused = [(number,) for (number,) in database.run("SELECT number FROM texts") if number not in used]
    database.run_many("DELETE FROM texts WHERE number = ?", unused)
    return len(unused)


def _list_named_texts(database: SqliteDatabase, broken: set[int]) -> Iterator[int]:
    """The texts that calls still name, which are retained."""
    for reply, pieces in database.run("SELECT reply, pieces FROM calls"):
        yield from (reply, *read_text_numbers(pieces))
    for number, request in database.run("SELECT number, request FROM wires"):
        try:
            yield from _list_body_texts(request)
        except BROKEN:
            broken.add(number)
