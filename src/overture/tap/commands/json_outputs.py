"""The JSON of the tap's commands as types, of which schemas are made."""

from types import GenericAlias
from typing import Any, NotRequired, TypedDict

import msgspec

from ..attribute.files_of_call import FilesOfCall, SentFile, UnsentFile
from ..judge.prompt_sections import RequestPart
from ..judge.report_data import TapReport
from ..log_formats.log_entries import LogForm
from ..recorded_call import Header, Over, RecordedCall, Run
from .list_command import CALL_TEXTS


class WireOutput(TypedDict):
    """A call as it was sent and received: headers and body."""

    method: str
    url: str
    over: Over
    request_headers: list[Header]
    response_headers: list[Header]
    request: str | None


class ReportedRun(TypedDict):
    """A run whose calls are in the report."""

    id: str
    program: str
    started: str
    ended: str | None


class SentFileOutput(SentFile, frozen=True, kw_only=True):
    """A file that was sent, and a sentence about it."""

    says: str


class UnsentFileOutput(UnsentFile, frozen=True, kw_only=True):
    """A file that was not sent, and a sentence about it."""

    says: str


class CallFilesSummary(TypedDict):
    """The files of a call, with a sentence about each."""

    call: str
    share: float | None
    sent: list[SentFileOutput]
    unsent: list[UnsentFileOutput]
    notes: list[str]
    problem: str


class TapReportOutput(TapReport, frozen=True, kw_only=True, omit_defaults=False):
    """`overture tap report --json`."""

    runs: list[ReportedRun]
    runs_since: int
    last_run_without_call: str | None
    files: CallFilesSummary | None


class TapParts(TypedDict):
    """The parts of a request."""

    tokens: int
    sections: list[RequestPart]
    tools: list[RequestPart]
    messages: list[RequestPart]


class CallFilesOutput(FilesOfCall, frozen=True):
    """The files of a call."""

    problem: str = ""


class TapShowOutput(TypedDict):
    """`overture tap show --json`."""

    call: RecordedCall
    parts: TapParts
    tokenizer: str
    files: CallFilesOutput
    wire: WireOutput | None


def make_list_type() -> Any:
    """`overture tap list --json`: calls without their texts; `found` is where `--grep` found its words."""
    make: Any = TypedDict  # of fields that are only known here
    fields: dict[str, Any] = {"found": NotRequired[str]}
    for field in msgspec.structs.fields(RecordedCall):
        if field.encode_name not in CALL_TEXTS:
            fields[field.encode_name] = field.type if field.required else NotRequired[field.type]
    rows = GenericAlias(list, (make("ListedCall", fields),))
    return make("TapListOutput", {"runs": list[Run], "calls": rows})


class TapImportOutput(TypedDict):
    """A log in `overture tap import --json`."""

    path: str
    form: LogForm | None
    calls: int
    there: int
    others: int
    waiting: int
    unread: int
    problems: list[str]
    refused: str
    runs: list[str]
    new: int
