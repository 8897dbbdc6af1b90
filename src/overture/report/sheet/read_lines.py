"""Lines -> turns. Pure: bytes come in as they were read, and whole lines alone count."""

from collections import deque
from collections.abc import Iterable, Iterator
from typing import NamedTuple

import msgspec
from msgspec import Raw
from msgspec.structs import replace

from .line import AGE, VERSION, Header, Line, PublishedTurn, Ref
from .sheet import Sheet, SheetBlock
from .turn_row import Shown, TurnRow

NEWEST = 200
"""Turns that are decoded when many come at once: the newest."""
LONGEST = 64 * 1024 * 1024
"""Bytes of a line; a longer one is nobody's."""

MOST = 4 * LONGEST
"""Bytes of parts that are kept."""


class Read(NamedTuple):
    """A turn that was published."""

    shown: Shown
    row: TurnRow


class Waiting(NamedTuple):
    """A turn that is not decoded yet, with the parts that it names."""

    turn: PublishedTurn
    parts: dict[str, bytes]


class Reading:
    """What was read of one file so far. Holds the parts that the newest turns name, and no more."""

    def __init__(self) -> None:
        self.header: Header | None = None
        self.ended: str | None = None
        self.trouble: list[str] = []
        """What could not be read, a line each; whoever asks takes them."""
        self.number = 0
        self.turns = 0
        self.lost = False
        """A turn named a part that was never read: somebody began in the middle."""
        self._rest: list[bytes] = []
        self._parts: dict[str, bytes] = {}
        self._size = 0
        self._used: dict[str, int] = {}
        self._waiting: deque[Waiting] = deque(maxlen=NEWEST)

    def feed(self, data: bytes) -> None:
        """Take more of the file. The half of a line waits for its other half."""
        head, found, tail = data.rpartition(b"\n")
        if found:
            for line in b"".join((*self._rest, head)).split(b"\n"):
                self._take(line)
            self._rest = []
        self._rest.append(tail)
        if sum(map(len, self._rest)) > LONGEST:
            self._rest = []
            self._bad(f"it goes on for more than {LONGEST:,} bytes")

    def read(self) -> Iterator[Read]:
        """The turns that came since, the oldest first; of many, the newest."""
        while self._waiting:
            waiting = self._waiting.popleft()
            try:
                yield Read(_shown(waiting), waiting.turn.row)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as problem:
                self.trouble.append(f"turn {waiting.turn.row.turn} can't be read{self._whose()}: {problem}")

    def _take(self, line: bytes) -> None:
        self.number += 1
        try:
            if self.header is None:
                self.header = msgspec.json.decode(line, type=Header)
            elif self.readable:
                self._told(msgspec.json.decode(line, type=Line))
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as problem:
            self._bad(str(problem))

    @property
    def readable(self) -> bool:
        """Whether its version is one that is known here."""
        return self.header is not None and self.header.version == VERSION

    def _told(self, line: Line) -> None:
        if line.part is not None and line.value:
            self._keep(line.part, bytes(line.value))
        elif line.turn:
            self._turn(msgspec.json.decode(line.turn, type=PublishedTurn))
        elif line.ended is not None:
            self.ended = line.ended

    def _keep(self, name: str, value: bytes) -> None:
        self._size += len(value)
        if self._size > MOST:
            self._forget()
        self._parts[name], self._used[name] = value, self.turns

    def _forget(self) -> None:
        """Parts that no turn named for long; and all of them, where they are more than turns need."""
        known = {name: self._parts[name] for name, at in self._used.items() if self.turns - at < AGE}
        self._size = sum(map(len, known.values()))
        if self._size > MOST:
            known, self._size = {}, 0
            self._bad(f"the parts before it have more than {MOST:,} bytes, and are forgotten")
        self._parts, self._used = known, {name: self._used[name] for name in known}

    def _turn(self, turn: PublishedTurn) -> None:
        self.turns += 1
        names = [name for ref in (*turn.sheet.values(), *turn.context.values(), turn.tools) for name in ref.names]
        missing = next((name for name in names if name not in self._parts), None)
        if missing is not None:
            self.lost = True
            self._bad(f"turn {turn.row.turn} names the part {missing!r:.40}, which is not there")
            return
        self._used.update(dict.fromkeys(names, self.turns))
        self._waiting.append(Waiting(turn, {name: self._parts[name] for name in names}))
        if self.turns % (AGE // 4) == 0:
            self._forget()

    def _bad(self, why: str) -> None:
        self.trouble.append(f"line {self.number} can't be read{self._whose()}: {why}")

    def _whose(self) -> str:
        return f", written by Overture {self.header.by}" if self.header and self.header.by else ""


def _shown(waiting: Waiting) -> Shown:
    turn, parts = waiting
    fields = {name: _raw(ref, parts) for name, ref in turn.sheet.items()}
    fields["context"] = Raw(msgspec.json.encode({name: _raw(ref, parts) for name, ref in turn.context.items()}))
    sheet = msgspec.json.decode(msgspec.json.encode(fields), type=Sheet)
    tools = msgspec.json.decode(_raw(turn.tools, parts), type=str)
    return Shown(replace(sheet, blocks=tuple(_shared(sheet.blocks, sheet.tokens))), tools)


def _raw(ref: Ref, parts: dict[str, bytes]) -> Raw:
    if ref.parts is not None:
        return Raw(b"[" + b",".join(parts[name] for name in ref.parts) + b"]")
    return Raw(parts[ref.part]) if ref.part is not None else ref.value or Raw(b"null")


def _shared(blocks: Iterable[SheetBlock], whole: int) -> Iterator[SheetBlock]:
    return (replace(block, share=block.tokens / whole if whole else 0.0) for block in blocks)
