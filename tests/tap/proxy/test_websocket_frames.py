"""The frames of a WebSocket are read from copies: whatever comes, in whichever pieces."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from overture.tap.proxy import websocket
from overture.tap.proxy.capture import CaptureMemory
from overture.tap.proxy.websocket import FrameReader
from tests.contract.effort import examples

from .speaker import Frames

pytestmark = pytest.mark.slow


WAYS = ["", "permessage-deflate", "permessage-deflate; client_no_context_takeover; client_max_window_bits=12"]


def read(wire: bytes, agreed: str = "", steps: list[int] | None = None, masked: bool = True) -> tuple[list[bytes], str]:
    """The messages in some bytes, given in these steps, and what is wrong with the rest."""
    reader, found, at = FrameReader(agreed, masked, CaptureMemory()), [], 0
    for step in steps or [len(wire)]:
        found += [each.data for each in reader.feed(wire[at : at + step], 0.0)]
        at += step
    found += [each.data for each in reader.feed(wire[at:], 0.0)]
    reader.drop_message()
    assert reader.memory.used == 0
    return found, reader.problem


@pytest.mark.parametrize("agreed", WAYS, ids=("plain", "packed", "packed each for itself"))
@pytest.mark.parametrize("parts", [1, 3])
@pytest.mark.parametrize("masked", [True, False])
def test_messages_are_read(agreed: str, parts: int, masked: bool) -> None:
    """Short and long, empty, of other letters; in parts with pings between them, packed with and without a memory."""
    said = ["", "Ahoy", "Grüße, 船 " * 50, "x" * 125, "x" * 126, "y" * 70_000, "Ahoy"]
    made = Frames(masked, bool(agreed), "no_context" in agreed, parts)
    wire = b"".join(made.message(each.encode()) for each in said)
    found, broken = read(wire, agreed if masked else agreed.replace("client", "server"), masked=masked)
    assert ([each.decode() for each in found], broken) == (said, "")


@settings(max_examples=examples(150), deadline=None)
@given(st.binary(max_size=400), st.sampled_from([*WAYS, "x-other", "permessage-deflate; server_max_window_bits=zzz"]))
def test_no_bytes_raise(wire: bytes, agreed: str) -> None:
    """Garbage is read as far as it goes, and the rest is said to be unreadable, however it is cut."""
    for masked in (True, False):
        assert read(wire, agreed, masked=masked)[0] == read(wire, agreed, [1] * len(wire), masked=masked)[0]


def test_a_message_that_grows_without_end_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few kilobytes may unpack to gigabytes: there is a bound, and it is said."""
    monkeypatch.setattr(websocket, "MAX_MESSAGE_BYTES", 1 << 20)
    wire = Frames(True, packed=True).message(bytes(2 << 20))
    assert read(wire, "permessage-deflate") == ([], "a message grows without end when it is decompressed")
