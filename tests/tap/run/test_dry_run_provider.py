"""`--dry-run`: the real SDKs get an answer in their own form, and no provider is asked."""

import json
import re

import brotli
import pytest

from overture.tap.recorded_call import Run
from overture.tap.run.dry_run_provider import serve_dry_run
from overture.tap.wire.read_call import read_recorded_call
from tests.contract.tap.provider import PROGRAM, written

from ..raw_http import asking, talk, tap_to
from ..sdk_calls import ASK, FAMILY
from .test_command import Place, place

pytestmark = pytest.mark.slow


__all__ = ["place"]
UNPAID = "Dry run: nothing was sent or paid. These calls would cost at least "
RUN = Run("r1", "2026-03-07T08:55:05+00:00", "x", ("x",), "/")


@pytest.mark.parametrize(("form", "stream"), [(form, stream) for form in ASK for stream in (False, True)][:-1])
def test_every_sdk_is_told_ok(form: str, stream: bool) -> None:
    """Streamed and not (but for Bedrock's own streams); what was asked is recorded, and no made-up count of tokens."""
    with serve_dry_run() as url, tap_to(url) as tap:
        assert "ok" in repr(ASK[form](tap.base(FAMILY[form]), stream))
        (seen,) = tap.recorded()
    call = read_recorded_call(seen, "c1", RUN)
    assert call is not None
    assert (call.form, call.status, call.reply, call.usage, call.missing) == (form, 200, "ok", None, ())
    assert "Wie spät? ☀" in call.pieces[-1].text


def test_a_program_runs_without_a_provider(place: Place) -> None:
    """It is told that nobody was asked; tokens, cache and bill are predicted, and the prompt is there."""
    done = place.run("tap", "--dry-run", "--", *written(place.folder, PROGRAM), "3")
    assert (done.returncode, done.stdout.splitlines()[1:]) == (0, ["ok"] * 3)
    assert place.there.lines == []
    said = done.stderr.splitlines()
    assert said[1].startswith("overture tap: 3 calls, ")
    assert said[1].endswith(" (dry run: predicted, nothing sent or paid)")
    assert "the date in Today changed" in said[2]
    hint = re.fullmatch(r"hint: `overture tap (show \w+ --request)` prints the whole request", said[-1])
    assert hint and '"messages"' in place.read_stdout(*hint[1].split())
    assert all("usage" not in call for call in place.calls())
    assert place.read_stdout("show", "--text").startswith("You are Ada.")
    assert place.read_stdout("report").splitlines()[2].startswith(
        f"{UNPAID}$0."
    ) and "session cost" not in place.read_stdout("report")
    assert f"\n{UNPAID}$0." in place.read_stdout("report", "--markdown")
    assert "/v1/messages (dry run: no provider was called)\n" in place.read_stdout(
        "show"
    ) and "127.0.0.1" not in place.read_stdout("show")
    report = json.loads(place.read_stdout("report", "--json"))
    assert (report["calls"], report["dry_run"]) == (3, 3)
    counted = {call["id"]: call["verdict"]["tokens"] for talk in report["conversations"] for call in talk["calls"]}
    rows = [line.split() for line in place.read_stdout("list").splitlines() if line.strip()]
    assert {row[0]: row[5] for row in rows if row[0] in counted} == {
        id: f"~{tokens:,}" for id, tokens in counted.items()
    }


def test_packed_chunked_and_odd_requests() -> None:
    """A body in chunks or packed is read; what is no JSON, or no call, is refused in words, and nothing breaks."""
    body = brotli.compress(json.dumps({"model": "m", "messages": [{"role": "user", "content": "hi"}]}).encode())
    chunk = b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body)
    with serve_dry_run() as url, tap_to(url) as tap:
        head = f"POST /anthropic/v1/messages HTTP/1.1\r\nHost: 127.0.0.1:{tap.port}\r\nContent-Encoding: br\r\n"
        packed = f"{head}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n".encode() + chunk
        assert b'"text": "ok"' in talk(tap.port, packed)
        for path, asked, said in (
            ("/anthropic/v1/messages", b"no json", b"the body has to be a JSON object"),
            ("/openai/v1/embeddings", b"{}", b"/v1/embeddings is not the path of a model call"),
        ):
            assert said in talk(tap.port, asking(tap.port, path, asked, "Connection: close"))
        for method in ("PUT", "PATCH", "DELETE"):
            request = asking(tap.port, "/openai/v1/responses/r1", b"{}", "Connection: close")
            answer = talk(tap.port, request.replace(b"POST", method.encode(), 1))
            assert b"404" in answer.partition(b"\r\n")[0] and b"is not the path of a model call" in answer
        (seen, *_) = tap.recorded(1)
    call = read_recorded_call(seen, "c1", RUN)
    assert call is not None
    assert (call.pieces[0].text, call.reply, call.usage) == ("hi", "ok", None)
