"""What it costs to keep calls as they were on the wire: room in the store, and time of the recording.

`python bench/tap_wire.py` says both for 1,000 calls of one prompt, for one conversation of 200 calls, and for bodies of
300 kB in a conversation that grows.
"""

import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from bench import show

from overture.tap.call import Run
from overture.tap.record.exchange import Exchange
from overture.tap.record.recording import Recording
from overture.tap.store.open_store import open_store

WORDS = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")[:9000]
TOOLS = [{"name": f"tool_{n}", "description": WORDS[n * 50 :][:1500], "input_schema": {}} for n in range(20)]
FIXED = {"model": "claude-sonnet-4-5", "tools": TOOLS, "system": WORDS * 4}
USAGE = {"input_tokens": 40, "cache_read_input_tokens": 0, "cache_creation_input_tokens": 9000, "output_tokens": 7}
ANSWER = json.dumps(
    {"id": "m", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "stop_reason": "end_turn",
     "content": [{"type": "text", "text": "Aye."}], "usage": USAGE}
).encode()  # fmt: skip
RUN = Run("r1", "2026-03-07T08:55:05+00:00", "claude", ("claude",), "/garden")


def exchange(number: int, body: bytes) -> Exchange:
    """A call with heads as they are sent: some of their values are new each time."""
    return Exchange(
        at=f"2026-03-07T08:{number // 60_000:02}:{number // 1000 % 60:02}.{number % 1000:03}+00:00",
        family="anthropic", host="api.anthropic.com", method="POST", path="/v1/messages?beta=true",
        request_headers=(
            ("host", "api.anthropic.com"), ("content-type", "application/json"), ("x-api-key", "[hidden]"),
            ("anthropic-version", "2023-06-01"), ("user-agent", "claude-cli/2.1.325 (external, cli)"),
            ("x-stainless-lang", "js"), ("content-length", str(len(body))),
        ),
        ended="whole", request=body, status=200, response=ANSWER, first_ms=1.5, whole_ms=2.5,
        response_headers=(
            ("date", f"Sat, 07 Mar 2026 08:55:{number % 60:02} GMT"), ("content-type", "application/json"),
            ("request-id", f"req_{os.urandom(12).hex()}"), ("cf-ray", f"{os.urandom(8).hex()}-FRA"),
            ("anthropic-ratelimit-tokens-remaining", str(1_000_000 - 37 * number)), ("server", "cloudflare"),
        ),
    )  # fmt: skip


def bodies(count: int, grows: bool, first: int = 0) -> Iterator[bytes]:
    """One question each time, or a conversation that grows by two messages; it may have a beginning."""
    said = [{"role": "user", "content": f"Earlier {n}: {WORDS[n % 7000 :][:500]}"} for n in range(first)]
    for number in range(count):
        said = [*(said if grows else []), {"role": "user", "content": f"Call {number}: {WORDS[number:][:300]}"}]
        yield json.dumps({**FIXED, "messages": said}).encode()
        said = [*said, {"role": "assistant", "content": f"Aye, {number}."}]


def measured(what: str, sent: Iterator[bytes]) -> None:
    """Record them in a store of its own."""
    with tempfile.TemporaryDirectory() as folder, open_store(Path(folder, "own", "calls.sqlite")) as store:
        recording, spent, size, calls = Recording(store, RUN), 0.0, 0, 0
        for calls, body in enumerate(sent, 1):
            began = time.process_time()
            recording.record(exchange(calls, body))
            spent += time.process_time() - began
            size += len(body)
        show(
            f"{what}: kept",
            store.database.count_used_bytes() / 1e6,
            "MB",
            f"{size / 1e6:,.0f} MB sent in {calls} calls",
        )
        show(f"{what}: recorded", spent / calls * 1000, "ms", "of processor time for a call")


def main() -> None:
    """All three."""
    measured("one prompt", bodies(1000, False))
    measured("one conversation", bodies(200, True))
    measured("bodies of 300 kB", bodies(int(sys.argv[1]) if len(sys.argv) > 1 else 200, True, 400))


if __name__ == "__main__":
    main()
