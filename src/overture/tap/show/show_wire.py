"""A call as it was on the wire: its body, its heads, its events, or the command that sends it again."""

from ...errors import ConfigError
from ...terminal.output import write_exactly
from ..call import Call
from ..wire.call_wire import CallWire
from ..wire.curl import curl_text
from ..wire.wire_data import NO_BODY, NO_EVENTS, NO_WIRE, event_lines, head_lines


def show_wire(call: Call, wire: CallWire | None, wanted: str) -> None:
    """Print what an option asks for; what is not there is one line that says so."""
    if wire is None:
        raise ConfigError(NO_WIRE.format(id=call.id))
    if wanted == "--request":
        if wire.request is None:
            raise ConfigError(NO_BODY.format(id=call.id))
        write_exactly(wire.body)
    elif wanted == "--headers":
        write_exactly(_lines(*head_lines(call, wire)))
    elif wanted == "--curl":
        write_exactly(curl_text(call, wire).encode("utf-8", "replace"))
    elif wire.events is None:
        raise ConfigError(NO_EVENTS.format(id=call.id))
    else:
        write_exactly(_lines(*event_lines(wire)))


def _lines(*lines: str) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")
