"""An exchange that has passed -> the call that it was."""

from collections.abc import Callable
from typing import NamedTuple

from msgspec.structs import replace

from ..call import Call
from ..exchange import DRY_RUN, Exchange
from ..read.plain_values import clean
from ..read.read_call import Seen, read_call
from ..recorded_run import Run
from .unpack import Unpacked, unpack

ENDS = {
    "client went": "the program went before the answer was whole",
    "upstream went": "the provider went before its answer was whole",
    "upgraded": "it went on as another protocol, which is not recorded",
    "unreadable": "the answer could not be read to its end",
}
"""How an exchange ended that did not end as it should, in words."""


class Bodies(NamedTuple):
    """What both said, unpacked."""

    asked: Unpacked
    came: Unpacked


def unpacked(exchange: Exchange) -> Bodies:
    """The bodies of an exchange."""
    encoding = next((value for name, value in exchange.request_headers if name.lower() == "content-encoding"), "")
    asked = _unpacked(exchange, exchange.request, encoding, "request")
    return Bodies(asked, _unpacked(exchange, exchange.response, exchange.encoding, "response"))


def read_exchange(
    exchange: Exchange, id: str, run: Run, bodies: Bodies | None = None, without_secrets: Callable[[str], str] = clean
) -> Call | None:
    """The call, without secrets; None where no model was asked."""
    headers = {name.lower(): value for name, value in exchange.request_headers}
    asked, came = bodies or unpacked(exchange)
    ended = ENDS.get(exchange.ended)
    said = (*exchange.missing, asked.missing, came.missing, ended or "")
    call = read_call(
        Seen(
            id=id, at=exchange.at, host=exchange.host, path=exchange.path, request=asked.body, status=exchange.status,
            response=came.body, method=exchange.method, content_type=exchange.header("content-type"), headers=headers,
            run=run.id, program=run.program, cwd=run.cwd, first_ms=exchange.first_ms, whole_ms=exchange.whole_ms,
            error=exchange.problem, missing=tuple(filter(None, said)),
            continues=exchange.continues, request_id=exchange.header("request-id"),
        ),
        without_secrets,
    )  # fmt: skip
    made_up = call is not None and exchange.header(DRY_RUN.lower())
    return replace(call, usage=None) if call is not None and made_up else call


def _unpacked(exchange: Exchange, body: bytes, encoding: str, what: str) -> Unpacked:
    """A body, without the keys that came with the request: packed, they could not be seen in it."""
    found = unpack(body, encoding, what)
    return found._replace(body=exchange.hide(found.body)) if encoding else found
