"""Ten calls in the shape of each agent, sent to a provider that caches: prediction and cause agree with what it did."""

import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from overture.tap.judge.miss_causes import CallVerdict
from overture.tap.judge.report_data import make_report
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
