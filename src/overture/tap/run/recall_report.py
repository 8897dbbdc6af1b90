"""The report on stored calls: from disk where the same calls were reported before, else made, and kept.

A report is a pure function of the calls, the table of models and the counter. It is found by a digest of all of these
and of our code, so that one call more, or another text in one of them, is another report.
"""

import os
import zlib
from collections.abc import Sequence
from contextlib import AbstractContextManager
from hashlib import shake_256

import msgspec

from ...discover.stored.result_store import current_store, use_store
from ...discover.stored.stamps import stamp_code
from ...known_models.model_facts import TableForm
from ...tokens.counter import Counter
from ..judge.report import TapReport, make_report
from ..store.store import Store
from ..store.stored_call import StoredCall

FILE = "tap/reports"
"""Below the cache folder: a file of its own, as many calls would push what other commands keep out of theirs."""


def use_reports() -> AbstractContextManager[None]:
    """Let what runs in this block find and keep reports and counts of tokens."""
    return use_store(os.environ, FILE)


def recall_report(store: Store, calls: Sequence[StoredCall], table: TableForm, count: Counter) -> TapReport:
    """The report on calls, in whatever order they come."""
    kept, digest = current_store(), store.load_calls(calls)
    if kept is None:
        return _make_report(calls, table, count)
    counted_by = f"{count.name}\n{count.exact}\n{count.about}".encode()
    parts = stamp_code(), counted_by, msgspec.json.encode(table), digest
    key = kept.make_key("report", *parts)
    if (known := kept.get(key)) is not None:
        return msgspec.json.decode(zlib.decompress(_seal(known, parts)), type=TapReport)
    report = _make_report(calls, table, count)
    if (data := _encode_report(report)) is not None:
        kept.put(key, _seal(zlib.compress(data, 1), parts))
    return report


def _make_report(calls: Sequence[StoredCall], table: TableForm, count: Counter) -> TapReport:
    return make_report([call.read_call() for call in calls], table=table, count=count)


def _encode_report(report: TapReport) -> bytes | None:
    """As JSON; None where what is read again would not be the same."""
    try:
        data = msgspec.json.encode(report)
    except UnicodeEncodeError:  # half a surrogate pair
        return None
    return data if msgspec.json.encode(msgspec.json.decode(data, type=TapReport)) == data else None


def _seal(data: bytes, parts: Sequence[bytes]) -> bytes:
    """Mix data with a stream that follows from what the report was made of; a second time, that opens it.

    A report quotes the calls. Once they are removed, nobody can read what is left of them here.
    """
    stream = shake_256(b"".join(parts)).digest(len(data))
    return (int.from_bytes(data) ^ int.from_bytes(stream)).to_bytes(len(data))
