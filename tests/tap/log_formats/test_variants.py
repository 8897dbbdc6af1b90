"""The same logs as other versions and programs write them."""

import json
from pathlib import Path
from typing import Any

import pytest

from overture.tap.judge.report_data import make_report
from overture.tap.recorded_call import RecordedCall

from .taking import SAMPLES, store_in, take

pytestmark = pytest.mark.slow


def _of(tmp_path: Path, *lines: Any) -> list[RecordedCall]:
    """The calls of a log of these lines."""
    path = tmp_path / "log"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    with store_in(tmp_path) as store:
        (done,) = take(store, path)
        assert not done.problems and not done.refused
        return [call.read_call() for call in store.list_calls()]


def _lines(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (SAMPLES / name).read_text().splitlines()]


def test_older_transcripts_hold_sub_agents_between_the_lines(tmp_path: Path) -> None:
    """A side chain in the same file is a conversation of its own, and its answers do not tear others apart."""
    lines = _lines("claude-code-older.jsonl")
    agent = [line for line in _lines("claude-code-agent.jsonl") if not line["type"].startswith("api")]
    for line in agent:
        line.pop("agentId", None)
        line.pop("requestRef", None)
    said = [line for line in lines if line["type"] == "assistant"]
    at = lines.index(said[0]) + 1
    calls = _of(tmp_path, *lines[:at], *agent, *lines[at:])
    assert [call.usage and call.usage.input for call in calls] == [3041, 5043, 7045, 9047, 11049]
    names = [talk.name for talk in make_report(calls).conversations]
    assert names == ["main", "sub-agent: SUBTASK: count the roses"]


def test_a_request_of_claude_code_that_failed_is_a_call_that_failed(tmp_path: Path) -> None:
    """The agent notes the error and asks again: both are told, and only one is paid."""
    lines = _lines("claude-code.jsonl")
    at = next(number for number, line in enumerate(lines) if line["type"] == "api-request")
    base = {key: lines[2][key] for key in ("sessionId", "cwd", "version", "timestamp")}
    error = {**base, "type": "system", "subtype": "api_error", "uuid": "e1", "parentUuid": None,
             "error": {"status": 529, "formatted": "Overloaded"}}  # fmt: skip
    again = {**lines[at], "id": "again"}
    calls = _of(tmp_path, *lines[: at + 1], error, again, *lines[at + 1 :])
    assert len(calls) == 5
    (failed,) = [call for call in calls if not call.is_answered]
    assert (failed.status, failed.error, failed.model) == (529, "Overloaded", "claude-opus-5-5")
