"""The report on stored calls: from disk where the same calls were reported before, else made, and kept.

A report is a pure function of the calls, the table of models and the counter. It is found by a digest of all of these
and of our code, so that one call more, or another text in one of them, is another report.
"""

import os
import zlib
from collections.abc import Sequence

import msgspec

from ...discover.load_tokenizer import find_counter, find_quick_counter
from ...discover.stored.result_store import open_store, use_store
from ...discover.stored.seal import seal
from ...discover.stored.stamps import stamp_code, stamp_tokenizers
from ...known_models.model_facts import TableForm
from ...tokens.counter import Counter
from ..judge.report import TapReport, make_report
from ..store.store import Store
from ..store.stored_call import StoredCall

FILE = "tap/reports"
"""Below the cache folder: a file of its own, as many calls would push what other commands keep out of theirs."""


def find_report_counter(tokenizer: str | None = None) -> Counter:
    """The counter of that name, which is not loaded where it was loaded before: for a known report nobody counts."""
    with use_store(os.environ, FILE):
        return find_counter(tokenizer)


def recall_report(store: Store, calls: Sequence[StoredCall], table: TableForm, count: Counter) -> TapReport:
    """The report on calls, in whatever order they come."""
    digest, kept = store.load_calls(calls), open_store(os.environ, FILE)
    counted_by = f"{count.name}\n{count.exact}".encode()
    parts = stamp_code(), stamp_tokenizers(), counted_by, msgspec.json.encode(table), digest
    key = kept.make_key("report", *parts) if kept else b""
    if kept and (known := kept.get(key)) is not None:
        return msgspec.json.decode(zlib.decompress(seal(known, parts)), type=TapReport)
    # Texts of calls are many: to count each is faster than to look for it on disk.
    used = find_quick_counter(count.name)
    report = make_report([call.read_call() for call in calls], table=table, count=used)
    data = _encode_report(report) if kept and (used.name, used.exact) == (count.name, count.exact) else None
    if kept and data is not None:
        kept.put(key, seal(zlib.compress(data, 1), parts))
        kept.save()
    return report


def _encode_report(report: TapReport) -> bytes | None:
    """As JSON; None where what is read again would not be the same."""
    try:
        data = msgspec.json.encode(report)
    except UnicodeEncodeError:  # half a surrogate pair
        return None
    return data if msgspec.json.encode(msgspec.json.decode(data, type=TapReport)) == data else None
