"""Ten calls in the shape of each agent, sent to a provider that caches: prediction and cause agree with what it did."""

import http.client
import json
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from overture.known_models.model_table import packaged_table
from overture.tap.judge.miss_causes import CallVerdict
from overture.tap.judge.report_data import make_report
from overture.tap.page.judge_run import IncrementalJudge
from overture.tap.recorded_call import RecordedCall
from tests.contract.tap.caching_provider.agent_shapes import SHAPES, Request, World
from tests.contract.tap.caching_provider.provider import CachingProvider, ProviderServer
from tests.tap.judge.calls import read

START = datetime(2026, 11, 16, 9, tzinfo=UTC)


class Session:
    """An agent's session with the provider: every call is sent over HTTP, at a time that can be moved."""

    def __init__(self, server: ProviderServer, host: str) -> None:
        self.server, self.host = server, host
        self.calls: list[RecordedCall] = []
        self.seconds = 0.0

    def send(self, request: Request, later: float = 5.0) -> None:
        """Send a request so many seconds after the last one."""
        self.seconds += later
        self.server.provider.offset += later
        line = http.client.HTTPConnection("127.0.0.1", self.server.server_address[1])
        line.request("POST", request.path, json.dumps(request.body), request.headers)
        answer = line.getresponse()
        came = answer.read()
        line.close()
        at = (START + timedelta(seconds=self.seconds)).isoformat()
        kind, body = answer.getheader("Content-Type", ""), json.dumps(request.body).encode()
        more = {"headers": request.headers, "first_ms": 40.0, "at": at, "host": self.host}
        call = read(request.path, body, came, content_type=kind, **more)
        self.calls.append(replace(call, id=f"c{len(self.calls)}", run="r"))

    def verdicts(self) -> list[CallVerdict]:
        """In the order of the calls."""
        told = (each.verdict for conversation in make_report(self.calls).conversations for each in conversation.calls)
        return sorted(told, key=lambda verdict: verdict.call)


@contextmanager
def session(folder: Path, host: str = "api.example", **more: Any) -> Iterator[Session]:
    """A session with a provider of its own."""
    server = ProviderServer(folder / "log.jsonl", CachingProvider(**more))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield Session(server, host)
    finally:
        server.shutdown()
        server.server_close()


def agree(told: CallVerdict) -> bool:
    """Whether prediction and report are within 5 % of each other."""
    assert told.read is not None
    return abs(told.predicted - told.read) <= 0.05 * max(told.predicted, told.read)




MODELS = {"claude-code": "claude-sonnet-5-5", "opencode": "claude-opus-4-5", "codex": "gpt-5.4",
          "codex since 5.6": "gpt-6-sol", "chat": "gpt-5.1", "gemini-cli": "gemini-3.5-flash"}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("model", "retention", "hours", "reason"),
    [
        ("gpt-5.5", "", 20, "hit"),
        ("gpt-5.4", "", 20, "hit"),
        ("gpt-5.4", "24h", 20, "hit"),
        ("gpt-5.4", "in_memory", 1, "expired"),
        ("gpt-5.4", "", 25, "expired"),
        ("gpt-5.4-mini", "", 1, "expired"),
    ],
)
def test_a_prefix_lives_as_long_as_its_model_or_the_request_says(
    model: str, retention: str, hours: float, reason: str, tmp_path: Path
) -> None:
    """Before GPT-5.6, most models keep it for a day, unless a request asks for less; small ones for minutes."""
    with session(tmp_path) as there:
        for turn in range(2):
            asked = SHAPES["chat"].request(turn, World(model=model))
            body = {**asked.body, **({"prompt_cache_retention": retention} if retention else {})}
            there.send(asked._replace(body=body), hours * 3600)
        told = there.verdicts()[1]
    assert (told.reason, agree(told)) == (reason, True)




@pytest.mark.slow
@pytest.mark.parametrize("name", SHAPES)
def test_another_model_is_a_cause(name: str, tmp_path: Path) -> None:
    """A conversation that goes on with another model reads nothing, for that reason."""
    with session(tmp_path) as there:
        for turn in range(4):
            there.send(SHAPES[name].request(turn, World(model=MODELS[name] if turn == 3 else "")))
        told = there.verdicts()[-1]
    assert (told.reason, told.predicted, told.read) == ("model changed", 0, 0)
    assert MODELS[name] in told.cause


@pytest.mark.slow
def test_a_provider_that_reads_the_billing_header(tmp_path: Path) -> None:
    """Where nobody strips it, every call misses because of it: it is named and predicted."""
    with session(tmp_path, strips_header=False) as there:
        for turn in range(4):
            there.send(SHAPES["claude-code"].request(turn, World()))
        told = there.verdicts()
    assert all(map(agree, told)) and [each.reason for each in told[1:]] == ["prefix changed"] * 3
    assert all("x-anthropic-billing-header" in each.cause for each in told[1:])




def test_evidence_of_later_calls_counts(tmp_path: Path) -> None:
    """A header that changes in a miss and in later hits is no cause: nothing that was sent is, and that is said."""
    with session(tmp_path) as there:
        for turn in range(5):
            if turn == 1:
                there.server.provider.evict()
            there.send(SHAPES["claude-code"].request(turn, World()))
        told = there.verdicts()
    assert [each.reason for each in told] == ["first call", "evicted", "hit", "hit", "hit"]
    assert told[1].cause.startswith("cause unknown")
    assert any("the same happened between calls that hit" in each for each in told[1].ruled_out)


def warm_up(request: Request) -> Request:
    """What Codex sends when it goes on with a session: tools and instructions alone, and nothing to answer."""
    return Request(request.path, {**request.body, "input": [], "generate": False}, request.headers)


@pytest.mark.slow
def test_a_warm_up_hides_no_miss(tmp_path: Path) -> None:
    """A call behind a warm-up is judged by what the call before the warm-up left, and not by the warm-up's little."""
    codex = SHAPES["codex"].request
    with session(tmp_path) as there:
        first, edited = codex(6, World()), codex(6, World(history=" And be quick."))
        for request in (warm_up(first), first, warm_up(first), edited):
            there.send(request)
        told = there.verdicts()
        judged = IncrementalJudge(packaged_table())
        for call in there.calls:
            judged.add(call)
    assert (told[3].reason, told[3].cause) == ("prefix changed", "text at the end of message 3 (user) was added")
    assert agree(told[3]) and [each.reason for each in judged.verdicts] == [each.reason for each in told]




def as_they_come(calls: Sequence[RecordedCall]) -> list[tuple[str, str]]:
    """What the page says of each call when it sees it: why, and of which conversation."""
    judged = IncrementalJudge(packaged_table())
    rows: list[tuple[str, str]] = []
    for call in calls:
        judged.add(call)
        name = next(
            conversation.name for conversation in judged.conversations if len(judged.numbers) - 1 in conversation.calls
        )
        rows.append((judged.verdicts[-1].reason, name))
    return rows


@pytest.mark.slow
def test_a_warm_up_that_nothing_names_is_told_alike_in_every_view(tmp_path: Path) -> None:
    """Without the key of a session, only the next call tells whose it is: until then and after, it is a first call."""
    codex = SHAPES["codex"].request
    with session(tmp_path) as there:
        for request in (codex(3, World()), warm_up(codex(4, World(model="gpt-5.4"))), codex(5, World(model="gpt-5.4"))):
            there.send(request)
        calls = [replace(call, key="") for call in there.calls]
    told = [call.verdict.reason for conversation in make_report(calls).conversations for call in conversation.calls]
    assert [reason for reason, _ in as_they_come(calls)] == told == ["first call", "first call", "model changed"]




def with_more(request: Request, text: str) -> Request:
    """The request with one more message of a user, which the next calls repeat."""
    said = {"role": "user", "content": [{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}]}
    return Request(request.path, {**request.body, "messages": [*request.body["messages"], said]}, request.headers)


@pytest.mark.slow
def test_one_message_of_other_words_does_not_spoil_the_sizes(tmp_path: Path) -> None:
    """What stands before a change is measured by all that the messages grew by, and not by the last of them alone."""
    claude, words = SHAPES["claude-code"].request, "- Rule 12: count to 84.\n" * 200
    with session(tmp_path) as there:
        for turn in range(6):
            there.send(claude(turn, World()))
        there.send(with_more(claude(5, World()), words))
        there.send(with_more(claude(5, World(date="2026-12-24")), words))
        told = there.verdicts()[-1]
    assert told.read and agree(told), (told.predicted, told.read)
    assert told.reason == "prefix changed" and "date" in told.cause






