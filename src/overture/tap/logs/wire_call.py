"""A request and its answer out of a log of traffic -> the call, read as all that passes: keys are hidden first."""

from collections.abc import Iterable
from urllib.parse import urlsplit

from msgspec.structs import replace

from ...report.tap.call import Call
from ...report.tap.logs.found import Wire
from ...report.tap.logs.times import NEVER
from ...report.tap.run import Run
from ..exchange import Exchange
from ..pass_through.kept.hidden import credentials, hidden_headers, hidden_path, without
from ..recording.read_exchange import read_exchange

PACKED = b"\x1f\x8b"
ENCODING = "content-encoding"


def wire_call(wire: Wire) -> Call | None:
    """The call, without an id; None where no model was asked."""
    host, target = _address(wire.url)
    asked, said = (_raw(headers) for headers in (wire.request_headers, wire.response_headers))
    secrets = credentials(asked, target)
    call = read_exchange(
        Exchange(
            at=wire.at or NEVER, family="", host=host, method=wire.method, path=hidden_path(target),
            request_headers=_unpacked(hidden_headers(asked), wire, wire.request),
            request=without(wire.request, secrets), status=wire.status,
            response_headers=_unpacked(hidden_headers(said), wire, wire.response),
            response=without(wire.response, secrets), ended="whole", first_ms=wire.first_ms, whole_ms=wire.whole_ms,
            missing=wire.missing,
        ),
        "", Run("", ""),
    )  # fmt: skip
    if call is None:
        return None
    if wire.error and not call.error:
        call = replace(call, error=wire.error)
    if not wire.request:
        kept = tuple(said for said in call.missing if not said.startswith("the request's body"))
        return replace(call, unknown=("tool", "system", "message", "mark"), missing=kept)
    return call


def _raw(headers: Iterable[tuple[str, str]]) -> list[tuple[bytes, bytes]]:
    return [(name.encode("latin-1", "replace"), value.encode("latin-1", "replace")) for name, value in headers]


def _unpacked(headers: tuple[tuple[str, str], ...], wire: Wire, body: bytes) -> tuple[tuple[str, str], ...]:
    """Headers that say how the body is packed as the log holds it: most logs hold it unpacked."""
    if wire.packed:
        return headers
    plain = tuple(pair for pair in headers if pair[0].lower() != ENCODING)
    return (*plain, (ENCODING, "gzip")) if body.startswith(PACKED) else plain


def _address(url: str) -> tuple[str, bytes]:
    """The host, and what it is asked for."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return "", url.encode("latin-1", "replace")
    query = f"?{parts.query}" if parts.query else ""
    return parts.netloc.rpartition("@")[2], f"{parts.path}{query}".encode("utf-8", "replace")
