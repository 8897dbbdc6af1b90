"""One request and its response as bytes: decompressed as far as it goes, and how a call keeps them."""

import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from importlib import import_module
from typing import Annotated, Any, Literal, NamedTuple

from ...model.struct import Frozen, note
from ...text.normalize import decode_body
from ...text.words import pluralize
from ..call import CallWire, Header
from .hide_secrets import Headers, find_credentials, hide_headers, hide_path, remove_values
from .response_events import split_events

CHUNK_BYTES = 1 << 20
"""Bytes that are unpacked at once."""
Unpacker = Callable[[bytes], Iterator[bytes]]
BROTLI, ZSTD = ("brotli",), ("compression.zstd", "backports.zstd")
"""Packages that decode it; the first that is installed is used."""


def find_unpacker(name: str, packed: bytes) -> tuple[Unpacker | None, str]:
    """The decoder of an encoding; if none is installed, the package to install."""
    if name in ("gzip", "x-gzip", "deflate"):
        # Some senders of `deflate` omit the zlib header.
        raw = name == "deflate" and not _has_zlib_header(packed)
        return (lambda body: _inflate(body, -zlib.MAX_WBITS if raw else zlib.MAX_WBITS | 32)), ""
    if name == "br":
        return _load_unpacker(BROTLI, _unpack_brotli), "brotli"
    return (_load_unpacker(ZSTD, _unpack_zstd), "backports.zstd") if name == "zstd" else (None, "")


def _has_zlib_header(packed: bytes) -> bool:
    """Whether it begins with a valid zlib header."""
    return len(packed) > 1 and packed[0] & 15 == zlib.DEFLATED and int.from_bytes(packed[:2]) % 31 == 0


def _inflate(packed: bytes, bits: int) -> Iterator[bytes]:
    """Member by member, for gzip allows several."""
    while packed:
        decompressor = zlib.decompressobj(bits)
        while packed and not decompressor.eof:
            yield decompressor.decompress(packed, CHUNK_BYTES)
            packed = decompressor.unconsumed_tail
        packed = decompressor.unused_data.lstrip(b"\0") if bits > zlib.MAX_WBITS else b""


def _load_unpacker(names: tuple[str, ...], decode: Callable[[Any, bytes], Iterator[bytes]]) -> Unpacker | None:
    for name in names:
        with suppress(ImportError):
            module = import_module(name)
            return lambda packed: decode(module, packed)
    return None


def _unpack_brotli(module: Any, packed: bytes) -> Iterator[bytes]:
    """Call it until it returns nothing: a truncated body may hold more than one call returns."""
    decompressor = module.Decompressor()
    part = decompressor.process(packed, output_buffer_limit=CHUNK_BYTES)
    while part or not decompressor.can_accept_more_data():
        yield part
        part = b"" if decompressor.is_finished() else decompressor.process(b"", output_buffer_limit=CHUNK_BYTES)


def _unpack_zstd(module: Any, packed: bytes) -> Iterator[bytes]:
    """Frame by frame, for there may be several."""
    while packed:
        decompressor = module.ZstdDecompressor()
        yield decompressor.decompress(packed, CHUNK_BYTES)
        while not decompressor.eof and not decompressor.needs_input:
            yield decompressor.decompress(b"", CHUNK_BYTES)
        packed = decompressor.unused_data if decompressor.eof else b""


MAX_BODY_BYTES = 256 << 20
"""Bytes of a body once it is unpacked."""
MAX_ENCODINGS = 8
"""Ways in which a body may be packed, one over the other."""
PLAIN = ("", "identity")


class UnpackedBody(NamedTuple):
    """A body, and what is wrong with it."""

    body: bytes
    missing: str = ""


class Bodies(NamedTuple):
    """The bodies of the request and the response, unpacked."""

    request: UnpackedBody
    response: UnpackedBody


def unpack(body: bytes, encoding: str, what: str, limit: int = MAX_BODY_BYTES) -> UnpackedBody:
    """The decoded bytes; `encoding` lists the encodings, and the last is decoded first."""
    encodings = [name for each in encoding.split(",") if (name := each.strip().lower()) not in PLAIN]
    if len(encodings) > MAX_ENCODINGS:
        return UnpackedBody(b"", f"{what}: {describe_lost_bytes(len(body))}: encoded in {len(encodings)} ways")
    for name in reversed(encodings):
        if not body:
            break
        unpacker, wanted = find_unpacker(name, body)
        if unpacker is None:
            message = f"encoded as {name!r}, which can't be decoded here{wanted and f': pip install {wanted}'}"
            return UnpackedBody(b"", f"{what}: {describe_lost_bytes(len(body))}: {message}")
        try:
            body = _unpack_bounded(unpacker, body, limit)
        except Exception as problem:  # each library has errors of its own
            return UnpackedBody(
                b"", f"{what}: {len(body)} {pluralize(len(body), 'byte')} of {name!r} can't be decoded: {problem}"
            )
    return UnpackedBody(body)


def describe_lost_bytes(count: int) -> str:
    """`1 byte was not recorded`."""
    return f"{count} {'byte was' if count == 1 else 'bytes were'} not recorded"


def _unpack_bounded(unpacker: Callable[[bytes], Iterator[bytes]], packed: bytes, limit: int) -> bytes:
    """All of it; decoding stops at the limit, before the result fills the memory."""
    parts, size = [], 0
    for part in unpacker(packed):
        size += len(part)
        if size > limit:
            raise ValueError(f"the result is more than {limit} bytes")
        parts.append(part)
    return b"".join(parts)


def map_arrivals(
    packed: bytes, encoding: str, arrivals: Sequence[tuple[int, float]], size: int
) -> list[tuple[int, float | None]]:
    """How many unpacked bytes had arrived at each time; only gzip and plain bodies have more than the last time."""
    encodings = [name for each in encoding.split(",") if (name := each.strip().lower()) not in PLAIN]
    if not encodings:
        return list(arrivals)
    if len(encodings) > 1 or encodings[0] not in ("gzip", "x-gzip"):
        return [(size, arrivals[-1][1])] if arrivals else []
    decompressor, at, there = zlib.decompressobj(zlib.MAX_WBITS | 32), 0, 0
    mapped: list[tuple[int, float | None]] = []
    try:
        for end, ms in arrivals:
            there += len(
                decompressor.decompress(packed[at:end], max(size - there, 1))
            )  # no more than was unpacked before
            mapped.append((there, ms))
            at = end
            if decompressor.unconsumed_tail:
                break
    except zlib.error:
        return mapped
    return mapped


Ended = Literal["whole", "client went", "upstream went", "upstream down", "upgraded", "unreadable"]
Arrival = tuple[int, float]
DRY_RUN = "Overture-Dry-Run"
"""The header of a dry run's response: its token counts are not a provider's."""


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
        """A header of the response."""
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
        request=decode_body(request_body.body) if request_body.body else None,
        events=events,
    )
