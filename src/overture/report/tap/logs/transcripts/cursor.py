"""Cursor's transcripts: what was said, line by line, without counts, without tools and without what tools answered."""

import hashlib
from collections.abc import Iterator
from typing import Any, NamedTuple

from ...call import Call, CallPiece, Form, Unheld
from ...read_call import anthropic
from ...read_call.parts import typed_pieces
from ...read_call.wire.plain_values import Data, a_dict, a_text, as_json, dicts
from ..found import NOTHING_BESIDE, Beside, Found, Value, not_held
from ..times import NEVER
from .cursor_kept import KeptMessages
from .cursor_words import query_of, said_at, text_of
from .line_by_line import line_by_line

ROLES = ("user", "assistant")
ENDED = "turn_ended"
WELL = ("success", "completed", "")
FORM: Form = "anthropic"
"""Its parts are written in that form; what is sent to Cursor's own servers has another, and is closed."""
LOG = "the transcript"
NO_COUNTS = f"{LOG} does not hold what was counted, and of times only the minute in which the user spoke"
NO_RESULTS = f"{LOG} does not hold what tools answered, nor what Cursor adds to the user's words"
LAST_MODEL = "the model is the one that the session used last: the answer itself names none"


def is_mine(value: Any) -> bool:
    """Whether a value is a line of a transcript."""
    line = a_dict(value)
    said = line.get("role") in ROLES and "content" in a_dict(line.get("message")) and "type" not in line
    return said or (line.get("type") == ENDED and "status" in line)


def read(values: Iterator[Value], settled: bool = True, beside: Beside = NOTHING_BESIDE) -> Iterator[Found]:
    """The answers with what was said before them; one is whole when a line follows, or when nobody writes any more."""
    return line_by_line(Transcript(beside), values, settled)


class Answer(NamedTuple):
    """An answer, and what is known of how it was asked for."""

    place: str
    name: str
    content: Any
    sent: tuple[CallPiece, ...]
    unknown: tuple[Unheld, ...]
    missing: tuple[str, ...]
    model: str


class Transcript:
    """A transcript as its lines come."""

    def __init__(self, beside: Beside) -> None:
        self.beside, self.kept = beside, KeptMessages(beside)
        self.pieces: list[CallPiece] = []
        self.messages = 0
        self.at = self.query = ""
        self.open: Answer | None = None
        self.waits = False
        """A user spoke, and nobody has answered."""
        self.so_far = hashlib.sha256()

    def take(self, place: str, line: Data) -> Iterator[Found]:
        """One more line; the answer that it ends."""
        if not is_mine(line):
            yield Found(place)
            return
        role, message = line.get("role"), a_dict(line.get("message"))
        self.so_far.update(as_json(line).encode("utf-8", "replace"))
        wrong = self._wrong(line)
        if wrong and self.open is None and self.waits:
            self.open, self.waits = self._answer(place, None), False
        yield from self._close(wrong)
        if role == "user":
            self.at = said_at(text_of(message.get("content"))) or self.at
            self.query, self.waits = query_of(message.get("content")), True
        elif role == "assistant":
            self.open, self.waits = self._answer(place, message.get("content")), False
        if role in ROLES:
            self.pieces += typed_pieces(message.get("content"), "message", str(role), self.messages)
            self.messages += 1
        if self.kept.found:
            # From here on the store counts, with what tools answered, and behind it the transcript.
            self.pieces, self.kept.found = list(self.kept.so_far), False
            self.messages = 1 + max((piece.message or 0 for piece in self.pieces), default=-1)

    def _wrong(self, line: Data) -> str:
        """What went wrong in a turn that ended so."""
        if line.get("type") != ENDED or a_text(line.get("status")).lower() in WELL:
            return ""
        said = a_text(line.get("error")) or a_text(a_dict(line.get("error")).get("message"))
        return f"the turn ended: {a_text(line.get('status'))}{': ' * bool(said)}{said}"

    def _answer(self, place: str, content: Any) -> Answer:
        name = f"cursor {self.beside.session} {self.so_far.hexdigest()}"
        kept = self.kept.before(self.query, content) if content is not None else None
        unknown: tuple[Unheld, ...] = ("tool", "system", "message", "mark")
        if kept is None:
            system = () if self.pieces and self.pieces[0].kind == "system" else self.kept.system
            unknown = tuple(each for each in unknown if each != "system" or not self.kept.system)
            told = tuple(each for each in unknown if each != "message")
            missing = (*not_held(LOG, told, FORM), NO_RESULTS, NO_COUNTS)
            model = self.beside.model
            return Answer(place, name, content, (*system, *self.pieces), unknown, missing, model)
        system = tuple(piece for piece in kept.pieces if piece.kind == "system")
        unknown = ("tool", "mark") if system else ("tool", "system", "mark")
        missing = (*not_held(LOG, unknown, FORM), *kept.missing, NO_COUNTS)
        unknown = (*unknown, "message") if kept.missing else unknown
        return Answer(place, name, content, kept.pieces, unknown, missing, kept.model or self.beside.model)

    def _close(self, wrong: str = "") -> Iterator[Found]:
        if self.open is not None:
            session = self.beside.parent or self.beside.session
            yield Found(self.open.place, self._call(self.open, wrong), name=self.open.name, session=session)
        self.open = None

    def _call(self, answer: Answer, wrong: str) -> Call:
        said = anthropic.answered({"content": typed(answer.content)})
        missing = answer.missing
        if answer.model and answer.model == self.beside.model:
            missing = (*missing, LAST_MODEL)
        return Call(
            id="", at=self.at or NEVER, form=FORM, host="", path="", model=answer.model,
            status=0 if answer.content is None else 200, pieces=answer.sent, program="cursor-agent", stream=True,
            reply=said.reply, calls=said.calls, error=wrong or None, missing=missing, key=self.beside.session,
            unknown=answer.unknown,
        )  # fmt: skip

    def end(self, settled: bool) -> Iterator[Found]:
        """What is still open at the end."""
        if self.open is not None and not settled:
            yield Found(self.open.place, waits=True)
        else:
            yield from self._close()


def typed(content: Any) -> list[Data]:
    """A content as parts."""
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(dicts(content))
