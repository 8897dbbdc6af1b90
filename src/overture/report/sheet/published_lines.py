"""A session publishes its sheets as lines of JSON: a header, a line for each turn, and the end."""

from typing import Annotated, NamedTuple

import msgspec
from msgspec import Struct

from ...model.struct import Frozen, note
from .compare_sheets import TurnRow
from .sheet import Sheet, SheetWithTools

VERSION = 2
MAX_LINE_BYTES = 64 * 1024 * 1024
"""Bytes of a line; no writer makes a longer one."""


class PublishedHeader(Struct, frozen=True, omit_defaults=True):
    """The first line. Fields of later versions are ignored."""

    version: int
    id: str
    pid: int
    started: Annotated[str, note("ISO 8601")]
    by: Annotated[str, note("the version of Overture")] = ""
    recipe: Annotated[str, note("as requested; empty: from the configuration")] = ""
    cwd: str = ""
    title: Annotated[str, note("the task of a sub-agent; else the last part of cwd")] = ""
    parent: Annotated[str | None, note("the parent session of a sub-agent")] = None
    restarts: Annotated[int, note("how often the file was restarted, because it grew too large")] = 0


class PublishedTurn(Frozen, frozen=True):
    """A turn, with all that the page shows of it."""

    row: TurnRow
    sheet: Sheet
    tools: str


class PublishedLine(Struct, frozen=True, omit_defaults=True):
    """Any line but the first: a turn or the end."""

    turn: PublishedTurn | None = None
    ended: str | None = None


def write_header(header: PublishedHeader) -> bytes:
    """The first line."""
    return _encode_line(header)


def write_turn(shown: SheetWithTools, row: TurnRow) -> bytes:
    """The line of a turn. It depends on no other line: a reader may begin anywhere."""
    return _encode_line(PublishedLine(PublishedTurn(row, shown.sheet, shown.tools)))


def write_end(at: str) -> bytes:
    """The last line."""
    return _encode_line(PublishedLine(ended=at))


def _encode_line(struct: Struct) -> bytes:
    return msgspec.json.encode(struct) + b"\n"


class ShownTurn(NamedTuple):
    """A turn of a session or a page: its sheet with the tools, and its row of the history."""

    shown: SheetWithTools
    row: TurnRow


class LineReader:
    """Reads the lines of one file; only whole lines are decoded."""

    def __init__(self) -> None:
        self.header: PublishedHeader | None = None
        self.ended: str | None = None
        self.trouble: list[str] = []
        """Messages about unreadable lines; the caller takes them."""
        self.number = 0
        self._rest: list[bytes] = []

    def feed(self, data: bytes) -> list[ShownTurn]:
        """The turns in more bytes of the published file. An incomplete line waits for its rest."""
        head, newline, tail = data.rpartition(b"\n")
        turns: list[ShownTurn] = []
        if newline:
            lines = b"".join((*self._rest, head)).split(b"\n")
            turns, self._rest = [turn for line in lines if (turn := self._take(line))], []
        self._rest.append(tail)
        if sum(map(len, self._rest)) > MAX_LINE_BYTES:
            self._rest = []
            self._report_bad_line(f"it is longer than {MAX_LINE_BYTES:,} bytes")
        return turns

    def _take(self, line: bytes) -> ShownTurn | None:
        """The turn in a line of a published file, if it has one."""
        self.number += 1
        try:
            if self.header is None:
                self.header = msgspec.json.decode(line, type=PublishedHeader)
            elif self.header.version == VERSION:
                known = msgspec.json.decode(line, type=PublishedLine)
                self.ended = known.ended or self.ended
                if (turn := known.turn) is not None:
                    return ShownTurn(SheetWithTools(turn.sheet, turn.tools), turn.row)
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as problem:
            self._report_bad_line(str(problem))
        return None

    def _report_bad_line(self, why: str) -> None:
        by = f", written by Overture {self.header.by}" if self.header and self.header.by else ""
        self.trouble.append(f"line {self.number} can't be read{by}: {why}")
