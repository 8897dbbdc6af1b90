"""What a request and a response hold, whatever the provider: pieces, text, calls and counts, as frozen data."""

from typing import Annotated, Any, Literal, NamedTuple

from ..model.struct import Frozen, note
from .read.plain_data import Data

Form = Literal["anthropic", "openai-chat", "openai-responses", "gemini", "bedrock", "ollama"]
PieceKind = Literal["tool", "system", "message"]
WARM_UP = "generate: false"
"""Why there is no answer to a request that only prepares the next one."""


class CallPiece(Frozen, frozen=True):
    """A part of a request: a tool, a text of the system prompt, a part of a message."""

    kind: PieceKind
    name: Annotated[str, note("name of a tool, or role of a message")]
    text: Annotated[str, note("as sent; structured content as JSON in the order of its keys")]
    what: Annotated[str, note("kind of message: text, tool call, tool result, thinking, image, document, …")] = "text"
    mark: Annotated[bool, note("the request sets a cache mark here")] = False
    message: Annotated[int | None, note("index of its message, from 0")] = None
    ttl: Annotated[str, note("lifetime that a cache mark requests, if any")] = ""


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
