"""The report on recorded calls, from disk where it was made before; and the files behind its main call."""

import os
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

import msgspec

from ...discover.load_tokenizer import find_counter, find_quick_counter
from ...discover.stored.code_stamps import stamp_code, stamp_tokenizers
from ...discover.stored.encrypted_and_shared_results import SealedResult
from ...discover.stored.signed_result_store import open_result_store, use_store
from ...known_models.model_facts import TableForm
from ...tokens.counter import Counter
from ..judge.report_data import TapReport, make_report
from ..recorded_call import RecordedCall
from ..store.store import Store
from ..store.stored_calls_and_runs import StoredCall

if TYPE_CHECKING:
    from .describe_call_files import CallFilesView

FILE = "tap/reports"
"""Below the cache folder: a file of its own, as many calls would push what other commands keep out of theirs."""


def find_report_counter(tokenizer: str | None = None) -> Counter:
    """The counter of that name, loaded only if needed: a stored report needs no counting."""
    with use_store(os.environ, FILE):
        return find_counter(tokenizer)


def recall_report(store: Store, calls: Sequence[StoredCall], table: TableForm, count: Counter) -> TapReport:
    """The report on calls, in whatever order they come: from disk where the same calls were reported before.

    It is found by a digest of the calls, the table of models, the counter and our code: one call more, or another text
    in one of them, is another report.
    """
    digest, kept = store.load_calls(calls), open_result_store(os.environ, FILE)
    counted_by = f"{count.name}\n{count.exact}".encode()
    parts = stamp_code(), stamp_tokenizers(), counted_by, msgspec.json.encode(table), digest
    decode = partial(msgspec.json.decode, type=TapReport)
    result = SealedResult[TapReport](kept, "report", parts, decode) if kept else None
    if result and (known := result.read()) is not None:
        return known
    # Texts of calls are many: to count each is faster than to look for it on disk.
    used = find_quick_counter(count.name)
    report = make_report([call.read_call() for call in calls], table=table, count=used)
    if result and (used.name, used.exact) == (count.name, count.exact):
        result.write(report)
    return report


def make_file_lines(call: RecordedCall | None) -> Iterator[str]:
    """Lines of the report: the files behind the last call of the main conversation."""
    files = view_files(call)
    if files is not None and (lines := list(files.make_lines())):
        yield f"files of {files.call.id}: {files.describe_share()}".rstrip(": ")
        yield from (f"  {line}" for line in lines)


def view_files(call: RecordedCall | None) -> "CallFilesView | None":
    """The files behind a call; None where there is none, or it sent nothing."""
    if call is None or not call.pieces:
        return None
    from .describe_call_files import CallFilesView

    return CallFilesView(call)


def read_main_call(calls: Sequence[StoredCall], report: TapReport) -> RecordedCall | None:
    """The last call of the newest conversation that is a main one."""
    conversations = [each for each in report.conversations if each.name.startswith("main")] or list(
        report.conversations
    )
    ids = {call_report.id for call_report in conversations[-1].calls} if conversations else set()
    return next((call.read_call() for call in reversed(calls) if call.id in ids), None)
