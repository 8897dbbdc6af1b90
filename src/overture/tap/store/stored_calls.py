"""Calls and runs in a store: a call is found by its id or its words, and its texts are read on demand."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import msgspec

from ...errors import StoreError, find_similar, show_value
from ...text.secrets.find import hide_secrets
from ..call import CallWire, RecordedCall, Run
from ..wire.storable_values import EPOCH
from .database import Database, Row, as_blob, batch_values, wrap_read_errors
from .stored_texts import read_text_numbers

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
            restored = self._store.read_pieces(as_blob(pieces), sorts)
            text = self._store.read_texts([reply])[reply]
        return msgspec.structs.replace(self.head, pieces=restored, reply=text)

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
        head: RecordedCall = read_json(data, RecordedCall, pieces=())
        return head


def write_json(value: object) -> str:
    """JSON in ASCII: halves of characters are written as escapes, which no other form of it could hold."""
    return json.dumps(value, separators=(",", ":"))


def read_json(data: bytes | str, kind: type[Any], **more: object) -> Any:
    """A struct again."""
    return msgspec.convert({**json.loads(data), **more}, kind)


SECRET_OPTION = re.compile(r"(?i)(?:^|[-_.])(?:api[-_]?key|key|token|secret|password|passwd|auth|bearer|cookie)s?$")
SECRET_ASSIGNMENT = re.compile(
    r"(?i)((?:authorization|[\w-]*(?:key|token|secret|password|cookie))\s*[:=]\s*).+", re.DOTALL
)
URL_CREDENTIALS = re.compile(r"(?<=://)[^/@\s]*:[^/@\s]*@")
HIDDEN = "…"


def clean_command(words: Iterable[str]) -> Iterator[str]:
    """Each word; what an option such as --api-key is given, what stands in an address before @, and keys are hidden."""
    hide_next = False
    for word in words:
        option = word.startswith("-")
        if hide_next and not option:
            yield HIDDEN
        else:
            yield hide_secrets(URL_CREDENTIALS.sub(f"{HIDDEN}@", SECRET_ASSIGNMENT.sub(rf"\1{HIDDEN}", word)))
        hide_next = option and SECRET_OPTION.search(word) is not None


def insert_run(database: Database, run: Run) -> None:
    """Add a run; the very same may be there already."""
    there = database.run("SELECT about FROM runs WHERE id = ?", (escape_column(run.id),))
    if not there:
        sql = "INSERT INTO runs (id, started, about) VALUES (?, ?, ?)"
        database.run(sql, (escape_column(run.id), parse_microseconds(run.started), _encode_run(run)))
    elif as_blob(there[0][0]) != _encode_run(run):
        raise StoreError(
            f"Another run has the id {show_value(run.id)} in {database.where!r}.",
            hint="Use a unique id.",
        )


def end_run(database: Database, id: str, ended: str, missing: Iterable[str]) -> None:
    """Note when it ended, and what is missing of it."""
    rows = database.run("SELECT about FROM runs WHERE id = ?", (escape_column(id),))
    if not rows:
        raise StoreError(f"No run has the id {show_value(id)} in {database.where!r}.", hint="Add the run first.")
    run = _decode_run(database, rows[0][0])
    over = msgspec.structs.replace(run, ended=ended, missing=(*run.missing, *missing))
    database.run("UPDATE runs SET about = ? WHERE id = ?", (_encode_run(over), escape_column(id)))


def read_runs(database: Database) -> tuple[Run, ...]:
    """All of them, oldest first."""
    rows = database.run("SELECT about FROM runs ORDER BY started, number")
    return tuple(_decode_run(database, about) for (about,) in rows)


def _encode_run(run: Run) -> bytes:
    return write_json(msgspec.to_builtins(run)).encode()


def _decode_run(database: Database, about: bytes) -> Run:
    with wrap_read_errors(database.where):
        run: Run = read_json(as_blob(about), Run)
    return run


def find_id(database: Database, start: str) -> str:
    """The id, as it is kept, of the only call whose id is this or begins so."""
    prefix = escape_column(start)
    if start and database.run("SELECT 1 FROM calls WHERE id = ?", (prefix,)):
        return prefix
    sql = "SELECT id FROM calls WHERE substr(id, 1, ?) = ? ORDER BY began DESC, number DESC LIMIT 4"
    ids = [str(id) for (id,) in database.run(sql, (len(prefix), prefix))]
    if not ids:
        raise StoreError(
            f"No call in {database.where!r} has an id that begins with {show_value(start)}.",
            tip=_find_similar_id(database, start),
            hint="`overture tap list` lists them.",
        )
    if len(ids) > 1 or not start:
        some = ", ".join(ids[:3]) + (", …" if len(ids) > 3 else "")
        raise StoreError(f"Several call ids begin with {show_value(start)}: {some}.", hint="Pass more characters.")
    return ids[0]


def _find_similar_id(database: Database, start: str) -> str:
    """Of the newest ids the one that is most like it."""
    rows = database.run("SELECT id FROM calls ORDER BY began DESC, number DESC LIMIT 500")
    return find_similar(start, [str(id) for (id,) in rows])


BATCH_SIZE = 200
"""Texts that are in memory at once."""
EXCERPT_MARGIN = 30
"""Characters that are shown on either side."""
Where = Literal["error", "answer", "message", "system", "tool"]


class WordPosition(NamedTuple):
    """Where words stand in a call."""

    where: Where
    name: str
    """Of a tool; of a message, its role, or its kind if it is no text."""
    excerpt: str

    @property
    def label(self) -> str:
        """`user: …run npm test before…`."""
        name = {"message": self.name, "tool": f"tool {self.name}"}.get(self.where, self.where)
        return f"{name}: {self.excerpt}"


def search(
    store: "Store", calls: Sequence[StoredCall], words: str, margin: int = EXCERPT_MARGIN
) -> dict[str, WordPosition]:
    """The first place of these words in each call that holds them, by the call's id; large and small letters are alike.

    Looked through are all that was sent, what was answered, and the error.
    """
    wanted = words.casefold()
    numbers = sorted({number for call in calls for number in call.texts})
    matches = {
        number
        for some in batch_values(numbers, BATCH_SIZE)
        for number, text in store.read_texts(some).items()
        if wanted in text.casefold()
    }
    holding = (
        call for call in calls if matches.intersection(call.texts) or wanted in (call.head.error or "").casefold()
    )
    positions = {call.id: _find_position(call, wanted, margin) for call in holding}
    return {id: position for id, position in positions.items() if position}


def _find_position(call: StoredCall, wanted: str, margin: int) -> WordPosition | None:
    """Where they stand, with what is around them; the newest message first, for the older ones are in older calls."""
    full_call = call.read_call()
    messages = [piece for piece in full_call.pieces if piece.kind == "message"]
    texts: list[tuple[Where, str, str]] = [("error", "", full_call.error or ""), ("answer", "", full_call.reply)]
    texts += [("message", p.what if p.what not in ("", "text") else p.name, p.text) for p in reversed(messages)]
    texts += [(p.kind, p.name, p.text) for p in full_call.pieces if p.kind != "message"]
    found = ((where, name, text) for where, name, text in texts if wanted in text.casefold())
    return next((WordPosition(where, name, _make_excerpt(text, wanted, margin)) for where, name, text in found), None)


def _make_excerpt(text: str, wanted: str, margin: int) -> str:
    at = text.casefold().find(wanted)
    start, end = max(at - margin, 0), at + len(wanted) + margin
    return f"{'…' * (start > 0)}{' '.join(text[start:end].split())}{'…' * (end < len(text))}"
