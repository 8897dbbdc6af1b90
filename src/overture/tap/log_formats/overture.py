"""What `overture tap export` writes: runs, then calls, whole."""

from collections.abc import Iterator
from typing import Any

import msgspec

from ..call import CallWire, RecordedCall, Run
from ..importers.log import LogEntry, LogValue


def is_mine(value: Any) -> bool:
    """Whether a value is a line of an export."""
    named = set(value) if isinstance(value, dict) else set()
    return named in ({"run"}, {"call"}, {"call", "wire"}) and all(isinstance(each, dict) for each in value.values())


def read(values: Iterator[LogValue]) -> Iterator[LogEntry]:
    """The runs and calls, as they were."""
    for each in values:
        yield LogEntry(each.position, problem=each.problem) if each.problem else _make_entry(each)


def _make_entry(each: LogValue) -> LogEntry:
    if not is_mine(each.value):
        return LogEntry(each.position, problem='expected {"run": …} or {"call": …}')
    try:
        if "run" in each.value:
            run = msgspec.convert(each.value["run"], Run)
            return LogEntry(each.position, run=run)
        call = msgspec.convert(each.value["call"], RecordedCall)
        wire = msgspec.convert(each.value["wire"], CallWire) if "wire" in each.value else None
    except (msgspec.ValidationError, RecursionError, OverflowError) as problem:
        return LogEntry(each.position, problem=f"incomplete line of an export: {problem}")
    return LogEntry(each.position, call=call, on_wire=wire, name=call.id)
