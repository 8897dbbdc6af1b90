"""Calls are recorded beside the traffic, which never waits; what could not be recorded is counted and said."""

import threading
import time
from pathlib import Path

from overture.report.tap.call import Call
from overture.tap.store.open_store import open_store
from overture.tap.store.recorder import Recorder

from .made_calls import make_call


class Slow:
    """A place to keep calls that takes none until it is let."""

    def __init__(self) -> None:
        self.let = threading.Event()
        self.kept: list[str] = []

    def add(self, call: Call) -> bool:
        """Wait, then keep it; some can't be kept."""
        self.let.wait(30)
        if call.id.startswith("bad"):
            raise MemoryError("no room in here")
        self.kept.append(call.id)
        return True


def test_calls_are_written_in_order(tmp_path: Path) -> None:
    """All of them, and the recorder ends when it is closed."""
    with open_store(tmp_path / "p.sqlite") as store:
        recorder = Recorder(store)
        assert all(recorder.put(make_call(f"c{number:02}")) for number in range(40))
        assert recorder.wait(30)
        recorder.close()
        assert [kept.id for kept in store.calls()] == [f"c{number:02}" for number in range(40)]
        assert (recorder.written, recorder.dropped, recorder.missing()) == (40, 0, ())


def test_the_traffic_never_waits() -> None:
    """While the store is stuck, handing over returns at once; what has no room is dropped and counted."""
    slow = Slow()
    recorder = Recorder(slow, room=5)
    began = time.monotonic()
    taken = [recorder.put(make_call(f"c{number}")) for number in range(100)]
    assert time.monotonic() - began < 5
    assert 5 <= sum(taken) <= 6  # one may be under way already
    assert recorder.dropped == 100 - sum(taken)
    slow.let.set()
    recorder.close()
    assert len(slow.kept) == recorder.written == sum(taken)
    assert recorder.missing() == (
        f"{recorder.dropped} calls could not be recorded: they came faster than they could be written",
    )


def test_large_calls_take_more_room() -> None:
    """Memory is bounded by what calls hold, not by their number; a single one that is larger is taken."""
    slow = Slow()
    recorder = Recorder(slow, chars=100_000)
    taken = [recorder.put(make_call(f"c{number}", "x" * 200_000)) for number in range(10)]
    assert taken[0]
    assert 1 <= sum(taken) <= 2
    slow.let.set()
    recorder.close()
    assert len(slow.kept) == sum(taken)


def test_what_can_not_be_written_is_told_and_the_rest_goes_on(tmp_path: Path) -> None:
    """Whatever is wrong with one call, the next is written; the reason is in the record."""
    slow = Slow()
    slow.let.set()
    recorder = Recorder(slow)
    for id in ("a", "bad", "b"):
        recorder.put(make_call(id))
    recorder.close()
    assert slow.kept == ["a", "b"]
    assert recorder.missing() == ("1 call could not be recorded: MemoryError: no room in here",)
    with open_store(tmp_path / "p.sqlite") as store:
        recorder = Recorder(store)
        recorder.put(make_call("a", "one"))
        recorder.put(make_call("a", "two"))
        recorder.close()
        assert recorder.written == recorder.failed == 1
        assert "Another call has the id 'a'" in recorder.missing()[0]


def test_after_the_end_nothing_is_taken() -> None:
    """A recorder that could not finish in time counts what it left."""
    slow = Slow()
    recorder = Recorder(slow)
    recorder.put(make_call("a"))
    recorder.put(make_call("b"))
    recorder.close(timeout=0.05)
    assert recorder.put(make_call("c")) is False
    assert recorder.dropped >= 2
    slow.let.set()
