"""Conversations in the shape of each agent with a provider that caches, as a HAR: predicted reads and causes.

The provider keeps prefixes by the published rules, and its clock can be moved.
"""

import http.client
import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from ..cli.run import read_stdout
from .caching_provider.agent_shapes import SHAPES, Request, World
from .caching_provider.provider import CachingProvider, ProviderServer

START = datetime(2026, 11, 16, 9, tzinfo=UTC)
PROVOKED: dict[str, tuple[World, float, str, str]] = {
    "edit": (World(rule="Be thorough."), 5.0, "prefix changed", ""),
    "tool": (World(tools=("read", "edit", "search")), 5.0, "prefix changed", "tool 'fetch' was removed"),
    "order": (World(tools=("edit", "read", "search", "fetch")), 5.0, "prefix changed", "order of the tools changed"),
    "date": (World(date="2026-11-17"), 5.0, "prefix changed", "date"),
    "expiry": (World(), 90_000.0, "expired", "after the previous call"),
    "eviction": (World(), 5.0, "evicted", "no longer had it"),
    "history": (World(history=" And be quick."), 5.0, "prefix changed", "message"),
    "effort": (World(effort="high"), 5.0, "settings changed", "setting"),
}  # fmt: skip
SILENT = {
    ("opencode", "effort"): "it sends none",
    ("gemini-cli", "effort"): "it sends none",
    ("gemini-cli", "expiry"): "nothing is published of how long Gemini keeps a prefix",
}


class Conversation:
    """Requests that are sent one after the other, at times that can be moved, and kept as a HAR."""

    def __init__(self, server: ProviderServer, folder: Path) -> None:
        self.server, self.folder = server, folder
        self.entries: list[dict[str, Any]] = []
        self.seconds = 0.0

    def send(self, request: Request, later: float = 5.0) -> None:
        """Send a request so many seconds after the last one."""
        self.seconds += later
        self.server.provider.offset += later
        line = http.client.HTTPConnection("127.0.0.1", self.server.server_address[1])
        line.request("POST", request.path, json.dumps(request.body), request.headers)
        answer = line.getresponse()
        text, kind = answer.read().decode(), answer.getheader("Content-Type", "")
        line.close()
        headers = [{"name": name, "value": value} for name, value in request.headers.items()]
        self.entries.append({
            "startedDateTime": (START + timedelta(seconds=self.seconds)).isoformat(),
            "time": 90, "timings": {"send": 1, "wait": 39, "receive": 50},
            "request": {"method": "POST", "url": f"https://api.example{request.path}", "headers": headers,
                        "postData": {"mimeType": "application/json", "text": json.dumps(request.body)}},
            "response": {"status": 200, "headers": [{"name": "content-type", "value": kind}],
                         "content": {"mimeType": kind, "text": text}},
        })  # fmt: skip

    def report(self) -> list[dict[str, Any]]:
        """What `overture tap report` says of each call, oldest first."""
        har, store = self.folder / "calls.har", str(self.folder / "calls.sqlite")
        har.write_text(json.dumps({"log": {"version": "1.2", "creator": {}, "entries": self.entries}}))
        read_stdout("tap", "import", har, "--store", store)
        told = json.loads(read_stdout("tap", "report", "--json", "--since", "all", "--store", store))
        calls = [call for each in told["conversations"] for call in each["calls"]]
        return sorted(calls, key=lambda call: call["at"])


@contextmanager
def conversation(folder: Path, **more: Any) -> Iterator[Conversation]:
    """A conversation with a provider of its own."""
    server = ProviderServer(folder / "log.jsonl", CachingProvider(**more))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield Conversation(server, folder)
    finally:
        server.shutdown()
        server.server_close()


def agree(verdict: dict[str, Any]) -> bool:
    """Whether prediction and report are within 5 % of each other."""
    predicted, read = verdict["predicted"], verdict["read"]
    return bool(abs(predicted - read) <= 0.05 * max(predicted, read))


@pytest.mark.parametrize("name", SHAPES)
def test_ten_calls_are_predicted(name: str, tmp_path: Path) -> None:
    """Of each of ten calls, the predicted read is the reported one within 5 %, and no miss is made up."""
    with conversation(tmp_path) as there:
        for turn in range(10):
            there.send(SHAPES[name].request(turn, World()))
        told = [call["verdict"] for call in there.report()]
    assert all(map(agree, told)), [(each["predicted"], each["read"]) for each in told]
    assert [each["reason"] for each in told] == ["first call"] + ["hit"] * 9
    assert all(each["read"] for each in told[1:])


@pytest.mark.slow(unless=("claude-code-edit", "claude-code-tool", "claude-code-expiry", "codex-edit"))
@pytest.mark.parametrize(("name", "miss"), [(a, m) for a in SHAPES for m in PROVOKED if (a, m) not in SILENT])
def test_a_provoked_miss_has_its_true_cause(name: str, miss: str, tmp_path: Path) -> None:
    """Whatever is done to the seventh call, it and nothing else is named; the calls after it hit again."""
    world, later, reason, cause = PROVOKED[miss]
    with conversation(tmp_path) as there:
        for turn in range(6):
            there.send(SHAPES[name].request(turn, World()))
        if miss == "eviction":
            there.server.provider.evict()
        for turn in range(6, 9):
            there.send(SHAPES[name].request(turn, world), later if turn == 6 else 5.0)
        told = [call["verdict"] for call in there.report()]
    assert [each["reason"] for each in told[:6]] == ["first call"] + ["hit"] * 5
    missed = told[6]
    if missed["reason"] != "hit":
        assert (missed["reason"], cause in missed["cause"]) == (reason, True), (missed["reason"], missed["cause"])
    else:
        # An automatic cache reads up to the change, which may be near the end.
        assert miss in ("edit", "date", "history") and agree(missed)
    assert agree(missed) or missed["reason"] == "evicted"
    assert [each["reason"] for each in told[7:]] == ["hit"] * 2 and all(map(agree, told[7:]))
