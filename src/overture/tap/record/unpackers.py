"""How each kind of packing is undone, a piece at a time: what was broken off is unpacked as far as it goes."""

import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from typing import Any

STEP = 1 << 20
"""Bytes that are unpacked at once."""
Unpacker = Callable[[bytes], Iterator[bytes]]
BROTLI, ZSTD = ("brotli",), ("compression.zstd", "backports.zstd")
"""Who can do it; the first that is installed does."""


def unpacker_of(name: str, packed: bytes) -> tuple[Unpacker | None, str]:
    """What undoes a packing; where nothing here does, the package that would."""
    if name in ("gzip", "x-gzip", "deflate"):
        # Some senders of `deflate` leave the head of zlib away.
        raw = name == "deflate" and not _has_head(packed)
        return (lambda body: _inflated(body, -zlib.MAX_WBITS if raw else zlib.MAX_WBITS | 32)), ""
    if name == "br":
        return _with(BROTLI, _brotli), "brotli"
    return (_with(ZSTD, _zstd), "backports.zstd") if name == "zstd" else (None, "")


def _has_head(packed: bytes) -> bool:
    """Whether it begins as zlib says."""
    return len(packed) > 1 and packed[0] & 15 == zlib.DEFLATED and int.from_bytes(packed[:2]) % 31 == 0


def _inflated(packed: bytes, bits: int) -> Iterator[bytes]:
    """Member by member, for gzip allows several."""
    while packed:
        way = zlib.decompressobj(bits)
        while packed and not way.eof:
            yield way.decompress(packed, STEP)
            packed = way.unconsumed_tail
        packed = way.unused_data.lstrip(b"\0") if bits > zlib.MAX_WBITS else b""


def _with(names: tuple[str, ...], made: Callable[[Any, bytes], Iterator[bytes]]) -> Unpacker | None:
    for name in names:
        with suppress(ImportError):
            module = import_module(name)
            return lambda packed: made(module, packed)
    return None


def _brotli(module: Any, packed: bytes) -> Iterator[bytes]:
    """Asked until nothing comes: of what was broken off, more may be ready than is given at once."""
    way = module.Decompressor()
    part = way.process(packed, output_buffer_limit=STEP)
    while part or not way.can_accept_more_data():
        yield part
        part = b"" if way.is_finished() else way.process(b"", output_buffer_limit=STEP)


def _zstd(module: Any, packed: bytes) -> Iterator[bytes]:
    """Frame by frame, for there may be several."""
    while packed:
        way = module.ZstdDecompressor()
        yield way.decompress(packed, STEP)
        while not way.eof and not way.needs_input:
            yield way.decompress(b"", STEP)
        packed = way.unused_data if way.eof else b""
