"""What `overture tap export` writes: `{"run": …}` for each run, then `{"call": …, "wire": …}` for each call, whole."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from ..recorded_call import CallWire, RecordedCall, Run
from ..store.stored_calls_and_runs import StoredCall
from .log_entries import LogEntry, LogValue


def write_lines(runs: Iterable[Run], calls: Iterable[StoredCall]) -> Iterator[str]:
    """Each line with its end. Calls are read one by one: a store may be larger than the memory."""
    yield from (_encode_line({"run": msgspec.to_builtins(run)}) for run in runs)
    for call in calls:
        wire = call.read_wire()
        fields = {"call": msgspec.to_builtins(call.read_call())}
        yield _encode_line(fields if wire is None else {**fields, "wire": msgspec.to_builtins(wire)})


def _encode_line(fields: dict[str, Any]) -> str:
    """A line of Overture's own export."""
    line = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
    try:
        line.encode()
    except UnicodeEncodeError:  # half of a character, which only an escape can carry
        line = json.dumps(fields, separators=(",", ":"))
    return line + "\n"


def is_mine(value: Any) -> bool:
    """Whether a value is a line of an export."""
    named = set(value) if isinstance(value, dict) else set()
    return named in ({"run"}, {"call"}, {"call", "wire"}) and all(isinstance(each, dict) for each in value.values())


def read(values: Iterator[LogValue]) -> Iterator[LogEntry]:
    """The runs and calls, as they were."""
    for each in values:
        yield LogEntry(each.position, problem=each.problem) if each.problem else _make_entry(each)


def _make_entry(each: LogValue) -> LogEntry:
    """The run or the call of a line of the export."""
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
