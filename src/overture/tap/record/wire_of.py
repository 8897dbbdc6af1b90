"""An exchange that has passed -> how it was on the wire."""

from ..exchange import Exchange
from ..wire.call_wire import CallWire, body_text
from ..wire.split_events import split_events
from .read_exchange import Bodies
from .unpack import arrivals_unpacked


def wire_of(exchange: Exchange, bodies: Bodies) -> CallWire:
    """The wire; secrets in its bodies are hidden when it is kept."""
    asked, came = bodies
    events = None
    if exchange.arrivals is not None:
        arrived = arrivals_unpacked(exchange.response, exchange.encoding, exchange.arrivals, len(came.body))
        events = split_events(came.body, exchange.header("content-type"), arrived)
    return CallWire(
        method=exchange.method,
        path=exchange.path,
        scheme=exchange.scheme,
        request_headers=exchange.request_headers,
        response_headers=exchange.response_headers,
        over="websocket" if exchange.websocket else "http",
        request=body_text(asked.body) if asked.body else None,
        events=events,
    )
