"""Codex's transcripts: the conversation, item by item, and token counts after each response."""

from collections.abc import Iterator
from typing import Any

from msgspec.structs import replace

from ...providers import openai_responses
from ...providers.openai_shared import SYSTEM_ROLES
from ...providers.parsed_call import read_count
from ...providers.read.plain_data import Data, a_dict, a_text, dicts, without
from ..recorded_call import CallPiece, CallUsage, Form, RecordedCall, Unheld
from ..wire.hide_secrets import clean_data
from .log_entries import NEVER, LogEntry, LogValue, describe_unheld, format_iso, measure_ms, read_lines

KINDS = ("session_meta", "turn_context", "response_item", "event_msg", "compacted", "token_usage_record", "world_state")
OWN_KEYS = ("internal_chat_message_metadata_passthrough", "metadata")
"""What Codex adds to an item for itself."""
MODELS = ("reasoning", "function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call")
FORM: Form = "openai-responses"
LOG = "the transcript"
SENT_KINDS = ("session_meta", "turn_context", "response_item")
"""Lines behind the last of which a request was sent."""


def is_mine(value: Any) -> bool:
    """Whether a value is a line of a transcript."""
    line = a_dict(value)
    return line.get("type") in KINDS and isinstance(line.get("payload"), dict) and "timestamp" in line


def read(values: Iterator[LogValue], finished: bool = True) -> Iterator[LogEntry]:
    """The responses with the messages before them. A response without counts is still being written."""
    return read_lines(CodexTranscript(), values, finished)


class CodexTranscript:
    """A transcript as its lines come."""

    def __init__(self) -> None:
        self.session = self.thread = self.model = self.cwd = ""
        self.pieces: list[CallPiece] = []
        self.items = self.answers = 0
        self.is_opening = True
        self.sent_at: Any = None
        self.answer_start: str | None = None
        """Where the answer begins that is not counted yet."""
        self.sent_pieces: tuple[CallPiece, ...] | None = None
        self.answer_items: list[Data] = []
        self.totals: Any = None
        self.has_records = False

    def end(self, finished: bool) -> Iterator[LogEntry]:
        """An answer that is not counted yet is still being written."""
        if self.answer_start is not None and not finished:
            yield LogEntry(self.answer_start, is_waiting=True)

    def take_line(self, position: str, line: Data) -> Iterator[LogEntry]:
        """One more line; the answer that it ends."""
        kind, payload = line.get("type"), a_dict(line.get("payload"))
        if kind == "session_meta":
            self._begin_session(payload)
        elif kind == "turn_context":
            self.model, self.cwd = a_text(payload.get("model")) or self.model, a_text(payload.get("cwd")) or self.cwd
        elif kind == "compacted":
            self._compact(payload)
        elif kind == "response_item":
            self._add_item(position, payload)
        elif kind == "token_usage_record":
            self.has_records = True
            yield from self._end_answer(
                position, a_dict(payload.get("usage")), a_text(payload.get("response_id")), line
            )
        elif kind == "event_msg" and payload.get("type") == "token_count":
            yield from self._take_counts(position, a_dict(payload.get("info")), line)
        if self.answer_start is None and kind in SENT_KINDS:
            self.sent_at = line.get("timestamp") or self.sent_at

    def _begin_session(self, payload: Data) -> None:
        """How a session begins; a resumed one may begin again with the same words."""
        self.session = self.session or a_text(payload.get("session_id")) or a_text(payload.get("id"))
        self.thread = self.thread or a_text(payload.get("id"))
        self.cwd = a_text(payload.get("cwd")) or self.cwd
        instructions = payload.get("base_instructions") or payload.get("instructions")
        text = a_text(a_dict(instructions).get("text")) or a_text(instructions)
        if text and not any(piece.kind == "system" and piece.text == text for piece in self.pieces):
            self.pieces.insert(0, CallPiece("system", "system", text))

    def _compact(self, payload: Data) -> None:
        """The messages were summed up: what stands in their place is in the line."""
        summary = {"type": "message", "role": "user", "content": payload.get("message")}
        history = dicts(payload.get("replacement_history"))
        # Without a whole history, what stood before the first word of a user is sent again.
        kept_kinds = ("system",) if history else SYSTEM_ROLES
        self.pieces = [piece for piece in self.pieces if piece.kind == "system" and piece.name in kept_kinds]
        self.items, self.is_opening = 0, True
        for item in history or [summary]:
            self._add_pieces(item)

    def _add_item(self, position: str, item: Data) -> None:
        """Add an item of the transcript to the conversation; those of the model are an answer."""
        is_models = item.get("type") in MODELS or item.get("role") == "assistant"
        if is_models and self.answer_start is None:
            self.answer_start, self.sent_pieces = position, tuple(self.pieces)
        if is_models:
            self.answer_items.append(item)
        self._add_pieces(item)

    def _add_pieces(self, item: Data) -> None:
        if item.get("type") in ("configuration_update", "ghost_snapshot"):
            return
        role = a_text(item.get("role"))
        self.is_opening = self.is_opening and role in SYSTEM_ROLES
        for piece in openai_responses.read_request({"input": [without(item, *OWN_KEYS)]}).pieces:
            kind = piece.kind if self.is_opening or piece.kind != "system" else "message"
            self.pieces.append(replace(piece, kind=kind, message=None if self.is_opening else self.items))
        self.items += 1

    def _take_counts(self, position: str, info: Data, line: Data) -> Iterator[LogEntry]:
        """Counts as older versions write them: also without an answer, and again where nothing is new."""
        totals = info.get("total_token_usage")
        if not self.has_records and totals != self.totals and totals:
            self.totals = totals
            yield from self._end_answer(position, a_dict(info.get("last_token_usage")), "", line)

    def _end_answer(self, position: str, usage: Data, name: str, line: Data) -> Iterator[LogEntry]:
        self.answers += 1
        call = self._make_call(usage, name, line)
        own = f"codex {self.thread} {name or (self.answers, line.get('timestamp'))}"
        yield LogEntry(self.answer_start or position, call=call, name=own, session=self.session)
        self.answer_start, self.sent_pieces, self.answer_items = None, None, []

    def _make_call(self, usage: Data, name: str, line: Data) -> RecordedCall:
        pieces = tuple(self.pieces) if self.sent_pieces is None else self.sent_pieces
        response = openai_responses.read_response({"output": self.answer_items})
        system = any(piece.kind == "system" and piece.name == "system" for piece in pieces)
        unknown: tuple[Unheld, ...] = ("tool",) if system else ("tool", "system")
        return RecordedCall(
            id="", at=format_iso(self.sent_at) or NEVER, form=FORM, host="", path="", model=self.model,
            status=200, pieces=pieces, program="codex", cwd=self.cwd, stream=True,
            whole_ms=measure_ms(self.sent_at, line.get("timestamp")), reply=response.text, calls=response.call_names,
            usage=_read_usage(usage), missing=describe_unheld(LOG, unknown, FORM), key=self.session, reply_id=name,
            unknown=unknown,
        )  # fmt: skip


def _read_usage(counts: Data) -> CallUsage | None:
    names = ("input_tokens", "cached_input_tokens", "cache_write_input_tokens", "output_tokens")
    total, read, written, out = (read_count(counts.get(name)) for name in names)
    return None if total is None else CallUsage(total, read, written, out, None, clean_data(counts))
