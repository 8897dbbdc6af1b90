"""A body -> what is in it: decompressed as far as it goes; JSON, lines, server-sent events, or Amazon's frames."""

import base64
import json
import re
import struct
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from importlib import import_module
from typing import Any, NamedTuple

from ...providers.read.plain_data import Data, a_dict, a_text, dicts
from ...text.words import count_noun, pluralize

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


DONE = "[DONE]"
PRELUDE = 12
CHECK = 4
TEXT_HEADER = 7
SIZES = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}
"""Bytes of a header's value by its type; 6 and 7 have a length before them."""


class ResponseValues(NamedTuple):
    """What an answer holds."""

    values: list[Any]
    stream: bool = False
    missing: tuple[str, ...] = ()
    is_done: bool = False
    """Whether a stream arrived up to its `[DONE]`."""

    @property
    def events(self) -> list[Data]:
        """The values that are objects; of lists, their objects."""
        flat = [each for value in self.values for each in (value if isinstance(value, list) else [value])]
        return [each for each in flat if isinstance(each, dict)]


DECODER = json.JSONDecoder()
BLANKS = " \t\r\n"
SEPARATORS = BLANKS + ",[]"
SSE_FIELDS = (b"event:", b"data:", b"id:", b"retry:", b":")
SSE_DATA = re.compile(r"(?:^|[\r\n])data: ?([^\r\n]*)")
EVENT_END = re.compile(rb"(?:\r?\n){2,}|\r{2,}")
"""What stands behind a server-sent event: an empty line, whatever ends lines here."""


def decode_values(text: str) -> tuple[list[Any], str]:
    """The JSON values that follow each other in a text, on lines or in a list that may break off; and what is wrong."""
    values: list[Any] = []
    at, size, skipped = 0, len(text), BLANKS
    while True:
        while at < size and text[at] in skipped:
            at += 1
        if at == size:
            return values, ""
        try:
            value, at = DECODER.raw_decode(text, at)
            values.append(value)
        except RecursionError:
            return values, f"is nested too deeply, from character {at} on"
        except ValueError:
            if skipped is SEPARATORS or text[at] != "[":
                return values, f"is not JSON from character {at} on"
        skipped = SEPARATORS


def decode_response(body: bytes, content_type: str = "") -> ResponseValues:
    """The values in a body; if its bytes contradict its content type, the bytes count."""
    if _is_frames(body, content_type):
        return _decode_frames(body)
    if _is_sse(body, content_type):
        return _decode_sse(body)
    values, problem = decode_values(body.decode("utf-8", "replace").removeprefix("\ufeff"))
    stream = len(values) > 1 or (len(values) == 1 and isinstance(values[0], list))
    return ResponseValues(values, stream, (f"the response {problem}",) if problem else ())


def _is_sse(body: bytes, content_type: str) -> bool:
    """Whether a body is server-sent events, by its first bytes or its content type."""
    head = body[:200].removeprefix(b"\xef\xbb\xbf").lstrip()
    return head.startswith(SSE_FIELDS) or ("event-stream" in content_type and head[:1] != b"{")


def _decode_sse(body: bytes) -> ResponseValues:
    values: list[Any] = []
    broken = 0
    is_done = False
    for event in EVENT_END.split(body):
        data = "\n".join(SSE_DATA.findall(event.decode("utf-8", "replace").removeprefix("\ufeff")))
        is_done = is_done or data.strip() == DONE
        if data.strip() != DONE:
            decoded, problem = decode_values(data)
            values += decoded
            broken += bool(problem)
    missing = (f"{count_noun(broken, 'event')} of the stream could not be read as JSON",) if broken else ()
    return ResponseValues(values, True, missing, is_done)


def _is_frames(body: bytes, content_type: str) -> bool:
    """Whether a body is Amazon's event stream, by its content type or its first bytes."""
    if "amazon.eventstream" in content_type:
        return True
    if len(body) < PRELUDE + CHECK or body[:1] != b"\0":
        return False
    size, headers = struct.unpack(">II", body[:8])
    return bool(PRELUDE + CHECK + headers <= size < 1 << 24)


def _decode_frames(body: bytes) -> ResponseValues:
    """Amazon's frames: each with headers, and JSON as its load."""
    values: list[Any] = []
    end = 0
    for frame_end, names, load in _list_frames(body):
        values += _decode_frame(load, names)
        end = frame_end
    if end == len(body):
        return ResponseValues(values, True)
    where = f", at byte {end}" if len(body) - end >= PRELUDE else ""
    return ResponseValues(values, True, (f"the stream breaks off within a frame{where}",))


def _list_frames(body: bytes) -> Iterator[tuple[int, dict[str, str], bytes]]:
    """The whole frames: where each ends, the names in its head, and its load."""
    at = 0
    while len(body) - at >= PRELUDE:
        size, headers = struct.unpack(">II", body[at : at + 8])
        if size < PRELUDE + CHECK + headers or at + size > len(body):
            return
        names = dict(read_frame_headers(body[at + PRELUDE : at + PRELUDE + headers]))
        yield at + size, names, body[at + PRELUDE + headers : at + size - CHECK]
        at += size


def _decode_frame(load: bytes, names: dict[str, str]) -> Iterator[Any]:
    """A frame as an event under its name; `chunk` holds the event of another form in Base64."""
    name = names.get(":event-type") or names.get(":exception-type", "")
    data = a_dict(next(iter(decode_values(load.decode("utf-8", "replace"))[0]), None))
    if name == "chunk" and a_text(data.get("bytes")):
        try:
            inner = base64.b64decode(data["bytes"], validate=False).decode("utf-8", "replace")
        except ValueError:
            return
        yield from dicts(decode_values(inner)[0])
    elif names.get(":message-type") == "exception":
        yield {"error": {"type": name, "message": a_text(data.get("message"))}}
    else:
        yield {name: data} if name else data


def read_frame_headers(data: bytes) -> Iterator[tuple[str, str]]:
    """The texts in the head of a frame, by their names."""
    at = 0
    while at < len(data):
        end = at + 1 + data[at]
        name, kind = data[at + 1 : end].decode("utf-8", "replace"), data[end] if end < len(data) else 0
        at = end + 1
        size = SIZES.get(kind)
        if size is None:
            size = int.from_bytes(data[at : at + 2], "big")
            at += 2
        if kind == TEXT_HEADER:
            yield name, data[at : at + size].decode("utf-8", "replace")
        at += size
