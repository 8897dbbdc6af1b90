"""The content of a request and a response of any provider: pieces, text, calls and counts, as frozen data."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Literal, NamedTuple

from ..model.message import Usage
from ..model.struct import Frozen, note
from .read.plain_data import Data, a_dict, a_text

Form = Literal["anthropic", "openai-chat", "openai-responses", "gemini", "bedrock", "ollama"]
PieceKind = Literal["tool", "system", "message"]
WARM_UP = "generate: false"
"""Why a request that only prepares the next one gets no answer."""


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
    """The content of a request."""

    model: str = ""
    pieces: tuple[CallPiece, ...] = ()
    key: str = ""
    stream: bool = False
    settings: dict[str, str] = {}
    continues: str = ""
    missing: tuple[str, ...] = ()
    stop: str = ""
    """Why the request gets no answer; empty for a request that gets one."""


class ResponseCall(NamedTuple):
    """A call in a response, in the provider's form."""

    data: Any
    name: str
    own: bool = False
    """The caller passes no result: the provider runs the call, or wants a result in a form of its own."""


class ResponseContent(NamedTuple):
    """The content of a response. Reading never fails: a missing field is empty."""

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
    """The blocks as received; in a form without blocks, its one message."""

    @property
    def call_names(self) -> tuple[str, ...]:
        """The names of the tools that the response calls."""
        return tuple(call.name for call in self.calls)


class JoinedEvents(NamedTuple):
    """The whole response that the events of a stream make up, its error, and what is missing."""

    data: Data
    error: str = ""
    missing: tuple[str, ...] = ()


MAX_COUNT = 2**53
"""From here on not every JSON reader can represent an integer."""
TRAFFIC = "on_demand_"
FREE = ("web_search_requests", "web_fetch_requests", "tool_search_requests")
"""Counts of Anthropic's own tools that are priced, or free."""
READ = (
    "cache_read_input_tokens",
    "cacheReadInputTokens",
    "cached_tokens",
    "cachedContentTokenCount",
    "cached_content_token_count",
    "prompt_cache_hit_tokens",
)
WRITTEN = ("cache_creation_input_tokens", "cacheWriteInputTokens", "cache_write_tokens", "cache_creation_tokens")


class CallUsage(Frozen, frozen=True):
    """The token counts that the provider reports."""

    input: Annotated[int | None, note("all input tokens, including those from the cache")] = None
    read: Annotated[int | None, note("input tokens read from the cache")] = None
    written: Annotated[int | None, note("input tokens written to the cache")] = None
    output: int | None = None
    hour: Annotated[int | None, note("written tokens that are kept for an hour")] = None
    raw: Annotated[dict[str, Any], note("as the provider reports it")] = {}
    tier: Annotated[str, note("the service tier, if the provider reports it")] = ""
    searches: Annotated[int, note("web searches that the response reports")] = 0
    unpriced: Annotated[tuple[str, ...], note("provider tools that the response used and that cost extra")] = ()

    @property
    def tokens(self) -> Usage:
        """The same as a session adds it up: a missing count is 0."""
        return Usage(self.input or 0, self.output or 0, self.read or 0, self.written or 0)


def read_count(value: Any) -> int | None:
    """A number of tokens; None for a text, and for a negative, infinite or too large number."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return int(value) if is_number and 0 <= value < MAX_COUNT else None


def find_count(data: Any, *names: str) -> int | None:
    """The first valid count under these names."""
    return next((count for name in names if (count := read_count(a_dict(data).get(name))) is not None), None)


def find_count_within(usage: Data, names: tuple[str, ...]) -> int | None:
    """The first valid count under these names, at the top or in the details."""
    tables = (usage, *(value for value in usage.values() if isinstance(value, dict)))
    return next((count for table in tables if (count := find_count(table, *names)) is not None), None)


def _add_counts(counts: Iterable[int | None]) -> int | None:
    """The sum of the known counts; None if none is known."""
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


def make_usage(
    usage: Data,
    response: Data,
    *,
    input: Iterable[int | None],
    output: Iterable[int | None],
    read: int | None = None,
    written: int | None = None,
    searches: int = 0,
    unpriced: Iterable[str] = (),
) -> CallUsage | None:
    """The counts of a call; None if neither input nor output is known.

    `input` and `output` are added up. Cache counts may have another provider's names: gateways mix them.
    """
    total, received = _add_counts(input), _add_counts(output)
    if total is None and received is None:
        return None
    counted = find_count(usage.get("server_tool_use"), "web_search_requests")
    other_read, other_written = find_count_within(usage, READ), find_count_within(usage, WRITTEN)
    return CallUsage(
        total,
        read or (read if other_read is None else other_read),
        written or (written if other_written is None else other_written),
        received or 0,
        find_count(usage.get("cache_creation"), "ephemeral_1h_input_tokens"),
        usage,
        find_service_tier(response, usage),
        searches if counted is None else counted,
        tuple(sorted((*unpriced, *_list_server_tools(usage)))),
    )


def _list_server_tools(usage: Data) -> Iterator[str]:
    """Server tools that a response's usage counts: they cost extra, at a price that is not known here."""
    for name, count in a_dict(usage.get("server_tool_use")).items():
        if name not in FREE and read_count(count):
            yield name.removesuffix("_requests").replace("_", " ")


def find_service_tier(response: Data, usage: Data) -> str:
    """The service tier that answered, from the counts or from the response."""
    for table in (usage, response):
        for name in ("service_tier", "serviceTier"):
            tier_field = table.get(name)
            if tier := a_text(tier_field) or a_text(a_dict(tier_field).get("type")):
                return tier
    traffic = a_text(usage.get("trafficType", usage.get("traffic_type"))).lower()
    return "" if traffic.endswith("unspecified") else traffic.removeprefix(TRAFFIC)
