"""A request and its answer out of a log of traffic -> the call, read as all that passes: keys are hidden first."""

from collections.abc import Iterable
from typing import NamedTuple
from urllib.parse import urlsplit

from msgspec.structs import replace

from ..call import RecordedCall, Run
from ..record.exchange import Exchange, make_wire, read_exchange, unpack_bodies
from ..record.headers import find_credentials, hide_headers, hide_path, remove_values
from ..times import NEVER
from ..wire.call_wire import CallWire
from .log import LoggedExchange

GZIP_MAGIC = b"\x1f\x8b"
ENCODING = "content-encoding"


class TrafficCall(NamedTuple):
    """A call, and how it was on the wire."""

    call: RecordedCall
    wire: CallWire | None = None


def read_logged_exchange(wire: LoggedExchange) -> TrafficCall | None:
    """The call, without an id; None where no model was asked."""
    scheme, host, target = _split_url(wire.url)
    request_headers, response_headers = (
        _encode_headers(headers) for headers in (wire.request_headers, wire.response_headers)
    )
    secrets = find_credentials(request_headers, target)
    exchange = Exchange(
        at=wire.at or NEVER, family="", host=host, method=wire.method, path=hide_path(target), scheme=scheme,
        request_headers=_set_encoding(hide_headers(request_headers), wire.request),
        request=remove_values(wire.request, secrets), status=wire.status,
        response_headers=_set_encoding(hide_headers(response_headers), wire.response),
        response=remove_values(wire.response, secrets), ended="whole", first_ms=wire.first_ms, whole_ms=wire.whole_ms,
        missing=wire.missing,
    )  # fmt: skip
    bodies = unpack_bodies(exchange)
    call = read_exchange(exchange, "", Run("", ""), bodies)
    return None if call is None else TrafficCall(_add_log_facts(call, wire), make_wire(exchange, bodies))


def clean_wire(wire: CallWire) -> CallWire:
    """A wire that somebody else has exported: its head without keys; its bodies are looked through when it is kept."""
    return replace(
        wire,
        path=hide_path(wire.path.encode("latin-1", "replace")),
        request_headers=hide_headers(_encode_headers(wire.request_headers)),
        response_headers=hide_headers(_encode_headers(wire.response_headers)),
    )


def _add_log_facts(call: RecordedCall, wire: LoggedExchange) -> RecordedCall:
    """The call, with what the log itself says of it."""
    if wire.error and not call.error:
        call = replace(call, error=wire.error)
    if not wire.request:
        missing = tuple(each for each in call.missing if not each.startswith("the request's body"))
        return replace(call, unknown=("tool", "system", "message", "mark"), missing=missing)
    return call


def _encode_headers(headers: Iterable[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1", "replace"), value.encode("latin-1", "replace")) for name, value in headers]


def _set_encoding(headers: tuple[tuple[str, str], ...], body: bytes) -> tuple[tuple[str, str], ...]:
    """Headers that say how the body is packed as the log holds it: most logs hold it unpacked."""
    plain = tuple(pair for pair in headers if pair[0].lower() != ENCODING)
    return (*plain, (ENCODING, "gzip")) if body.startswith(GZIP_MAGIC) else plain


def _split_url(url: str) -> tuple[str, str, bytes]:
    """How the host is spoken to, the host, and what it is asked for."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "https", "", url.encode("latin-1", "replace")
    query = f"?{parts.query}" if parts.query else ""
    scheme = parts.scheme if parts.scheme in ("http", "https") else "https"
    return scheme, parts.netloc.rpartition("@")[2], f"{parts.path}{query}".encode("utf-8", "replace")
