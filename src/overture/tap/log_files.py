"""Opens the logs that a user names, and reads their JSON values. A log's content decides its form, not its name."""

import gzip
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from io import BufferedReader
from itertools import chain
from typing import IO, Any, NamedTuple, cast

from ..discover.disk.open_file import open_standard_input
from .log_formats import claude_code, codex, har
from .log_formats.log_entries import GZIP_MAGIC, LogEntry, LogForm, LogValue, decode_log_json

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
