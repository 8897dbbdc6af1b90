"""A body decompressed as far as it goes."""

import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from typing import Any, NamedTuple

from ...text.words import pluralize

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
    """The function that decompresses with the first library that is installed; None without one."""
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


def unpack(body: bytes, encoding: str, what: str, limit: int = MAX_BODY_BYTES) -> UnpackedBody:
    """The decoded bytes; `encoding` lists the encodings, and the last is decoded first."""
    encodings = _list_encodings(encoding)
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


def _list_encodings(header: str) -> list[str]:
    """The encodings that a header names, without those that change nothing."""
    return [name for each in header.split(",") if (name := each.strip().lower()) not in PLAIN]


def describe_lost_bytes(count: int) -> str:
    """`1 byte was not recorded`."""
    return f"{count} {'byte was' if count == 1 else 'bytes were'} not recorded"


def _unpack_bounded(unpacker: Unpacker, packed: bytes, limit: int) -> bytes:
    """All of it; decoding stops at the limit, before the result fills the memory."""
    parts, size = [], 0
    for part in unpacker(packed):
        size += len(part)
        if size > limit:
            raise ValueError(f"the result is more than {limit} bytes")
        parts.append(part)
    return b"".join(parts)
