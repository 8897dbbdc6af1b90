"""A recorded call, its wire (the request as it was sent), and the run that recorded it. Keys and cookies are hidden."""

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal

from ..lazy import lazy
from ..model.struct import Frozen, note
from ..providers.parsed_call import WARM_UP as WARM_UP
from ..providers.parsed_call import CallPiece as CallPiece
from ..providers.parsed_call import CallUsage as CallUsage
from ..providers.parsed_call import Form as Form
from ..providers.parsed_call import PieceKind as PieceKind
from ..providers.read.plain_data import a_dict, a_text, encode_canonical_json
from ..text.normalize import restore_bytes
from ..text.words import count_noun

BETAS = "anthropic-beta"
"""The header with the beta features that a request asks for, and the setting that holds them."""
Unheld = Literal["tool", "system", "message", "mark"]
"""What a log may not hold of a request: kinds of its pieces, and where it asks the provider to keep them."""
UNHELD_WORDS: dict[Unheld, str] = {
    "system": "the system prompt",
    "tool": "the tools",
    "message": "the messages",
    "mark": "its cache marks",
}
NO_DIFFERENCE = "no difference from the previous call"
"""What a provider means that diagnoses misses, and found none."""
DRY_RUN = "Overture-Dry-Run"
"""The header of a dry run's response: its token counts are not a provider's."""
Header = tuple[str, str]
Over = Literal["http", "websocket"]


class Run(Frozen, frozen=True):
    """One start of the tap, or one import."""

    id: str
    started: Annotated[str, note("ISO 8601 with offset")]
    program: Annotated[str, note("what was run, e.g. claude; or the file that was imported")] = ""
    command: Annotated[tuple[str, ...], note("the command line, without anything that looks like a secret")] = ()
    cwd: str = ""
    upstreams: Annotated[tuple[str, ...], note("addresses of the providers that calls may go to")] = ()
    ended: Annotated[str, note("ISO 8601 with offset; empty: still running, or killed")] = ""
    missing: Annotated[tuple[str, ...], note("what could not be recorded, and why")] = ()


class RecordedCall(Frozen, frozen=True, dict=True):
    """A recorded request with its response."""

    id: str
    at: Annotated[str, note("when it began, ISO 8601 with offset")]
    form: Form
    host: str
    path: str
    model: str
    status: Annotated[int, note("HTTP status; 0: no response")]
    pieces: Annotated[tuple[CallPiece, ...], note("in the order in which a cache sees them: tools, system, messages")]
    run: Annotated[str, note("the run or the import that recorded it")] = ""
    program: Annotated[str, note("what was run, e.g. claude")] = ""
    cwd: str = ""
    stream: bool = False
    first_ms: Annotated[float | None, note("until the first byte of the response")] = None
    whole_ms: float | None = None
    reply: Annotated[str, note("the text of the response")] = ""
    calls: Annotated[tuple[str, ...], note("the tools that the response calls")] = ()
    stop: Annotated[str, note("why the response ended, as the provider names it")] = ""
    usage: CallUsage | None = None
    diagnosis: Annotated[str | None, note("what the provider reports about its cache")] = None
    error: Annotated[str | None, note("the error that the provider or the connection reported")] = None
    missing: Annotated[tuple[str, ...], note("what could not be recorded, and why")] = ()
    key: Annotated[str, note("the program's own id of the conversation, if it sends one")] = ""
    settings: Annotated[dict[str, str], note("settings that a cache may depend on, each as JSON")] = {}
    others: Annotated[
        dict[str, str], note("other settings of the request, each as JSON: max_tokens, temperature, …")
    ] = {}
    reply_id: Annotated[str, note("the provider's id of the response")] = ""
    continues: Annotated[str, note("id of the stored response that the request continues")] = ""
    request_id: Annotated[str, note("the provider's id of the request, from the response headers")] = ""
    unknown: Annotated[tuple[Unheld, ...], note("what the imported log does not contain")] = ()
    dry_run: Annotated[bool, note("Overture answered it itself: no provider was called, and nothing was paid")] = False

    @property
    def is_answered(self) -> bool:
        """Whether the provider took it: what it refuses, it neither keeps nor charges."""
        return 0 < self.status < 400

    @property
    def status_words(self) -> str:
        """`status 529`, or that nothing came."""
        return f"status {self.status}" if self.status else "no response"

    @property
    def is_warm_up(self) -> bool:
        """Whether it only has the provider take in what the next call begins with: no model answers."""
        return self.stop == WARM_UP

    @property
    def offers_tools(self) -> bool:
        """Whether the recorded call let the model call a tool."""
        return bool(self.select_pieces("tool"))

    def select_pieces(self, kind: PieceKind) -> tuple[CallPiece, ...]:
        """The recorded call's pieces of a kind."""
        return self._by_kind[kind]

    @lazy
    def marked_pieces(self) -> tuple[CallPiece, ...]:
        """The pieces behind which the request sets a cache mark."""
        return tuple([piece for piece in self.pieces if piece.mark])

    @lazy
    def _by_kind(self) -> dict[PieceKind, tuple[CallPiece, ...]]:
        """The pieces of the recorded call, by kind."""
        kinds = [piece.kind for piece in self.pieces]
        first, last = kinds.count("tool"), kinds.count("tool") + kinds.count("system")
        if kinds == ["tool"] * first + ["system"] * (last - first) + ["message"] * (len(kinds) - last):
            # In this order, as nearly always, each kind is one stretch, which is cut out at once.
            return {"tool": self.pieces[:first], "system": self.pieces[first:last], "message": self.pieces[last:]}
        by_kind: dict[PieceKind, list[CallPiece]] = {"tool": [], "system": [], "message": []}
        for piece in self.pieces:
            by_kind[piece.kind].append(piece)
        return {kind: tuple(pieces) for kind, pieces in by_kind.items()}


class CallWire(Frozen, frozen=True):
    """One request and its answer, as they passed."""

    method: str
    path: Annotated[str, note("with its query, whose values are hidden unless they are known to be harmless")]
    scheme: Annotated[str, note("of the upstream: http or https")] = "https"
    request_headers: Annotated[tuple[Header, ...], note("in order; what may be a key is [hidden]")] = ()
    response_headers: tuple[Header, ...] = ()
    over: Annotated[Over, note("websocket: the request is as it would have been over HTTP")] = "http"
    request: Annotated[
        str | None, note("the decoded body; a byte that is not UTF-8 is U+DC00 plus that byte. null: not recorded")
    ] = None

    @property
    def body(self) -> bytes:
        """The body of the request as bytes."""
        return restore_bytes(self.request or "")


MAX_ERROR_CHARS = 200


def shorten_call_error(error: str | None) -> str:
    """An error on one line."""
    return " ".join((error or "").split())[:MAX_ERROR_CHARS]


def describe_midway_error(error: str | None) -> str:
    """The error of a response that had begun, with a status of success."""
    return f"failed during the response: {shorten_call_error(error)}" if error else ""


def read_previous_message(others: Mapping[str, str]) -> str:
    """The id of the response that a request asks to be compared with."""
    if "diagnostics" not in others:
        return ""
    try:
        return a_text(a_dict(json.loads(others["diagnostics"])).get("previous_message_id"))
    except (ValueError, RecursionError):
        return ""


def describe_diagnosis(diagnosis: Any, others: Mapping[str, str]) -> str | None:
    """The diagnosis field of a recorded call: the provider's name of the cache miss, and how many tokens missed."""
    if diagnosis is None:
        return None
    if not diagnosis:
        # A first call has no diagnosis.
        return NO_DIFFERENCE if read_previous_message(others) else None
    if a_dict(diagnosis).get("cache_miss_reason", diagnosis) is None:
        return "not known yet"
    reason = a_dict(a_dict(diagnosis).get("cache_miss_reason"))
    name = a_text(reason.get("type"))
    missed = reason.get("cache_missed_input_tokens")
    if not name:
        return encode_canonical_json(diagnosis)
    return f"{name} ({count_noun(missed, 'token')} missed)" if isinstance(missed, int) else name
