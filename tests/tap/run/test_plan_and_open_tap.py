"""What has passed becomes a call: unpacked where it can be, and said to be missing where not."""

import json
from pathlib import Path

import pytest

from overture.tap.recorded_call import Run
from overture.tap.run.run_tap import Recording
from overture.tap.store.store import open_store
from overture.tap.wire.read_call import RawCall, read_recorded_call

pytestmark = pytest.mark.slow


RUN = Run("r1", "2026-03-07T08:55:05+00:00", "claude", ("claude",), "/garden")
ASKED = json.dumps({"model": "m", "messages": [{"role": "user", "content": "Ahoy"}]}).encode()
SAID = json.dumps({"type": "message", "content": [{"type": "text", "text": "Aye."}]}).encode()


def raw_call(response: bytes = SAID, encoding: str = "", **more: object) -> RawCall:
    """A raw call of Anthropic's."""
    fields = {
        "at": "2026-03-07T08:55:06+00:00", "family": "anthropic", "host": "api.anthropic.com", "method": "POST",
        "path": "/v1/messages", "request_headers": (), "ended": "whole", "request": ASKED, "status": 200,
        "response_headers": (("Content-Encoding", encoding),) if encoding else (), "response": response,
    }  # fmt: skip
    return RawCall(**{**fields, **more})  # type: ignore[arg-type]


@pytest.mark.parametrize(("encoding", "packed"), [("rot13", b"x"), ("gzip", b"no gzip at all"), ("gzip", SAID)])
def test_what_can_not_be_unpacked_is_said(encoding: str, packed: bytes) -> None:
    """The call is kept without its answer, and says why."""
    call = read_recorded_call(raw_call(packed, encoding), "c1", RUN)
    assert call is not None
    assert call.reply == ""
    assert f"{encoding!r}" in call.missing[0]
    assert call.pieces[0].text == "Ahoy"


@pytest.mark.parametrize(
    ("ended", "said"),
    [
        ("client went", "the program disconnected"),
        ("upstream went", "the provider disconnected"),
        ("upgraded", "another protocol"),
    ],
)
def test_how_it_ended_is_said(ended: str, said: str) -> None:
    """What is not whole says so."""
    call = read_recorded_call(raw_call(ended=ended), "c1", RUN)
    assert call is not None
    assert any(said in each for each in call.missing)


def test_what_asks_no_model_is_not_kept(tmp_path: Path) -> None:
    """And who looks on may fail: the call is kept once."""
    seen: list[str] = []

    def look(call: object) -> None:
        seen.append("call")
        raise BrokenPipeError

    with open_store(tmp_path / "own" / "calls.sqlite") as store:
        recording = Recording(store, RUN, look)
        recording.record(raw_call(path="/v1/models", method="GET", request=b""))
        recording.record(raw_call())
        recording.end(["a call: the disk was full"])
        assert (len(store.list_calls()), seen) == (1, ["call"])
        (run,) = store.list_runs()
        assert run.ended
        assert run.missing == ("a call: the disk was full",)


def test_a_wire_that_cant_be_kept_costs_no_call(tmp_path: Path) -> None:
    """The call is kept with its texts, and says what is missing."""
    with open_store(tmp_path / "own" / "calls.sqlite") as store:
        recording = Recording(store, RUN)
        recording.record(raw_call(scheme=object()))
        (kept,) = store.list_calls()
        assert kept.read_wire() is None
        assert kept.read_call().pieces[0].text == "Ahoy"
        assert kept.head.missing[0].startswith("as it was on the wire: TypeError: ")
