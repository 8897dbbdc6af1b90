"""An upstream that can't be reached: the request is kept whole, and the program is told quickly, by whom and why."""

import json
import socket

import pytest

from overture.tap.proxy import connect_upstream as upstream_connector
from overture.tap.recorded_call import Run
from overture.tap.wire.read_call import read_recorded_call
from tests.contract.tap.provider import LIGHT, written

from ..raw_http import Tapped, asking, talk, tap_to, upstream
from ..run.test_command import Place, place

pytestmark = pytest.mark.slow


__all__ = ["place"]
PROMPT = "Look after the garden. " * 20_000
BODY = json.dumps({"model": "gpt-5", "messages": [{"role": "user", "content": PROMPT}]}).encode()
RUN = Run("r1", "2026-03-07T08:55:05+00:00", "x", ("x",), "/")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as there:
        return int(there.getsockname()[1])


def _kept(tap: Tapped, why: str, *, program: bytes) -> None:
    """The program was told why, and the record holds all of the prompt."""
    assert program.startswith(b"HTTP/1.1 502 Bad Gateway\r\n")
    assert why.encode() in program
    (raw_call,) = tap.recorded()
    assert (raw_call.ended, raw_call.request, raw_call.missing) == ("upstream down", BODY, ())
    call = read_recorded_call(raw_call, "c1", RUN)
    assert call is not None
    assert (call.pieces[0].text, call.missing) == (PROMPT, ("no response was recorded",))
    assert why in (call.error or "")


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://127.0.0.1:{port}/v1", "http://127.0.0.1:{port} refused the connection"),
        ("http://localhost:{port}/v1", "http://localhost:{port} refused the connection"),
        ("https://localhost:{port}/v1", "https://localhost:{port} refused the connection"),
        ("http://nowhere.invalid/v1", "http://nowhere.invalid can't be reached: the name 'nowhere.invalid'"),
    ],
)
def test_who_refuses_is_named(url: str, why: str) -> None:
    """Refused by one address or by several, or a name that nobody knows."""
    port = _free_port()
    with tap_to(f"openai={url.format(port=port)}") as tap:
        _kept(tap, why.format(port=port), program=talk(tap.port, asking(tap.port, body=BODY)))


def test_who_does_not_accept_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """An upstream that takes a connection and says nothing in TLS is given up after a while."""
    monkeypatch.setattr(upstream_connector, "CONNECT_SECONDS", 0.3)
    with (
        upstream(lambda line: line.until(b"never")) as there,
        tap_to(f"openai=https://localhost:{there.port}/v1") as tap,
    ):
        program = talk(tap.port, asking(tap.port, body=BODY))
        _kept(tap, f"https://localhost:{there.port} did not accept the connection in time", program=program)


def test_who_waits_to_be_told_is_told_at_once() -> None:
    """`Expect: 100-continue`: the body is not waited for, since it will not come."""
    port = _free_port()
    with tap_to(f"openai=http://127.0.0.1:{port}/v1") as tap:
        head = asking(tap.port, "/openai/v1/responses", BODY, "Expect: 100-continue")[: -len(BODY)]
        assert talk(tap.port, head).startswith(b"HTTP/1.1 502 ")
        (raw_call,) = tap.recorded()
        assert (raw_call.ended, raw_call.missing) == ("upstream down", ("request: the rest was not received",))


def test_who_closes_without_an_answer_is_named() -> None:
    """The program sees what it would have seen without the tap; the record holds the request, and says who closed."""
    with upstream(lambda line: line.request()) as there, tap_to(f"openai={there.url}/v1") as tap:
        assert talk(tap.port, asking(tap.port, body=BODY)) == b""
        (raw_call,) = tap.recorded()
        call = read_recorded_call(raw_call, "c1", RUN)
        assert call is not None
        assert (raw_call.ended, call.pieces[0].text) == ("upstream went", PROMPT)
        assert call.error == f"{there.url} closed the connection without a response"


def test_the_report_says_who_refused(place: Place) -> None:
    """At the end of the run, in `tap report`, and with the prompt in `tap show`."""
    place.there.close()
    done = place.tap(*written(place.folder, LIGHT), "1")
    why = f"{place.there.url} refused the connection"
    assert done.returncode == 1
    assert [call["error"] for call in place.calls()] == [why]
    assert why in done.stderr
    assert "no JSON object" not in done.stderr
    assert why in place.read_stdout("report")
    assert "You are Ada." in place.read_stdout("show", "--text")
