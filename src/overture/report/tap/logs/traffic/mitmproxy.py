"""mitmproxy's flows: its own dump, and the lines of JSON that its jsondump addon makes of them."""

import base64
import binascii
import re
from collections.abc import Iterator
from typing import Any

from ...read_call.wire.plain_values import Data, a_dict
from ..found import Found, Value, Wire
from ..times import between, iso
from .har import NO_ANSWER, NO_REQUEST

ESCAPE = re.compile(rb"\\(?:x([0-9a-fA-F]{2})|(.))", re.DOTALL)
ESCAPES = {b"n": b"\n", b"r": b"\r", b"t": b"\t"}


def is_mine(value: Any) -> bool:
    """Whether a value is a flow."""
    request = a_dict(a_dict(value).get("request"))
    own = "client_conn" in a_dict(value) or "server_conn" in a_dict(value)
    return own and "method" in request and "path" in request


def read(values: Iterator[Value]) -> Iterator[Found]:
    """The flows; those that are no HTTP are no calls."""
    for each in values:
        if each.problem:
            yield Found(each.place, problem=each.problem)
        elif is_mine(each.value):
            yield Found(each.place, wire=_wire(each.value), name=_text(each.value.get("id")))
        else:
            yield Found(each.place)


def _wire(flow: Data) -> Wire:
    asked, said = flow["request"], a_dict(flow.get("response"))
    request, response = _bytes(asked.get("content")), _bytes(said.get("content"))
    status = said.get("status_code")
    start, error = asked.get("timestamp_start"), a_dict(flow.get("error"))
    return Wire(
        iso(start), _text(asked.get("method")), _url(asked), _headers(asked), request or b"",
        status if isinstance(status, int) and 100 <= status < 1000 else 0, _headers(said), response or b"", True,
        between(start, said.get("timestamp_start")), between(start, said.get("timestamp_end")),
        _text(error.get("msg")), (*(() if request else (NO_REQUEST,)), *(() if response or not said else (NO_ANSWER,))),
    )  # fmt: skip


def _text(value: Any) -> str:
    return value.decode("utf-8", "replace") if isinstance(value, bytes) else value if isinstance(value, str) else ""


def _bytes(value: Any) -> bytes | None:
    """A body: as it is, in Base64, or as Python shows bytes."""
    if not isinstance(value, str):
        return value if isinstance(value, bytes) else None
    if len(value) % 4 == 0 and value[:1] not in ("{", "["):
        try:
            return base64.b64decode(value, validate=True)
        except (binascii.Error, ValueError):
            pass
    return ESCAPE.sub(_unescaped, value.encode("utf-8", "surrogatepass"))


def _unescaped(found: re.Match[bytes]) -> bytes:
    return bytes([int(found[1], 16)]) if found[1] else ESCAPES.get(found[2], found[2])


def _url(request: Data) -> str:
    host, port = _text(request.get("host")), request.get("port")
    scheme = _text(request.get("scheme")) or "https"
    usual = {"http": 80, "https": 443}.get(scheme)
    at = "" if port == usual or not isinstance(port, int) else f":{port}"
    return f"{scheme}://{host}{at}{_text(request.get('path'))}"


def _headers(side: Data) -> tuple[tuple[str, str], ...]:
    held = side.get("headers")
    pairs = list(held.items()) if isinstance(held, dict) else held if isinstance(held, list) else []
    return tuple((_text(pair[0]), _text(pair[1])) for pair in pairs if isinstance(pair, list | tuple) and len(pair) > 1)
