"""`--dry-run`: the real SDKs get an answer in their own form, and no provider is asked."""

import json
import re
import shlex

import brotli
import pytest

from overture.tap.recorded_call import Run
from overture.tap.run.dry_run_provider import make_answer, make_answer_text, serve_dry_run
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
        assert "ok" in repr(ASK[form](tap.base(FAMILY[form]), stream, 0))
        (seen,) = tap.recorded()
    call = read_recorded_call(seen, "c1", RUN)
    assert call is not None
    assert (call.form, call.status, call.reply, call.usage, call.missing) == (form, 200, "ok", None, ())
    assert "Wie spät? ☀" in call.pieces[-1].text


def test_a_program_that_asks_elsewhere_may_have_paid(place: Place) -> None:
    """What does not reach the tap is not stopped; the way that is suggested is a dry run again."""
    done = place.run("tap", "--dry-run", "--", "true")
    assert "Such a call was real, and may have been paid" in done.stderr
    assert "`overture tap --dry-run --forward -- …`" in done.stderr and "tap --forward" not in done.stderr
    assert "real" not in place.run("tap", "--", "true").stderr


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


def test_a_count_that_nobody_reported_is_marked(place: Place) -> None:
    """`report` writes ~ before tokens that Overture counted, of a call and in the sum, as `list` does."""
    place.run("tap", "--dry-run", "--", *written(place.folder, PROGRAM), "2")
    told = place.read_stdout("report")
    assert re.search(r"^main: 2 calls, ~[\d,]+ tokens in \(unknown from the cache\)", told, re.MULTILINE)
    assert len(re.findall(r"^  \w+  \S+  ~[\d,]+ in, unknown read", told, re.MULTILINE)) == 2


def test_a_hint_repeats_the_store(place: Place) -> None:
    """Whoever gave --store finds the calls with the printed commands, and paid calls are told from unpaid ones."""
    program = written(place.folder, PROGRAM)
    done = place.run("tap", "--dry-run", "--store", "my calls.sqlite", "--", *program)
    hint = re.search(r"`overture tap (show .*)` prints the whole request", done.stderr)
    assert hint and '"messages"' in place.read_stdout(*shlex.split(hint[1]))
    assert "--text --store 'my calls.sqlite'` prints the whole system prompt" in place.read_stdout(
        "show", "--store", "my calls.sqlite"
    )
    done = place.run("tap", "--upstream", place.there.url, "--store", "my calls.sqlite", "--", *program)
    assert "`overture tap report --store 'my calls.sqlite'` shows the details" in done.stderr
    mixed = place.read_stdout("report", "--since", "all", "--store", "my calls.sqlite")
    assert "Dry run: 2 calls of these; nobody paid their predicted cost." in mixed and "\nThis session cost" in mixed


def test_it_names_no_provider(place: Place) -> None:
    """--upstream beside it is a slip; what asks no model gets an answer that says so."""
    done = place.run_tap("--dry-run", "--upstream", "http://localhost:1", "--", "true")
    assert (done.returncode, done.stderr.count("error: ")) == (2, 1)
    assert "Omit one of them" in done.stderr


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


def test_an_answer_fits_the_schema_that_is_asked_for() -> None:
    """Programs ask for JSON and ask again until they get it: the least that fits is said, whatever the schema."""
    fields = {"why": {"type": "STRING"}, "model": {"type": "STRING", "enum": ["flash"]}, "more": {"type": "ARRAY"}}
    inner = {"type": "OBJECT", "required": ["why", "model"], "properties": fields}
    said = make_answer_text({"generationConfig": {"responseSchema": inner}})
    assert json.loads(said) == {"why": "ok", "model": "flash"}
    wrapped = {"anyOf": [{"type": ["integer", "null"]}, {"type": "string"}]}
    schema = {"properties": {"n": wrapped, "list": {"type": "array"}, "sure": {"type": "boolean"}, "x": {"const": 7}}}
    asked = {"response_format": {"type": "json_schema", "json_schema": {"schema": schema}}}
    assert json.loads(make_answer_text(asked)) == {"n": 1, "list": [], "sure": False, "x": 7}
    loop: dict[str, object] = {"type": "object"}
    loop["properties"] = {"again": loop}
    assert make_answer_text({"format": loop})
    nameless: dict[str, object] = {"format": {"type": "object", "required": [["a"], {}]}}
    odd_ones: list[dict[str, object]] = [{"format": "json"}, {"text": 3}, {"format": {"type": []}}, nameless]
    for odd in odd_ones:
        assert isinstance(make_answer_text(odd), str)


def test_a_summary_of_a_conversation_is_told_ok() -> None:
    """OpenAI's compaction is a call without a stream, whatever it asks for; its answer has output to go on with."""
    kind, body = make_answer("/openai/v1/responses/compact", {"model": "m", "input": "u", "stream": True}, 9) or (
        "",
        b"",
    )
    told = json.loads(body)
    assert (kind, told["object"], told["usage"]["input_tokens"]) == ("application/json", "response.compaction", 9)
    assert told["output"][0]["content"][0]["text"] == "ok"


def test_a_program_that_writes_no_http_is_no_traceback(capfd: pytest.CaptureFixture[str]) -> None:
    """Nothing is printed into its terminal, whether it goes in the middle of a request or writes what is no chunk."""
    with serve_dry_run() as url, tap_to(url) as tap:
        chunked = asking(tap.port, "/openai/v1/responses", b"zz\r\n", "Transfer-Encoding: chunked")
        assert talk(tap.port, chunked.replace(b"Content-Length: 4\r\n", b"")) == b""
        talk(tap.port, asking(tap.port, "/openai/v1/responses", b"{}").replace(b"Length: 2", b"Length: 99"), shut=True)
        tap.recorded(2)
    assert capfd.readouterr().err == ""
