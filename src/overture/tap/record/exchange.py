"""One request and its response as bytes, and how a call keeps them."""

from collections.abc import Callable
from typing import Annotated, Any, Literal

from ...model.struct import Frozen, note
from ...text.normalize import decode_body
from ..call import CallWire, Header
from ..read.response_events import split_events
from ..wire.hide_secrets import Headers, find_credentials, hide_headers, hide_path, remove_values
from .decompress import Bodies, UnpackedBody, map_arrivals, unpack

Ended = Literal["whole", "client went", "upstream went", "upstream down", "upgraded", "unreadable"]
Arrival = tuple[int, float]
DRY_RUN = "Overture-Dry-Run"
"""The header of an answer that no provider gave: what it says of tokens is made up."""


class Exchange(Frozen, frozen=True):
    """One request and its answer. Bodies are as on the wire, without chunks; `encoding` says how they are packed.

    What went by WebSocket is as it would have been over HTTP.
    """

    at: Annotated[str, note("when the request came, ISO 8601 with offset")]
    family: Annotated[str, note("anthropic, openai, gemini, ollama, bedrock")]
    host: Annotated[str, note("the upstream, with its port unless it is the default")]
    method: str
    path: Annotated[str, note("as sent upstream; values of the query are hidden unless they are known to be harmless")]
    request_headers: Annotated[tuple[Header, ...], note("in order; what may be a key or a cookie is hidden")]
    ended: Ended
    request: bytes = b""
    status: Annotated[int, note("0: no response")] = 0
    response_headers: tuple[Header, ...] = ()
    response: bytes = b""
    first_ms: Annotated[float | None, note("from the request's head to the first byte of the response")] = None
    whole_ms: float | None = None
    missing: Annotated[tuple[str, ...], note("what could not be kept, and why")] = ()
    hide: Annotated[Callable[[bytes], bytes], note("removes keys from a body after it is decoded")] = bytes
    continues: Annotated[str, note("by WebSocket: id of the response that it continues")] = ""
    scheme: Annotated[str, note("of the upstream")] = "https"
    websocket: Annotated[bool, note("sent by WebSocket")] = False
    arrivals: Annotated[
        tuple[Arrival, ...] | None,
        note("how many bytes of the response had arrived after how many ms; None: not recorded"),
    ] = None

    problem: Annotated[str, note("why there is no response")] = ""

    @property
    def encoding(self) -> str:
        """How the answer's body is packed: gzip, br, …; empty where it is plain."""
        return self.get_header("content-encoding")

    def get_header(self, name: str) -> str:
        """A header of the answer."""
        return next((value for each, value in self.response_headers if each.lower() == name), "")


def make_exchange(
    target: bytes, request_headers: Headers, request: bytes, response_headers: Headers, response: bytes, **more: Any
) -> Exchange:
    """An exchange without keys, also where the answer repeats one."""
    secrets = find_credentials(request_headers, target)
    return Exchange(
        path=hide_path(target), request_headers=hide_headers(request_headers), request=remove_values(request, secrets),
        response_headers=hide_headers(response_headers), response=remove_values(response, secrets),
        hide=lambda body: remove_values(body, secrets), **more,
    )  # fmt: skip


def unpack_bodies(exchange: Exchange) -> Bodies:
    """The bodies of an exchange."""
    encoding = next((value for name, value in exchange.request_headers if name.lower() == "content-encoding"), "")
    request_body = _unpack_body(exchange, exchange.request, encoding, "request")
    return Bodies(request_body, _unpack_body(exchange, exchange.response, exchange.encoding, "response"))


def _unpack_body(exchange: Exchange, body: bytes, encoding: str, what: str) -> UnpackedBody:
    """A body, without the keys that came with the request: packed, they could not be seen in it."""
    found = unpack(body, encoding, what)
    return found._replace(body=exchange.hide(found.body)) if encoding else found


def make_wire(exchange: Exchange, bodies: Bodies) -> CallWire:
    """The wire; secrets in its bodies are hidden when it is kept."""
    request_body, came = bodies
    events = None
    if exchange.arrivals is not None:
        arrived = map_arrivals(exchange.response, exchange.encoding, exchange.arrivals, len(came.body))
        events = split_events(came.body, exchange.get_header("content-type"), arrived)
    return CallWire(
        method=exchange.method,
        path=exchange.path,
        scheme=exchange.scheme,
        request_headers=exchange.request_headers,
        response_headers=exchange.response_headers,
        over="websocket" if exchange.websocket else "http",
        request=decode_body(request_body.body) if request_body.body else None,
        events=events,
    )
