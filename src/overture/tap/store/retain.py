"""A store that is kept small: by age, by size; a text goes when no call names it any more."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from typing import NamedTuple

from .database import BROKEN, Database, as_blob
from .stored_calls_and_runs import to_microseconds
from .stored_pieces import read_text_numbers
from .stored_wires import list_wire_texts, read_body_numbers

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


def retain(database: Database, age_days: float | None, max_bytes: int | None) -> RetainResult:
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


def _find_oldest_kept(database: Database, room: int) -> int:
    """When the oldest call began that has room together with all that are newer; a moment after all, if none has."""
    sizes: dict[int, int] = dict(database.run("SELECT number, length(data) FROM texts"))
    first = to_microseconds(datetime.max.replace(tzinfo=UTC))
    sql = (
        "SELECT began, reply, sorts, pieces, length(calls.head), wires.base, wires.request, "
        "coalesce(length(wires.head) + length(wires.response), 0) "
        "FROM calls LEFT JOIN wires ON wires.number = calls.number ORDER BY began DESC, calls.number DESC"
    )
    for began, reply, sorts, pieces, head, base, request, more in database.run(sql):
        numbers = {
            reply,
            sorts,
            base,
            *_read_numbers(read_text_numbers, pieces),
            *_read_numbers(read_body_numbers, request or b""),
        }
        own = head + len(pieces) + len(request or b"") + more
        room -= ROW_BYTES + own + sum(sizes.pop(number, 0) for number in numbers)
        if room < 0:
            break
        first = began
    return int(first)


def _read_numbers(texts: Callable[[bytes], list[int]], data: object) -> list[int]:
    """The texts that a list names; none where it can't be read."""
    try:
        return texts(as_blob(data))
    except BROKEN:
        return []


def _remove(database: Database, before: int, broken: set[int]) -> tuple[int, int]:
    """Remove the calls that began before, and runs without calls; how many calls and texts were removed."""
    with database.transaction():
        calls = int(database.run("SELECT count(*) FROM calls WHERE began < ?", (before,))[0][0])
        database.run("DELETE FROM calls WHERE began < ?", (before,))
        database.run("DELETE FROM wires WHERE number NOT IN (SELECT number FROM calls)")
        database.run("DELETE FROM runs WHERE started < ? AND id NOT IN (SELECT run FROM calls)", (before,))
        return calls, _sweep(database, broken)


def _sweep(database: Database, broken: set[int]) -> int:
    """Remove the texts that no call names; calls whose wire can't be read are added to `broken`."""
    used = set(_list_named_texts(database, broken))
    unused = [(number,) for (number,) in database.run("SELECT number FROM texts") if number not in used]
    if unused:
        database.run_many("DELETE FROM texts WHERE number = ?", unused)
        database.run("INSERT INTO sweeps (number) SELECT coalesce(max(number), 0) + 1 FROM sweeps")
    return len(unused)


def _list_named_texts(database: Database, broken: set[int]) -> Iterator[int]:
    """The texts that calls still name, which are retained."""
    for reply, sorts, pieces in database.run("SELECT reply, sorts, pieces FROM calls"):
        yield from (reply, sorts, *read_text_numbers(as_blob(pieces)))
    yield from list_wire_texts(database, broken)
