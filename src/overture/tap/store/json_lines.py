"""A store as lines of JSON, and back: `{"run": …}` for each run, then `{"call": …, "wire": …}` for each call, whole."""

import json
from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

import msgspec

from ...errors import StoreError, show_value
from ..call import CallWire, RecordedCall, Run
from ..log_formats.overture import is_mine
from .stored_call import StoredCall


class LineStore(Protocol):
    """What lines are written from, and read into."""

    def list_calls(self) -> tuple[StoredCall, ...]:
        """All calls."""
        ...

    def list_runs(self) -> tuple[Run, ...]:
        """All runs."""
        ...

    def add(self, call: RecordedCall, wire: CallWire | None = None) -> bool:
        """Keep a call; false where it is there already."""
        ...

    def add_run(self, run: Run) -> Run:
        """Keep a run, without the secrets in its command."""
        ...


KINDS: dict[str, type[Run] | type[RecordedCall]] = {"run": Run, "call": RecordedCall}


class LinesResult(NamedTuple):
    """What came of lines that were taken."""

    runs: int
    calls: int
    already_stored: int
    """Calls that were in the store already."""
    problems: tuple[str, ...]
    """The lines that could not be taken, and why."""


def write_lines(store: LineStore, calls: Iterable[StoredCall] | None = None) -> Iterator[str]:
    """Each line with its end. Calls are read one by one: a store may be larger than the memory."""
    stored = store.list_calls() if calls is None else tuple(calls)
    runs = {call.head.run for call in stored}
    for run in store.list_runs():
        if calls is None or run.id in runs:
            yield _encode_line("run", run)
    for call in stored:
        wire = call.read_wire()
        yield _encode_line("call", call.read_call(), {} if wire is None else {"wire": msgspec.to_builtins(wire)})


def _encode_line(kind: str, value: Run | RecordedCall, more: Mapping[str, Any] = MappingProxyType({})) -> str:
    fields = {kind: msgspec.to_builtins(value), **more}
    line = json.dumps(fields, ensure_ascii=False, separators=(",", ":"))
    try:
        line.encode()
    except UnicodeEncodeError:  # half of a character, which only an escape can carry
        line = json.dumps(fields, separators=(",", ":"))
    return line + "\n"


def add_lines(store: LineStore, lines: Iterable[str | bytes]) -> LinesResult:
    """Take lines; what is there already is passed over."""
    counts, there, problems = {"run": 0, "call": 0}, 0, []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            kind, value, wire = _decode_line(line)
            new = store.add(value, wire) if isinstance(value, RecordedCall) else bool(store.add_run(value))
        except (ValueError, RecursionError, StoreError) as problem:
            problems.append(f"line {number}: {problem}")
            continue
        counts[kind] += new
        there += not new
    return LinesResult(counts["run"], counts["call"], there, tuple(problems))


def _decode_line(line: str | bytes) -> tuple[str, Run | RecordedCall, CallWire | None]:
    found = json.loads(line)
    if not is_mine(found):
        raise ValueError(f'expected {{"run": …}} or {{"call": …}}, got {show_value(line)}')
    kind = "run" if "run" in found else "call"
    wire = msgspec.convert(found["wire"], CallWire) if "wire" in found else None
    return kind, msgspec.convert(found[kind], KINDS[kind]), wire
