"""One request and its response as bytes, without keys, and how a call keeps them."""

from collections.abc import Callable
from typing import Annotated, Any, Literal, NamedTuple

from ...model.struct import Frozen, note
from ...text.normalize import decode_any_bytes
from ..recorded_call import CallWire, Header
from .decompress_body import UnpackedBody, map_arrivals, unpack
from .hide_secrets import Headers, find_credentials, hide_headers, hide_path, remove_values
from .response_events import split_events


class Bodies(NamedTuple):
    """The bodies of the request and the response, unpacked."""

    request: UnpackedBody
    response: UnpackedBody


Ended = Literal["whole", "client went", "upstream went", "upstream down", "upgraded", "unreadable"]
Arrival = tuple[int, float]


class RawCall(Frozen, frozen=True):
    """One request and its response. Bodies are as on the wire, without chunks; `encoding` names their encoding.

    A call over WebSocket has the form that it would have over HTTP.
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
        """The encoding of the response's body: gzip, br, …; empty if it is plain."""
        return self.get_header("content-encoding")

    def get_header(self, name: str) -> str:
        """A header of the raw call's response."""
        return next((value for each, value in self.response_headers if each.lower() == name), "")


def make_raw_call(
    target: bytes, request_headers: Headers, request: bytes, response_headers: Headers, response: bytes, **more: Any
) -> RawCall:
    """A raw call without keys, even if the response repeats one."""
    secrets = find_credentials(request_headers, target)
    return RawCall(
        path=hide_path(target), request_headers=hide_headers(request_headers), request=remove_values(request, secrets),
        response_headers=hide_headers(response_headers), response=remove_values(response, secrets),
        hide=lambda body: remove_values(body, secrets), **more,
    )  # fmt: skip


def unpack_bodies(raw_call: RawCall) -> Bodies:
    """The bodies of a raw call."""
    encoding = next((value for name, value in raw_call.request_headers if name.lower() == "content-encoding"), "")
    request_body = _unpack_body(raw_call, raw_call.request, encoding, "request")
    return Bodies(request_body, _unpack_body(raw_call, raw_call.response, raw_call.encoding, "response"))


def _unpack_body(raw_call: RawCall, body: bytes, encoding: str, what: str) -> UnpackedBody:
    """A body without the request's keys: while it was packed, they could not be found in it."""
    found = unpack(body, encoding, what)
    return found._replace(body=raw_call.hide(found.body)) if encoding else found


def make_wire(raw_call: RawCall, bodies: Bodies) -> CallWire:
    """The wire; the store hides secrets in its bodies."""
    request_body, response_body = bodies
    events = None
    if raw_call.arrivals is not None:
        arrived = map_arrivals(raw_call.response, raw_call.encoding, raw_call.arrivals, len(response_body.body))
        events = split_events(response_body.body, raw_call.get_header("content-type"), arrived)
    return CallWire(
        method=raw_call.method,
        path=raw_call.path,
        scheme=raw_call.scheme,
        request_headers=raw_call.request_headers,
        response_headers=raw_call.response_headers,
        over="websocket" if raw_call.websocket else "http",
        request=decode_any_bytes(request_body.body) if request_body.body else None,
        events=events,
    )
