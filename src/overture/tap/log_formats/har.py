"""HAR, as browsers, mitmproxy, Proxyman and Charles write it: one document with entries."""

import base64
from collections.abc import Iterator
from typing import Any

from ...providers.read.plain_data import Data, a_dict, a_text, dicts
from ..wire.read_call import make_raw_call
from .log_entries import GZIP_MAGIC, NEVER, LogEntry, LogValue, format_iso, split_url

ENCODING = "content-encoding"
NO_REQUEST = "the log does not contain the request's body"
NO_ANSWER = "the log does not contain the response's body"
WAIT_TIMINGS = ("blocked", "dns", "connect", "ssl", "send", "wait")


def is_mine(value: Any) -> bool:
    """Whether a value is a HAR."""
    log = a_dict(a_dict(value).get("log"))
    return isinstance(log.get("entries"), list) or ("entries" in log and "creator" in log)


def read(values: Iterator[LogValue]) -> Iterator[LogEntry]:
    """The entries of a HAR."""
    for each in values:
        if each.problem or not is_mine(each.value):
            yield LogEntry(each.position, problem=each.problem or "not a HAR file: `log.entries` is missing")
            continue
        entries = each.value["log"]["entries"]
        if not isinstance(entries, list | None):
            yield LogEntry(each.position, problem="`log.entries` is not a list")
            continue
        for number, entry in enumerate(entries or (), 1):
            position = f"entry {number}"
            if isinstance(entry, dict):
                yield _make_entry(position, entry)
            else:
                yield LogEntry(position, problem="the entry is not an object")


def _make_entry(position: str, entry: Data) -> LogEntry:
    request_data, response_data = a_dict(entry.get("request")), a_dict(entry.get("response"))
    request, response = (
        _decode_body(a_dict(request_data.get("postData"))),
        _decode_body(a_dict(response_data.get("content"))),
    )
    status = response_data.get("status")
    status = status if isinstance(status, int) and 100 <= status < 1000 else 0
    missing = (*(() if request else (NO_REQUEST,)), *(() if response or not status else (NO_ANSWER,)))
    error = a_text(response_data.get("_error")) or a_text(a_dict(response_data.get("_error")).get("message"))
    scheme, host, target = split_url(a_text(request_data.get("url")))
    raw_call = make_raw_call(
        target, _read_headers(request_data, request), request, _read_headers(response_data, response), response,
        at=format_iso(entry.get("startedDateTime")) or NEVER, family="", host=host, scheme=scheme, status=status,
        method=a_text(request_data.get("method")), first_ms=_sum_waits(entry), ended="whole",
        whole_ms=_read_milliseconds(entry.get("time")), missing=missing,
    )  # fmt: skip
    return LogEntry(position, raw_call=raw_call, error=error)


def _read_headers(side: Data, body: bytes) -> list[tuple[bytes, bytes]]:
    """The headers, with the encoding that the logged body has: most logs contain it unpacked."""
    named = ((a_text(each.get("name")), a_text(each.get("value"))) for each in dicts(side.get("headers")))
    plain = [
        (name.encode("latin-1", "replace"), value.encode("latin-1", "replace"))
        for name, value in named
        if name.lower() != ENCODING
    ]
    return [*plain, (ENCODING.encode(), b"gzip")] if body.startswith(GZIP_MAGIC) else plain


def _decode_body(content: Data) -> bytes:
    """The body of an entry in a HAR, as bytes."""
    text = a_text(content.get("text"))
    if content.get("encoding") == "base64":
        try:
            return base64.b64decode(text, validate=False)
        except ValueError:
            return b""
    return fix_encoding(text)


def fix_encoding(text: str) -> bytes:
    """The bytes of a text; of UTF-8 that was read as Latin-1, as mitmproxy reads streams, what it was."""
    if not text.isascii():
        try:
            plain = text.encode("latin-1")
            plain.decode("utf-8")
            return plain
        except UnicodeError:
            pass
    return text.encode("utf-8", "surrogatepass")


def _read_milliseconds(value: Any) -> float | None:
    """A duration in a HAR; None if it is unknown."""
    real = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e12
    return float(value) if real else None


def _sum_waits(entry: Data) -> float | None:
    """The milliseconds until the first byte came, by the timings of a HAR."""
    timings = a_dict(entry.get("timings"))
    if _read_milliseconds(timings.get("wait")) is None:
        return None
    # `ssl` is a part of `connect` if both are given.
    names = [name for name in WAIT_TIMINGS if name != "ssl" or _read_milliseconds(timings.get("connect")) is None]
    return sum(_read_milliseconds(timings.get(name)) or 0.0 for name in names)
