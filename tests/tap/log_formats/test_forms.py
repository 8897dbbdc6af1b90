"""Each form of log becomes calls, as a user would see them. The samples were written by the programs themselves."""

import json
from pathlib import Path

import pytest

from overture.tap.judge.report_data import make_report
from overture.tap.store.store import Store

from .taking import NAMES, SAMPLES, store_in, take, taken, words

KEY = b"A1b2C3d4E5f6G7h8"
ADA = "You are Ada, who keeps a garden.\n\n# Rules\n"


@pytest.mark.parametrize("name", ["mitmproxy.har"])
def test_traffic_is_read_as_if_it_had_been_tapped(tmp_path: Path, name: str) -> None:
    """A HAR holds whole calls: tools, system, marks, streams, counts."""
    first, second = taken(tmp_path, name)
    assert [(piece.kind, piece.mark) for piece in first.pieces] == [("tool", 0), ("system", 1), ("message", 0)]
    assert (first.host, first.path, first.model) == ("api.anthropic.com", "/v1/messages", "claude-sonnet-4-5")
    assert (first.stream, second.stream, first.missing, first.unknown) == (False, True, (), ())
    # mitmproxy writes UTF-8 of a stream as if it were Latin-1.
    assert (first.reply, second.reply, second.stop) == ("All is well.", "All is wéll.", "end_turn")
    assert "Water the rösés at dusk." in words(second, "system")[0]
    assert second.usage is not None
    assert (second.usage.input, second.usage.read, second.usage.written, second.usage.output) == (2540, 500, 2000, 7)
    assert first.at.startswith("2026-11-16T01:42:10") and first.whole_ms and first.first_ms
    assert make_report([first, second]).conversations[0].causes[0].cause == "the date in Today changed"


@pytest.mark.parametrize("name", ["mitmproxy.har"])
def test_traffic_is_kept_as_it_was_on_the_wire(tmp_path: Path, name: str) -> None:
    """With its heads and its body, which an export takes to another store; what was no traffic has none."""
    with store_in(tmp_path) as store:
        take(store, SAMPLES / name, SAMPLES / "litellm.jsonl")
        wires = [call.read_wire() for call in store.list_calls()]
        assert len([wire for wire in wires if wire is None]) == 5
        first = next(wire for wire in wires if wire)
        assert (first.method, first.scheme, first.over, first.events) == ("POST", "https", "http", None)
        assert first.path.startswith("/v1/messages")
        assert json.loads(first.request or "")["model"] == "claude-sonnet-4-5"
        assert [value for key, value in first.request_headers if key.lower() == "x-api-key"] == ["[hidden]"]
        (tmp_path / "export.jsonl").write_text("".join(store.export()), encoding="utf-8")
    (tmp_path / "other").mkdir()
    with store_in(tmp_path / "other") as other:
        take(other, tmp_path / "export.jsonl")
        assert [call.read_wire() for call in other.list_calls()] == wires


def test_an_export_of_somebody_else_is_looked_through(tmp_path: Path) -> None:
    """A wire in it may hold keys: they are hidden before it is kept."""
    key = "sk-ant-api03-" + "A1b2C3d4E5f6G7h8" * 5
    wire = {"method": "POST", "path": f"/v1/messages?key={key}", "request_headers": [["x-api-key", key]],
            "request": json.dumps({"said": f"{key} " * 3})}  # fmt: skip
    call = {"id": "c1", "at": "2026-03-07T08:55:05Z", "form": "anthropic", "host": "h", "path": "/v1/messages",
            "model": "m", "status": 200, "pieces": []}  # fmt: skip
    (tmp_path / "calls.jsonl").write_text(json.dumps({"call": call, "wire": wire}) + "\n")
    with store_in(tmp_path) as store:
        (done,) = take(store, tmp_path / "calls.jsonl")
        assert (done.new, done.problems) == (1, [])
        kept = store.find_call("c1").read_wire()
        assert kept is not None
        assert key not in repr(kept)
        assert kept.path == "/v1/messages?key=[hidden]"


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("mitmproxy")])
def test_keys_and_cookies_are_never_written(tmp_path: Path, name: str) -> None:
    """What stands in headers, in cookies and in the query of a log is in no byte of the store."""
    assert KEY in (SAMPLES / name).read_bytes()
    taken(tmp_path, name)
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert not [word for word in (KEY, b"very-secret", b"AIzaSy") if word in kept]


def test_what_litellm_logs(tmp_path: Path) -> None:
    """Messages, tools, marks and counts of any provider, errors with their status, and what was asked as Responses."""
    claude, chat, failed, responses, own = taken(tmp_path, "litellm.jsonl")
    assert [piece.kind for piece in claude.pieces] == ["tool", "system", "message"]
    assert claude.pieces[1].mark and claude.usage and (claude.usage.input, claude.usage.written) == (2540, 2000)
    assert (claude.key, chat.key, claude.host) == ("garden-1", "", "gateway.example")
    assert chat.usage and (chat.usage.read, chat.reply) == (1024, "Aye.")
    assert (failed.status, failed.usage) == (400, None) and "no such garden" in (failed.error or "")
    assert words(responses, "system") == [f"{ADA}Water the roses at dusk."] and responses.form == "openai-responses"
    assert own.unknown == ("system", "mark")
    assert own.missing == ("LiteLLM's log does not contain the system prompt and its cache marks",)


def test_what_langfuse_exports(tmp_path: Path) -> None:
    """Generations are calls, in the order of time; counts that it parts are added up again; other kinds are none."""
    first, second, whole = taken(tmp_path, "langfuse.json")
    assert [call.at[11:16] for call in (first, second, whole)] == ["08:00", "08:02", "08:03"]
    assert second.usage and (second.usage.input, second.usage.read, second.usage.output) == (1300, 1024, 2)
    assert whole.usage and (whole.usage.input, whole.usage.read, whole.usage.written) == (2540, 500, 2000)
    assert (words(first, "system"), first.reply, first.whole_ms) == (["You are Ada."], "Aye.", 2500.0)
    assert first.missing == ("Langfuse's log does not contain the tools",)
    assert (whole.unknown, whole.form, [piece.mark for piece in whole.pieces]) == (
        (),
        "anthropic",
        [False, True, False],
    )


def test_what_spans_tell(tmp_path: Path) -> None:
    """Messages and counts stand in attributes; calls of tools, their results and errors are told as what they are."""
    first, second, failed = taken(tmp_path, "otlp-openai-new.jsonl")
    assert words(first, "system") == [f"{ADA}Water the roses at dusk."]
    assert [piece.what for piece in second.select_pieces("message")] == ["text", "tool call", "text", "tool result"]
    assert (first.reply, first.stop, first.usage and first.usage.input) == ("Aye.", "stop", 1300)
    assert (failed.status, first.missing) == (0, ("the span does not contain the tools",))
    assert "no such garden" in (failed.error or "")


def test_two_libraries_tell_of_one_call_once(tmp_path: Path) -> None:
    """Where the SDK and an instrumentation both write a span, that with the words counts, and the bill is right."""
    (call,) = taken(tmp_path, "otlp-anthropic.jsonl")
    assert [(piece.kind, piece.name) for piece in call.pieces] == [
        ("tool", "read_file"), ("system", "system"), ("message", "user"),
    ]  # fmt: skip
    assert call.usage and (call.usage.input, call.usage.read, call.usage.written) == (2540, 500, 2000)


def test_spans_without_words_hold_counts_alone(tmp_path: Path) -> None:
    """A span that tells no messages is still a call with a price; nothing is said of its prompt."""
    calls = taken(tmp_path, "otlp-openai-old.jsonl")
    assert all(call.unknown == ("tool", "system", "message", "mark") and not call.pieces for call in calls)
    told = make_report(calls)
    assert told.dollars and not told.causes


def test_words_of_a_span_may_come_in_events(tmp_path: Path) -> None:
    """What older libraries write as events, in the span or in a log of its own, becomes the call's messages."""

    def value(text: str) -> dict[str, object]:
        return {"stringValue": text}

    named = {"gen_ai.operation.name": "chat", "gen_ai.request.model": "gpt-5"}
    own = [{"key": key, "value": value(text)} for key, text in named.items()]
    said = [("gen_ai.system.message", "You are Ada."), ("gen_ai.user.message", "Ahoy")]
    inside = [{"name": name, "attributes": [{"key": "content", "value": value(text)}]} for name, text in said]
    spans = [
        {
            "traceId": "t",
            "spanId": "a",
            "startTimeUnixNano": "1794793142158524650",
            "attributes": own,
            "events": inside,
        },
        {"traceId": "t", "spanId": "b", "startTimeUnixNano": "1794793143158524650", "attributes": own},
    ]
    body = [{"kvlistValue": {"values": [{"key": "content", "value": value(text)}]}} for _, text in said]
    logs = [{"traceId": "t", "spanId": "b", "eventName": said[n][0], "body": body[n]} for n in (0, 1)]
    path = tmp_path / "traces"
    path.write_text(
        json.dumps({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]})
        + "\n"
        + json.dumps({"resourceLogs": [{"scopeLogs": [{"logRecords": logs}]}]})
    )
    with store_in(tmp_path) as store:
        take(store, path)
        calls = [call.read_call() for call in store.list_calls()]
    assert [words(call, "system", "message") for call in calls] == [["You are Ada.", "Ahoy"]] * 2


def test_a_transcript_of_claude_code_holds_whole_requests(tmp_path: Path) -> None:
    """Newer versions write down what they send: system prompt, tools, marks and messages are those of the request."""
    calls = taken(tmp_path, "claude-code.jsonl", "claude-code-agent.jsonl")
    assert all((call.unknown, call.missing, call.program) == ((), (), "claude") for call in calls)
    first, agent, *_, last = calls
    assert [piece.name for piece in first.select_pieces("tool")] == ["Agent", "Read"]
    assert words(first, "system") == [f"{ADA}Say what you do.", "# Memory\nThe gate is green."]
    assert [piece.mark for piece in first.pieces] == [False, False, True, True, False, False, True]
    assert [piece.what for piece in last.select_pieces("message")].count("tool result") == 2
    assert (first.calls, last.reply, last.cwd, last.stop) == (("Agent",), "All is well.", "/garden", "end_turn")
    assert {call.run for call in calls} == {agent.run}
    assert [talk.name for talk in make_report(calls).conversations] == ["main", "sub-agent: SUBTASK: count the roses"]


@pytest.mark.parametrize("name", ["claude-code.jsonl", "claude-code-older.jsonl"])
def test_an_answer_on_several_lines_is_counted_once(tmp_path: Path, name: str) -> None:
    """Each block of an answer has a line with the counts of the whole: they are added up once."""
    calls = taken(tmp_path, name)
    assert [call.usage and call.usage.input for call in calls] == [3041, 7045, 9047, 11049]
    assert sum(call.usage.output or 0 for call in calls if call.usage) == 42


def test_an_older_transcript_says_what_it_does_not_hold(tmp_path: Path) -> None:
    """Messages and counts are there, the system prompt and the tools are not; no cause is made up from that."""
    calls = taken(tmp_path, "claude-code-older.jsonl")
    assert {call.missing for call in calls} == {
        ("the transcript does not contain the system prompt, the tools and its cache marks",)
    }
    assert words(calls[1], "message")[0] == "Look around in the garden"
    assert [piece.what for piece in calls[1].pieces] == ["text", "text", "tool call", "tool result"]
    told = make_report(calls)
    assert len(told.conversations) == 1 and told.dollars
    reasons = {call.verdict.reason for call in told.conversations[0].calls}
    assert reasons <= {"hit", "not known"} and not told.conversations[0].sections


@pytest.mark.parametrize("name", ["codex.jsonl", "codex-older.jsonl"])
def test_a_transcript_of_codex(tmp_path: Path, name: str) -> None:
    """Instructions, messages, calls of tools and counts are there, each answer's once; the tools are not."""
    first, second, third = taken(tmp_path, name)
    assert [call.usage and call.usage.input for call in (first, second, third)] == [5011, 5013, 5015]
    assert words(first, "system")[0] == f"{ADA}Say what you do."
    assert [piece.what for piece in second.select_pieces("message")][-3:] == ["text", "tool call", "tool result"]
    assert (first.calls, first.reply, third.reply) == (("exec_command",), "I read it.", "All is well.")
    assert (first.program, first.cwd, first.model) == ("codex", "/garden", "gpt-5.5")
    assert first.missing == ("the transcript does not contain the tools",)
    assert len(make_report([first, second, third]).conversations) == 1


def test_an_answer_of_codex_ends_before_its_tools_run(tmp_path: Path) -> None:
    """Its newer versions count an answer at once: the next request begins with the result, and ids are known."""
    first, second, third = taken(tmp_path, "codex.jsonl")
    assert [call.at[14:23] for call in (first, second, third)] == ["38:41.619", "38:41.855", "38:47.402"]
    assert [call.whole_ms for call in (first, second, third)] == [48.0, 36.0, 37.0]
    assert [call.reply_id for call in (first, second, third)] == ["resp_0011", "resp_0013", "resp_0015"]


def _grown(store: Store, path: Path, lines: list[str]) -> int:
    path.write_text("".join(lines))
    return take(store, path)[0].new


# Not the one in which two libraries tell of one call: whoever cuts between the two has taken the first for a call.
@pytest.mark.parametrize("name", [name for name in NAMES if name.endswith(".jsonl") and name != "otlp-anthropic.jsonl"])
def test_a_log_that_has_grown_adds_what_is_new(tmp_path: Path, name: str) -> None:
    """However a log is cut while it is written, in the end all calls are there, once, and in one run."""
    (tmp_path / "whole").mkdir()
    whole = taken(tmp_path / "whole", name)
    lines = (SAMPLES / name).read_text().splitlines(keepends=True)
    with store_in(tmp_path) as store:
        path = tmp_path / "log"
        new = [_grown(store, path, lines[: len(lines) * part // 3]) for part in (1, 2, 3)]
        calls = [call.read_call() for call in store.list_calls()]
    assert sum(new) == len(whole)
    assert calls == whole
