"""A session publishes its sheets as lines; unchanged parts are named by their digest."""

import hashlib
from collections import deque
from collections.abc import Iterator
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import Raw, Struct
from msgspec.structs import asdict, replace

from ...model.struct import Frozen, note
from .compare_sheets import TurnRow
from .sheet import Sheet, SheetWithTools

VERSION = 1
MAX_PART_AGE = 200
"""A reader forgets a part that this many turns did not name; a writer that needs it writes it again."""
SEPARATE_FIELDS = frozenset(("blocks", "messages"))
"""Fields of a sheet whose items are separate parts."""


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


class PartRef(Struct, frozen=True, omit_defaults=True):
    """A field of a sheet: the digest of a part, of several, or the value itself."""

    part: str | None = None
    parts: tuple[str, ...] | None = None
    value: Raw = Raw()

    @property
    def names(self) -> tuple[str, ...]:
        """The digests of all its parts."""
        return (self.part,) if self.part is not None else self.parts or ()


class PublishedTurn(Frozen, frozen=True):
    """A turn, its sheet in parts."""

    row: TurnRow
    sheet: dict[str, PartRef]
    context: dict[str, PartRef]
    tools: PartRef


class PublishedLine(Struct, frozen=True, omit_defaults=True):
    """Any line but the first: a part, a turn or the end."""

    part: str | None = None
    value: Annotated[Raw, note("of the part")] = Raw()
    turn: Raw = Raw()
    ended: str | None = None


# Sheets -> lines. A part of an earlier turn is named by its digest, and not encoded again.


MAX_INLINE_BYTES = 200
"""A field up to this size is in the line of its turn."""


def write_header(header: PublishedHeader) -> bytes:
    """The first line."""
    return _encode_line(header)


def write_end(at: str) -> bytes:
    """The last line."""
    return _encode_line(PublishedLine(ended=at))


class LineWriter:
    """Writes the lines of one file, and knows which parts the file contains."""

    def __init__(self) -> None:
        self.turns = 0
        self.known: dict[str, int] = {}
        """The turn that last named each part."""
        self.refs: dict[str, tuple[Any, PartRef]] = {}
        """Each field of the previous turn with its reference: the same object is not encoded again."""

    def lines(self, shown: SheetWithTools, row: TurnRow) -> bytes:
        """The published lines of one more turn: its new parts, then the turn."""
        self.turns += 1
        out: list[bytes] = []
        context = dict(self._list_field_refs("context.", shown.sheet.context, out))
        sheet = dict(self._list_field_refs("", shown.sheet, out))
        turn = PublishedTurn(row, sheet, context, self._make_field_ref("tools as sent", shown.tools, out))
        out.append(_encode_line(PublishedLine(turn=Raw(msgspec.json.encode(turn)))))
        self._forget()
        return b"".join(out)

    def _list_field_refs(self, where: str, struct: Struct, out: list[bytes]) -> Iterator[tuple[str, PartRef]]:
        for name, value in asdict(struct).items():
            if where + name != "context":
                yield name, self._make_field_ref(where + name, value, out)

    def _make_field_ref(self, key: str, value: Any, out: list[bytes]) -> PartRef:
        """The published reference to a field of the sheet; a part that the file does not contain is written first."""
        previous = self.refs.get(key)
        ref = previous[1] if previous is not None and previous[0] is value else None
        if ref is None or any(name not in self.known for name in ref.names):
            ref = self._make_ref(key, value, out)
            self.refs[key] = value, ref
        self.known.update(dict.fromkeys(ref.names, self.turns))
        return ref

    def _make_ref(self, key: str, value: Any, out: list[bytes]) -> PartRef:
        if key in SEPARATE_FIELDS:
            # Every share changes when one section does; the reader computes it.
            texts = (msgspec.json.encode(replace(block, share=0.0)) for block in value)
            return PartRef(parts=tuple(self._publish_part(text, out) for text in texts))
        data = msgspec.json.encode(value)
        return PartRef(part=self._publish_part(data, out)) if len(data) > MAX_INLINE_BYTES else PartRef(value=Raw(data))

    def _publish_part(self, data: bytes, out: list[bytes]) -> str:
        """The digest of a part, whose line is written once."""
        name = hashlib.blake2b(data, digest_size=12).hexdigest()
        if name not in self.known:
            out.append(_encode_line(PublishedLine(part=name, value=Raw(data))))
        self.known[name] = self.turns
        return name

    def _forget(self) -> None:
        """Forget parts that no recent turn named; the reader keeps them twice as long."""
        if self.turns % (MAX_PART_AGE // 4) == 0:
            self.known = {name: turn for name, turn in self.known.items() if self.turns - turn < MAX_PART_AGE // 2}


def _encode_line(struct: Struct) -> bytes:
    return msgspec.json.encode(struct) + b"\n"


# Lines -> turns. Pure: the caller reads the bytes, and only whole lines are decoded.


MAX_DECODED_TURNS = 200
"""How many turns are decoded when many arrive at once: the newest."""
MAX_LINE_BYTES = 64 * 1024 * 1024
"""Bytes of a line; no writer makes a longer one."""

MAX_PART_BYTES = 4 * MAX_LINE_BYTES
"""Bytes of all parts that a reader keeps."""


class ShownTurn(NamedTuple):
    """A turn of a session or a page: its sheet with the tools, and its row of the history."""

    shown: SheetWithTools
    row: TurnRow


class LineReader:
    """Reads the lines of one file. Keeps only the parts that the newest turns name."""

    def __init__(self) -> None:
        self.header: PublishedHeader | None = None
        self.ended: str | None = None
        self.trouble: list[str] = []
        """Messages about unreadable lines; the caller takes them."""
        self.number = 0
        self.turns = 0
        self.lost = False
        """A turn named a part that was never read: reading began in the middle."""
        self._rest: list[bytes] = []
        self._parts: dict[str, bytes] = {}
        self._size = 0
        self._used: dict[str, int] = {}
        self._waiting: deque[tuple[PublishedTurn, dict[str, bytes]]] = deque(maxlen=MAX_DECODED_TURNS)
        """Turns that are not decoded yet, each with the parts that it names."""

    def feed(self, data: bytes) -> None:
        """Add more bytes of the published file. An incomplete line waits for its rest."""
        head, newline, tail = data.rpartition(b"\n")
        if newline:
            for line in b"".join((*self._rest, head)).split(b"\n"):
                self._take(line)
            self._rest = []
        self._rest.append(tail)
        if sum(map(len, self._rest)) > MAX_LINE_BYTES:
            self._rest = []
            self._report_bad_line(f"it is longer than {MAX_LINE_BYTES:,} bytes")

    def read(self) -> Iterator[ShownTurn]:
        """The published turns since the last call, oldest first; of many, only the newest."""
        while self._waiting:
            turn, parts = self._waiting.popleft()
            try:
                yield ShownTurn(_decode_sheet(turn, parts), turn.row)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as problem:
                self.trouble.append(f"turn {turn.row.turn} can't be read{self._describe_writer()}: {problem}")

    def _take(self, line: bytes) -> None:
        """Read a line of a published file."""
        self.number += 1
        try:
            if self.header is None:
                self.header = msgspec.json.decode(line, type=PublishedHeader)
            elif self.header.version == VERSION:
                self._take_line(msgspec.json.decode(line, type=PublishedLine))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as problem:
            self._report_bad_line(str(problem))

    def _take_line(self, line: PublishedLine) -> None:
        if line.part is not None and line.value:
            self._keep(line.part, bytes(line.value))
        elif line.turn:
            self._take_turn(msgspec.json.decode(line.turn, type=PublishedTurn))
        elif line.ended is not None:
            self.ended = line.ended

    def _keep(self, name: str, value: bytes) -> None:
        self._size += len(value)
        if self._size > MAX_PART_BYTES:
            self._forget()
        self._parts[name], self._used[name] = value, self.turns

    def _forget(self) -> None:
        """Forget parts that no recent turn named; if the rest is still too large, forget all."""
        known = {name: self._parts[name] for name, at in self._used.items() if self.turns - at < MAX_PART_AGE}
        self._size = sum(map(len, known.values()))
        if self._size > MAX_PART_BYTES:
            known, self._size = {}, 0
            self._report_bad_line(f"the parts before it have more than {MAX_PART_BYTES:,} bytes and were dropped")
        self._parts, self._used = known, {name: self._used[name] for name in known}

    def _take_turn(self, turn: PublishedTurn) -> None:
        """Keep a published turn until it is read, if all its parts are known."""
        self.turns += 1
        names = [name for ref in (*turn.sheet.values(), *turn.context.values(), turn.tools) for name in ref.names]
        missing = next((name for name in names if name not in self._parts), None)
        if missing is not None:
            self.lost = True
            self._report_bad_line(f"turn {turn.row.turn} names the part {missing!r:.40}, which does not exist")
            return
        self._used.update(dict.fromkeys(names, self.turns))
        self._waiting.append((turn, {name: self._parts[name] for name in names}))
        if self.turns % (MAX_PART_AGE // 4) == 0:
            self._forget()

    def _report_bad_line(self, why: str) -> None:
        self.trouble.append(f"line {self.number} can't be read{self._describe_writer()}: {why}")

    def _describe_writer(self) -> str:
        return f", written by Overture {self.header.by}" if self.header and self.header.by else ""


def _decode_sheet(turn: PublishedTurn, parts: dict[str, bytes]) -> SheetWithTools:
    fields = {name: _join_field_parts(ref, parts) for name, ref in turn.sheet.items()}
    fields["context"] = Raw(
        msgspec.json.encode({name: _join_field_parts(ref, parts) for name, ref in turn.context.items()})
    )
    sheet = msgspec.json.decode(msgspec.json.encode(fields), type=Sheet)
    tools = msgspec.json.decode(_join_field_parts(turn.tools, parts), type=str)
    # No line has the share of a block.
    total = sheet.tokens
    blocks = [replace(block, share=block.tokens / total if total else 0.0) for block in sheet.blocks]
    return SheetWithTools(replace(sheet, blocks=tuple(blocks)), tools)


def _join_field_parts(ref: PartRef, parts: dict[str, bytes]) -> Raw:
    if ref.parts is not None:
        return Raw(b"[" + b",".join(parts[name] for name in ref.parts) + b"]")
    return Raw(parts[ref.part]) if ref.part is not None else ref.value or Raw(b"null")
