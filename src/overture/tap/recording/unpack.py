"""A body as it was packed on the wire -> its bytes. What can't be unpacked is said, and nothing of it is kept."""

import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from typing import Any, NamedTuple

MOST = 256 << 20
"""Bytes of a body once it is unpacked."""
STEP = 1 << 20
PLAIN = ("", "identity")
ZSTD = ("compression.zstd", "zstandard")


class Unpacked(NamedTuple):
    """A body, and what is wrong with it."""

    body: bytes
    missing: str = ""


def unpack(body: bytes, encoding: str, what: str) -> Unpacked:
    """The bytes that were packed; `encoding` names how, the last way first to be undone."""
    for name in reversed([each.strip().lower() for each in encoding.split(",")]):
        if name in PLAIN or not body:
            continue
        unpacker = _unpacker(name, body)
        if unpacker is None:
            said = f"packed as {name!r}, which can't be unpacked here{_help(name)}"
            return Unpacked(b"", f"{what}: {len(body)} bytes passed and were not kept, {said}")
        try:
            body = b"".join(_bounded(unpacker(body)))
        except Exception as problem:  # each library has errors of its own
            return Unpacked(b"", f"{what}: {len(body)} bytes of {name!r} can't be unpacked: {problem}")
    return Unpacked(body)


def _bounded(parts: Iterator[bytes]) -> Iterator[bytes]:
    size = 0
    for part in parts:
        size += len(part)
        if size > MOST:
            raise ValueError(f"they are more than {MOST} bytes")
        yield part


def _unpacker(name: str, body: bytes) -> Callable[[bytes], Iterator[bytes]] | None:
    if name in ("gzip", "x-gzip", "deflate"):
        # Some senders of `deflate` leave the head of zlib away.
        raw = name == "deflate" and body[:1] != b"\x78"
        return lambda packed: _inflated(packed, -zlib.MAX_WBITS if raw else zlib.MAX_WBITS | 32)
    if name == "br":
        return _brotli()
    return _zstd() if name == "zstd" else None


def _inflated(packed: bytes, bits: int) -> Iterator[bytes]:
    """The bytes up to where the packed ones end: what was broken off is unpacked as far as it goes."""
    way = zlib.decompressobj(bits)
    while packed:
        yield way.decompress(packed, STEP)
        packed = way.unconsumed_tail


def _brotli() -> Callable[[bytes], Iterator[bytes]] | None:
    for name in ("brotli", "brotlicffi"):
        with suppress(ImportError):
            module: Any = import_module(name)
            return lambda packed: iter([module.Decompressor().process(packed)])
    return None


def _zstd() -> Callable[[bytes], Iterator[bytes]] | None:
    for name in ZSTD:
        with suppress(ImportError):
            module: Any = import_module(name)
            make = module.ZstdDecompressor
            return lambda packed: iter(
                [make().decompress(packed) if name == ZSTD[0] else make().decompressobj().decompress(packed)]
            )
    return None


def _help(name: str) -> str:
    return {"br": ": pip install brotli", "zstd": ": pip install zstandard"}.get(name, "")
