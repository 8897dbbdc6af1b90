"""A call in a store: everything but its texts, which are read on demand."""

import json
import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import msgspec

from ..call import CallWire, RecordedCall
from ..times import EPOCH
from .database import Row, as_blob, wrap_read_errors
from .piece_columns import read_text_numbers

if TYPE_CHECKING:
    from .store import Store

UNSTORABLE = re.compile("[\\\\\x00\ud800-\udfff]")


def escape_column(text: str) -> str:
    r"""A text without NUL and halves of characters, of which PostgreSQL holds neither; no two texts become the same."""
    return UNSTORABLE.sub(lambda m: "\\\\" if m[0] == "\\" else f"\\u{ord(m[0]):04x}", text)


def to_microseconds(at: datetime) -> int:
    """Since 1970. What names no zone is in that of the machine."""
    passed = at.astimezone(UTC) - EPOCH
    return (passed.days * 86_400 + passed.seconds) * 1_000_000 + passed.microseconds


def parse_microseconds(at: str) -> int:
    """An ISO time in microseconds; of what is none, such as a log may hold, now: it was seen now."""
    try:
        return to_microseconds(datetime.fromisoformat(at))
    except (ValueError, OverflowError):
        return to_microseconds(datetime.now(UTC))


COLUMNS = "head, reply, sorts, pieces"


class StoredCall:
    """A call of a store."""

    __slots__ = ("_store", "head", "row")

    def __init__(self, store: "Store", row: Row) -> None:
        self._store, self.row = store, row
        """The columns as they are kept."""
        with wrap_read_errors(store.where):
            self.head = _read_head(as_blob(row[0]))
        """The call without its pieces and its reply."""

    @property
    def id(self) -> str:
        """Of the call."""
        return self.head.id

    @property
    def texts(self) -> list[int]:
        """The numbers of the texts that it sent and got."""
        with wrap_read_errors(self._store.where):
            if not isinstance(self.row[1], int):
                raise TypeError("a call refers to a text by something other than a number")
            return [self.row[1], *read_text_numbers(as_blob(self.row[3]))]

    def read_call(self) -> RecordedCall:
        """The call, with its texts. Calls of one conversation share what they have in common."""
        _, reply, sorts, pieces = self.row
        with wrap_read_errors(self._store.where):
            found = self._store.read_pieces(as_blob(pieces), sorts)
            text = self._store.read_texts([reply])[reply]
        return msgspec.structs.replace(self.head, pieces=found, reply=text)

    def read_wire(self) -> CallWire | None:
        """How it was on the wire; None where that was not kept."""
        return self._store.read_wire(self.id)


def encode_head(call: RecordedCall) -> bytes:
    """The call as JSON without its pieces and its reply."""
    fields = msgspec.to_builtins(msgspec.structs.replace(call, pieces=(), reply=""))
    del fields["pieces"]
    return write_json(fields).encode()


def _read_head(data: bytes) -> RecordedCall:
    """The call again, without its pieces. msgspec refuses what it would read otherwise than Python, such as NaN."""
    whole = data[:-1] + b',"pieces":[]}' if data.endswith(b"}") else data
    try:
        return msgspec.json.decode(whole, type=RecordedCall)
    except (msgspec.MsgspecError, UnicodeDecodeError):
        found: RecordedCall = read_json(data, RecordedCall, pieces=())
        return found


def write_json(value: object) -> str:
    """JSON in ASCII: halves of characters are written as escapes, which no other form of it could hold."""
    return json.dumps(value, separators=(",", ":"))


def read_json(data: bytes | str, kind: type[Any], **more: object) -> Any:
    """A struct again."""
    return msgspec.convert({**json.loads(data), **more}, kind)
