"""Logs -> calls in a store, keys hidden. Calls already in the store are skipped; unreadable ones are reported.

A log's content decides its form, not its name.
"""

import gzip
import hashlib
import json
import os
import re
import shlex
import time
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from io import BufferedReader
from itertools import chain, islice
from typing import IO, Any, NamedTuple, cast

import msgspec
from msgspec.structs import replace

from ..errors import printable
from ..terminal.output import open_standard_input
from .log_formats import claude_code, codex, har
from .log_formats.log_entries import GZIP_MAGIC, NEVER, ImportedLog, LogEntry, LogForm, LogValue, decode_log_json
from .recorded_call import CallWire, RecordedCall, Run
from .store.store import Store
from .wire.hide_secrets import clean_call
from .wire.read_call import read_call_and_wire

SKIPPED = frozenset((".git", "node_modules", "__pycache__", ".venv"))
IDLE_SECONDS = 600.0
"""A log that was not written to for so many seconds is no longer in use."""
INPUT = "-"


FORMAT_NAMES: dict[LogForm, str] = {
    "har": "HAR",
    "claude-code": "Claude Code's transcript",
    "codex": "Codex's transcript",
}
"""The forms, in words."""
FORMS: tuple[LogForm, ...] = tuple(FORMAT_NAMES)


class LogFile(NamedTuple):
    """A log that may be read."""

    path: str
    is_named: bool
    """By the user, and not only as a part of a folder."""


def find_logs(paths: tuple[str, ...]) -> Iterator[LogFile]:
    """The files; those of folders in the order of their names."""
    for path in paths:
        if path == INPUT or not os.path.isdir(path):
            yield LogFile(path, True)
            continue
        for folder, below, names in os.walk(path):
            below[:] = sorted(name for name in below if name not in SKIPPED)
            yield from (LogFile(os.path.join(folder, name), False) for name in sorted(names))


def is_idle(path: str) -> bool:
    """Whether it was not written to for some time."""
    try:
        return path == INPUT or time.time() - os.stat(path).st_mtime > IDLE_SECONDS
    except OSError:
        return True


@contextmanager
def open_log(log: LogFile) -> Iterator[IO[bytes]]:
    """Its bytes, unpacked. In a folder, only plain files are opened: a pipe would have us wait for ever."""
    if not log.is_named and not os.path.isfile(log.path):
        raise OSError("not a regular file")
    with nullcontext(open_standard_input("Pass a file.")) if log.path == INPUT else open(log.path, "rb") as file:  # noqa: PTH123
        if cast(BufferedReader, file).peek(2)[:2] == GZIP_MAGIC:
            with gzip.open(file) as inner:
                yield cast(IO[bytes], inner)
        else:
            yield file


MAX_VALUE_BYTES = 512 << 20
"""Bytes of one line or document."""
FLOW = re.compile(rb"\d{1,12}:")
"""How the files begin that mitmproxy writes: a length and a colon."""
TAB = 9
MAX_TRIED_LINES = 8
"""Lines that are tried before a text is taken for one document."""


class FlowFileError(ValueError):
    """A file in the format of mitmproxy itself, which is not read."""


def read_values(stream: IO[bytes]) -> Iterator[LogValue]:
    """The values, each with its position. A line that is no JSON is reported, and the others are read."""
    head = stream.read(16)
    if FLOW.match(head):
        raise FlowFileError
    if any(byte < TAB for byte in head):
        yield LogValue("the file", problem="not UTF-8 text")
        return
    lines = _split_lines(head, stream)
    first = _read_first_lines(lines)
    if not first:
        return
    if any(_is_value(line) for _, line in first):
        yield from _parse_lines(chain(first, lines))
    else:
        yield from _parse_document(b"".join(line for _, line in chain(first, lines)))


def _split_lines(head: bytes, stream: IO[bytes]) -> Iterator[tuple[int, bytes]]:
    """The lines that are not empty, with their numbers."""
    rest, number = head.removeprefix(b"\xef\xbb\xbf"), 0
    *complete, rest = rest.split(b"\n")
    for line in complete:
        number += 1
        yield number, line + b"\n"
    while line := rest + stream.readline(MAX_VALUE_BYTES):
        number, rest = number + 1, b""
        yield number, line


def _read_first_lines(lines: Iterator[tuple[int, bytes]]) -> list[tuple[int, bytes]]:
    """The first lines, up to one that is a value by itself."""
    first: list[tuple[int, bytes]] = []
    for pair in lines:
        if pair[1].strip():
            first.append(pair)
            if _is_value(pair[1]) or len(first) == MAX_TRIED_LINES:
                break
    return first


def _is_value(line: bytes) -> bool:
    """Whether a line is an object or a list of its own; a bracket alone opens a document."""
    return line.strip()[:1] in (b"{", b"[") and not _parse_line(line)[1]


def _parse_line(line: bytes) -> tuple[Any, str]:
    """The value of a line, and what is wrong where it has none."""
    try:
        return decode_log_json(line.decode("utf-8", "replace")), ""
    except RecursionError:
        return None, "nested too deeply"
    except ValueError as problem:
        return None, f"invalid JSON: {problem}"


def _parse_lines(lines: Iterator[tuple[int, bytes]]) -> Iterator[LogValue]:
    for number, line in lines:
        if not line.strip():
            continue
        value, problem = (
            _parse_line(line) if len(line) < MAX_VALUE_BYTES else (None, f"longer than {MAX_VALUE_BYTES >> 20} MB")
        )
        # The last line of a log that is in use may be half written; it is read when it is whole.
        if not problem or line.endswith(b"\n") or len(line) >= MAX_VALUE_BYTES:
            yield LogValue(f"line {number}", value, problem)


def _parse_document(data: bytes) -> Iterator[LogValue]:
    """One value, over many lines."""
    value, problem = (
        _parse_line(data) if len(data) <= MAX_VALUE_BYTES else (None, f"longer than {MAX_VALUE_BYTES >> 20} MB")
    )
    yield LogValue("the document", value, problem)


def detect_format(value: Any) -> LogForm | None:
    """The form of a log that has this value."""
    if har.is_mine(value):
        return "har"
    if claude_code.is_mine(value):
        return "claude-code"
    return "codex" if codex.is_mine(value) else None


def read_log(form: LogForm, values: Iterator[LogValue], finished: bool = True) -> Iterator[LogEntry]:
    """The entries of a log of that form. `finished`: it is no longer written to."""
    if form == "har":
        return har.read(values)
    return claude_code.read(values, finished) if form == "claude-code" else codex.read(values, finished)


MAX_PROBED_VALUES = 400
"""Values by which a log's form is known: before its first word, a transcript may hold notes of other kinds."""
MAX_WAITING_CALLS = 20
"""Calls that are written together."""
UNREADABLE = (
    OSError, EOFError, zlib.error, ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError,
    MemoryError,
)  # fmt: skip
"""What reading a foreign log may raise: damaged packed data, values of unexpected types."""
FLOW_FILE = "this is a mitmproxy flow file. Export it as HAR: mitmdump -nr {path} --set hardump=out.har"
NO_TIME = "the log does not contain its time"
ID_LENGTH = 12


Taken = tuple[RecordedCall, CallWire | None]
"""A call, and how it was on the wire."""


def read_logged_call(entry: LogEntry) -> Taken | None:
    """The call, without an id, with the facts that only the log has; None if it is no request to a model."""
    if entry.raw_call is None:
        return None if entry.call is None else (entry.call, None)
    taken = read_call_and_wire(entry.raw_call, "", Run("", ""))
    if taken is None:
        return None
    call = replace(taken[0], error=taken[0].error or entry.error or None)
    if not entry.raw_call.request:
        missing = tuple(each for each in call.missing if not each.startswith("the request's body"))
        call = replace(call, unknown=("tool", "system", "message", "mark"), missing=missing)
    return call, taken[1]


class Importer:
    """Takes logs into a store."""

    def __init__(self, store: Store, cwd: str = "", program: str = "") -> None:
        """Import logs into a store; `cwd` is for calls that name none, `program` for all calls."""
        self.store, self.cwd, self.program = store, cwd, program
        self.on_progress: Callable[[int], None] = lambda _: None
        self.runs = {run.id: run for run in store.list_runs()}
        self._waiting: dict[str, tuple[LogEntry, Taken]] = {}
        """Calls that are not in the store yet, unless they are there from an earlier import."""

    def import_log(self, log: LogFile, form: LogForm | None = None) -> ImportedLog:
        """Take one log; its form is known by what stands in it, unless it is given."""
        done = ImportedLog(log.path)
        try:
            with open_log(log) as stream:
                values = read_values(stream)
                first, done.form = ([], form) if form else _read_first_values(values)
                if done.form is None:
                    done.refused = _describe_unknown_log(first)
                    return done
                self._read_values(done, chain(first, values))
        except FlowFileError:
            done.refused = FLOW_FILE.format(path="FILE" if log.path == INPUT else shlex.quote(log.path))
        except UNREADABLE as problem:
            message = getattr(problem, "strerror", None) or str(problem) or type(problem).__name__
            done.refused = f"can't be read{' further' if done.calls else ''}: {printable(message)[:200].lower()}"
        finally:
            self._end_runs(done)
        return done

    def _read_values(self, done: ImportedLog, values: Iterator[LogValue]) -> None:
        assert done.form is not None
        try:
            for entry in read_log(done.form, values, is_idle(done.path)):
                self._take_entry(done, entry)
                self.on_progress(done.calls)
        finally:
            self._write_waiting(done)

    def _take_entry(self, done: ImportedLog, entry: LogEntry) -> None:
        """Take one entry of a log: a problem, a run, or a call."""
        if entry.problem:
            done.add_problem(entry.position, entry.problem)
        elif entry.is_waiting:
            done.waiting += 1
        else:
            taken = read_logged_call(entry)
            if taken is None:
                done.others += 1
            else:
                self._add_call(done, entry, *taken)

    def _add_call(self, done: ImportedLog, entry: LogEntry, call: RecordedCall, wire: CallWire | None) -> None:
        """Add a call of a log to those that are written together, under an id by its content."""
        call = clean_call(call)
        if call.at == NEVER:
            call = replace(call, missing=(*call.missing, NO_TIME))
        # By all that a log contains of it, the same call has the same id, wherever it is imported.
        id = _make_id(entry.name or json.dumps(msgspec.to_builtins(call), sort_keys=True))
        done.calls += 1
        if id in self._waiting:
            self._write_waiting(done)
        self._waiting[id] = entry, (call, wire)
        # A call with its wire may be large.
        if wire is not None or len(self._waiting) == MAX_WAITING_CALLS:
            self._write_waiting(done)

    def _write_waiting(self, done: ImportedLog) -> None:
        """Write calls together; for calls already in the store, only their runs are noted."""
        waiting, self._waiting = self._waiting, {}
        runs, new = self.store.find_runs([*waiting]), list[Taken]()
        for id, (entry, (call, wire)) in waiting.items():
            if id in runs:
                done.there += 1
                done.add_run(runs[id])
                continue
            run = self._find_run(done, entry, id, call).id
            program = self.program or call.program
            new.append((replace(call, id=id, run=run, cwd=call.cwd or self.cwd, program=program), wire))
            done.note_call(run, call.at)
        if new:
            self.store.add_all(new)

    def _find_run(self, done: ImportedLog, entry: LogEntry, id: str, call: RecordedCall) -> Run:
        """The run of a call: its session's, or the log's; a log that has grown keeps its run."""
        name = _make_id(entry.session, "i") if entry.session else next(iter(done.runs), "") or _make_id(id, "i")
        if name not in self.runs:
            command_line = ("import", done.path if done.path != INPUT else "standard input")
            run = Run(name, call.at, self.program or call.program, command_line, call.cwd or self.cwd)
            self.runs[name] = self.store.add_run(run)
        return self.runs[name]

    def _end_runs(self, done: ImportedLog) -> None:
        for name, last in done.last.items():
            run = self.runs.get(name)
            if run is not None and last > run.ended:
                self.store.end_run(name, last)
                self.runs[name] = replace(run, ended=last)


def _read_first_values(values: Iterator[LogValue]) -> tuple[list[LogValue], LogForm | None]:
    """The first values, up to one by which the log's form is known, and that form."""
    first: list[LogValue] = []
    for value in islice(values, MAX_PROBED_VALUES):
        first.append(value)
        if form := detect_format(value.value):
            return first, form
    return first, None


def _make_id(text: str, before: str = "") -> str:
    """The id of an imported call, the same whenever it is imported again."""
    return before + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:ID_LENGTH]


def _describe_unknown_log(values: list[LogValue]) -> str:
    """Why a log is not imported: its format is unknown, or it is empty."""
    names = ", ".join(f"{FORMAT_NAMES[form]} ({form})" for form in FORMS)
    if not values:
        return f"the file is empty. Supported formats: {names}"
    wrong = values[0].problem
    example = f" ({values[0].position}: {printable(wrong)[:120]})" if wrong else ""
    return f"unknown log format{example}. Supported formats: {names}. Pass --as FORM to set the format"
