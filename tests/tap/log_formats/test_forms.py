"""Each form of log becomes calls, as a user would see them. The samples were written by the programs themselves."""

from pathlib import Path

import pytest

from overture.tap.judge.report_data import make_report

from .taking import NAMES, SAMPLES, taken, words

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


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith("mitmproxy")])
def test_keys_and_cookies_are_never_written(tmp_path: Path, name: str) -> None:
    """What stands in headers, in cookies and in the query of a log is in no byte of the store."""
    assert KEY in (SAMPLES / name).read_bytes()
    taken(tmp_path, name)
    kept = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert not [word for word in (KEY, b"very-secret", b"AIzaSy") if word in kept]


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
