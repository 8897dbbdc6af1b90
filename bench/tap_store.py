"""How fast calls are kept, and how little room they take: `python bench/tap_store.py [postgresql://…]`."""

import random
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from overture.tap.call import CallPiece, CallUsage, RecordedCall
from overture.tap.store.open_store import open_store
from overture.tap.store.store import Store

WORDS = (Path(__file__).parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8").split()
CHANCE = random.Random(7)
RAW = {"input_tokens": 120, "cache_read_input_tokens": 21_000, "output_tokens": 80, "service_tier": "standard"}


def prose(words: int) -> str:
    """Some words."""
    return " ".join(CHANCE.choices(WORDS, k=words))


SAME = (*(CallPiece("tool", f"tool-{n}", prose(200)) for n in range(20)), CallPiece("system", "system", prose(8000)))


def call(number: int, name: str, messages: list[CallPiece]) -> RecordedCall:
    """A call as a coding agent makes it: twenty tools, a system prompt, messages."""
    at = f"2026-03-07T08:{number // 60_000:02}:{number // 1000 % 60:02}.{number % 1000:03}+00:00"
    return RecordedCall(
        f"{name}-{number}", at, "anthropic", "api.anthropic.com", "/v1/messages?beta=true", "claude-sonnet-4-5", 200,
        (*SAME, *messages), "run-1", "claude", "/home/ada/harbor", True, 812.25, 2313.5, prose(40), ("Bash",),
        "tool_use", CallUsage(21_120, 21_000, 0, 80, raw=RAW), key="session-1",
    )  # fmt: skip


def short_ones(count: int) -> Iterator[RecordedCall]:
    """The same system prompt each time, and one question."""
    yield from (call(n, "short", [CallPiece("message", "user", prose(20), message=0)]) for n in range(count))


def growing_one(count: int) -> Iterator[RecordedCall]:
    """One conversation, two messages longer with each call."""
    messages: list[CallPiece] = []
    for n in range(count):
        messages.append(CallPiece("message", "assistant", prose(30), "tool call", message=2 * n))
        messages.append(CallPiece("message", "user", prose(100), "tool result", message=2 * n + 1))
        yield call(n, "grows", messages)


def measured(store: Store, what: str, calls: Iterator[RecordedCall], count: int) -> None:
    """Keep them, and say how that went."""
    spent, sent, before = 0.0, 0, store.database.count_used_bytes()
    for each in calls:
        began = time.perf_counter()
        store.add(each)
        spent += time.perf_counter() - began
        sent += sum(len(piece.text) for piece in each.pieces)
    took = store.database.count_used_bytes() - before
    print(f"{what}: {count / spent:,.0f} calls a second; {took / 1e6:.1f} MB for {sent / 1e6:,.0f} MB that were sent")


def main() -> None:
    """Short calls, one long conversation, and how long opening and listing take."""
    with tempfile.TemporaryDirectory() as folder:
        where = sys.argv[1] if len(sys.argv) > 1 else str(Path(folder, "store", "calls.sqlite"))
        with open_store(where) as store:
            measured(store, "10,000 short calls", short_ones(10_000), 10_000)
            measured(store, "1,000 calls of one conversation", growing_one(1000), 1000)
        began = time.perf_counter()
        store = open_store(where)
        print(f"open: {(time.perf_counter() - began) * 1000:.1f} ms")
        began = time.perf_counter()
        store.list_calls(newest_first=True, limit=1000)
        print(f"list 1,000 calls: {(time.perf_counter() - began) * 1000:.0f} ms")
        began = time.perf_counter()
        store.find_call("grows-999").read_call()
        print(f"read one of 2,000 messages: {(time.perf_counter() - began) * 1000:.0f} ms")
        store.close()


if __name__ == "__main__":
    main()
