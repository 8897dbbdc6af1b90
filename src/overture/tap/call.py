"""A recorded call, and the run that recorded it. Keys and cookies are not in it."""

from typing import Annotated, Any, Literal

from ..model.struct import Frozen, note


class Run(Frozen, frozen=True):
    """One start of the tap, or one import."""

    id: str
    started: Annotated[str, note("ISO 8601 with offset")]
    program: Annotated[str, note("what was run, e.g. claude; or the file that was imported")] = ""
    command: Annotated[tuple[str, ...], note("as it was started; what looks like a secret is not in it")] = ()
    cwd: str = ""
    upstreams: Annotated[tuple[str, ...], note("the providers, by address, to which calls may go")] = ()
    ended: Annotated[str, note("ISO 8601 with offset; empty: it runs, or it was killed")] = ""
    missing: Annotated[tuple[str, ...], note("what could not be recorded, and why")] = ()


Form = Literal["anthropic", "openai-chat", "openai-responses", "gemini", "bedrock", "ollama"]
PieceKind = Literal["tool", "system", "message"]
Unheld = Literal["tool", "system", "message", "mark"]
"""What a log may not hold of a request: kinds of its pieces, and where it asks the provider to keep them."""
WARM_UP = "generate: false"
"""Why there is no answer to a request that only prepares the next one."""


class CallPiece(Frozen, frozen=True):
    """A part of a request: a tool, a text of the system prompt, a part of a message."""

    kind: PieceKind
    name: Annotated[str, note("of a tool, or the role that speaks")]
    text: Annotated[str, note("as it is sent; of what is structured, its JSON in the order of its keys")]
    what: Annotated[str, note("of a message: text, tool call, tool result, thinking, image, document, …")] = "text"
    mark: Annotated[bool, note("the request asks the provider to keep everything up to here")] = False
    message: Annotated[int | None, note("which message it is a part of, from 0 on")] = None
    ttl: Annotated[str, note("of a mark: how long it asks for, where it says so")] = ""


class CallUsage(Frozen, frozen=True):
    """What the provider says that it counted."""

    input: Annotated[int | None, note("all tokens that went in, those from the cache included")] = None
    read: Annotated[int | None, note("of them, read from the cache")] = None
    written: Annotated[int | None, note("of them, written to the cache")] = None
    output: int | None = None
    hour: Annotated[int | None, note("of those written, how many are kept for an hour")] = None
    raw: Annotated[dict[str, Any], note("in the provider's own words")] = {}
    tier: Annotated[str, note("the service tier that answered, where the provider says so")] = ""
    searches: Annotated[int, note("web searches that the answer reports")] = 0
    unpriced: Annotated[tuple[str, ...], note("tools of the provider that the answer used, and that cost extra")] = ()


class RecordedCall(Frozen, frozen=True):
    """One request and its answer."""

    id: str
    at: Annotated[str, note("when it began, ISO 8601 with offset")]
    form: Form
    host: str
    path: str
    model: str
    status: Annotated[int, note("of HTTP; 0: no answer came")]
    pieces: Annotated[tuple[CallPiece, ...], note("in the order in which a cache sees them: tools, system, messages")]
    run: Annotated[str, note("the run of the tap, or of the import, that saw it")] = ""
    program: Annotated[str, note("what was run, e.g. claude")] = ""
    cwd: str = ""
    stream: bool = False
    first_ms: Annotated[float | None, note("until the first byte of the answer")] = None
    whole_ms: float | None = None
    reply: Annotated[str, note("the text of the answer")] = ""
    calls: Annotated[tuple[str, ...], note("the tools that the answer calls")] = ()
    stop: Annotated[str, note("why the answer ended, in the provider's word")] = ""
    usage: CallUsage | None = None
    diagnosis: Annotated[str | None, note("the provider's own words about its cache")] = None
    error: Annotated[str | None, note("what the provider or the way to it said was wrong")] = None
    missing: Annotated[tuple[str, ...], note("what could not be recorded, and why")] = ()
    key: Annotated[str, note("what the program itself calls the conversation, where it says so")] = ""
    settings: Annotated[dict[str, str], note("what the request sets that a cache may look at, each as JSON")] = {}
    others: Annotated[dict[str, str], note("what else the request says, each as JSON: max_tokens, temperature, …")] = {}
    reply_id: Annotated[str, note("what the provider calls its answer")] = ""
    continues: Annotated[str, note("the answer that the request goes on from, which the provider holds")] = ""
    request_id: Annotated[str, note("what the provider calls the request, in the headers of its answer")] = ""
    unknown: Annotated[tuple[Unheld, ...], note("what the log that it was imported from does not hold")] = ()

    @property
    def answered(self) -> bool:
        """Whether the provider took it: what it refuses, it neither keeps nor charges."""
        return 0 < self.status < 400

    @property
    def warms_up(self) -> bool:
        """Whether it only has the provider take in what the next call begins with: no model answers."""
        return self.stop == WARM_UP

    def of(self, *kinds: PieceKind) -> tuple[CallPiece, ...]:
        """The pieces of these kinds."""
        return tuple(piece for piece in self.pieces if piece.kind in kinds)
