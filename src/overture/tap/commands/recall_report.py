"""The report on recorded calls, and the files behind its main call."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ...discover.load_tokenizer import find_counter
from ...known_models.model_facts import TableForm
from ...tokens.counter import Counter
from ..judge.report_data import TapReport, make_report
from ..recorded_call import RecordedCall
from ..store.store import Store
from ..store.stored_calls_and_runs import StoredCall

if TYPE_CHECKING:
    from .describe_call_files import CallFilesView


def find_report_counter(tokenizer: str | None = None) -> Counter:
    """The counter of that name."""
    return find_counter(tokenizer)


def recall_report(store: Store, calls: Sequence[StoredCall], table: TableForm, count: Counter) -> TapReport:
    """The report on calls, in whatever order they come."""
    store.load_calls(calls)
    return make_report([call.read_call() for call in calls], table=table, count=count)


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
