"""What a request and a response hold, whatever the provider: pieces, text, calls and counts, as frozen data."""

from typing import Annotated, Any, Literal, NamedTuple

from ..model.message import Usage
from ..model.struct import Frozen, note
from .read.plain_data import Data

Form = Literal["anthropic", "openai-chat", "openai-responses", "gemini", "bedrock", "ollama"]
PieceKind = Literal["tool", "system", "message"]
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

    @property
    def tokens(self) -> Usage:
        """The same as a session adds it up: what is not said counts for nothing."""
        return Usage(self.input or 0, self.output or 0, self.read or 0, self.written or 0)


class RequestContent(NamedTuple):
    """What a request says."""

    model: str = ""
    pieces: tuple[CallPiece, ...] = ()
    key: str = ""
    stream: bool = False
    settings: dict[str, str] = {}
    continues: str = ""
    missing: tuple[str, ...] = ()
    stop: str = ""
    """Why there is no answer to be, where the request wants none."""


class ResponseCall(NamedTuple):
    """A call in a response, in the provider's form."""

    data: Any
    name: str
    own: bool = False
    """The caller gives no result: the provider answers it, or wants an answer in a form of its own."""


class ResponseContent(NamedTuple):
    """What a response says. It is read without complaint: what is not there is empty."""

    text: str = ""
    calls: tuple[ResponseCall, ...] = ()
    stop: str = ""
    data: Data = {}
    """The response itself."""
    id: str = ""
    diagnosis: Any = None
    error: str = ""
    model: str = ""
    missing: tuple[str, ...] = ()
    blocks: tuple[Data, ...] = ()
    """The blocks as they came; of a form without blocks, its one message."""

    @property
    def call_names(self) -> tuple[str, ...]:
        """The tools that it calls."""
        return tuple(call.name for call in self.calls)


class JoinedEvents(NamedTuple):
    """What the events of a stream add up to: a response as it would have come whole, and what is wrong with it."""

    data: Data
    error: str = ""
    missing: tuple[str, ...] = ()
