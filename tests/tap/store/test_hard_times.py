"""Killed in the middle, a full disk, a store that may only be read, two taps at once: what was kept is not lost."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from overture.errors import StoreError
from overture.tap.store.store import open_store

from .conftest import Opens
from .made_calls import make_call, make_wire

pytestmark = pytest.mark.slow


ADDS = """
import itertools, json, sys
from overture.tap.store.store import open_store
from tests.tap.store.made_calls import make_call, make_wire
store = open_store(sys.argv[1])
for number in itertools.count():
    said = [f"{n} said " * 30 for n in range(number % 50)]
    store.add(make_call(f"{sys.argv[2]}{number}", *said), make_wire(json.dumps(said)))
    print(number, flush=True)
"""
PROJECT = Path(__file__).parents[3]


def start_script(script: str, *words: object) -> "subprocess.Popen[str]":
    """A script that runs in a process of its own."""
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, words)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        cwd=PROJECT, env={**os.environ, "PYTHONPATH": os.pathsep.join(["src", *sys.path])},
    )  # fmt: skip


def killed_after(process: "subprocess.Popen[str]", calls: int, pause: float) -> int:
    """Kill it in the middle of its work; the number of the last call that it said was done."""
    assert process.stdout is not None
    while int(process.stdout.readline()) < calls:
        pass
    time.sleep(pause)
    process.send_signal(signal.SIGKILL)
    rest = process.stdout.read().split("\n")
    process.communicate()
    return int(([str(calls), *(line for line in rest[:-1] if line)])[-1])


@pytest.mark.parametrize("pause", [0.0, 0.013, 0.047])
def test_a_killed_process_loses_at_most_the_call_under_way(tmp_path: Path, pause: float) -> None:
    """The store opens clean, and every call that was finished is there, whole."""
    path = tmp_path / "p.sqlite"
    last = killed_after(start_script(ADDS, path, "c"), 20, pause)
    with open_store(path) as store:
        assert store.database.run("PRAGMA integrity_check") == [("ok",)]
        kept = store.list_calls()
        assert len(kept) in (last + 1, last + 2)
        assert [len(each.read_call().pieces) for each in kept] == [2 + number % 50 for number in range(len(kept))]
        bodies = [json.loads((each.read_wire() or make_wire("0")).request or "0") for each in kept]
        assert bodies == [[f"{n} said " * 30 for n in range(number % 50)] for number in range(len(kept))]
        assert store.add(make_call("after")) is True


def test_two_taps_share_a_store(opens: Opens) -> None:
    """Both write at once, and a third removes texts meanwhile: each call is there, whole, and no error is seen."""
    problems: list[BaseException] = []

    def add(name: str) -> None:
        try:
            with opens() as store:
                for number in range(25):
                    wire = make_wire(f'["shared words of {number} {"x" * 70}"]')
                    store.add(make_call(f"{name}{number}", f"shared {number}", at="2026-03-07T08:00:00Z"), wire)
                    store.add(make_call(f"{name}-old-{number}", f"shared {number}", at="2020-01-01T00:00:00Z"), wire)
        except BaseException as problem:
            problems.append(problem)

    opens().close()
    threads = [threading.Thread(target=add, args=(name,)) for name in "ab"]
    for thread in threads:
        thread.start()
    days = (time.time() - 1_767_225_600) / 86_400  # since the first of January 2026
    with opens() as store:
        while any(thread.is_alive() for thread in threads):
            store.retain(age_days=days)
        store.retain(age_days=days)
        assert problems == []
        whole = [kept.read_call() for kept in store.list_calls()]
        assert sorted(call.id for call in whole) == sorted(f"{name}{number}" for name in "ab" for number in range(25))
        assert {call.pieces[2].text for call in whole} == {f"shared {number}" for number in range(25)}
        wires = [wire for kept in store.list_calls() if (wire := kept.read_wire())]
        assert {wire.request for wire in wires} == {f'["shared words of {n} {"x" * 70}"]' for n in range(25)}
        assert len(wires) == 50


def test_a_full_disk_is_told_and_outlived(tmp_path: Path) -> None:
    """The call that had no room is told to the caller; what was there stays, and once there is room it goes on."""
    with open_store(tmp_path / "p.sqlite") as store:
        store.add(make_call("a"))
        pages = store.database.run("PRAGMA page_count")[0][0]
        store.database.run(f"PRAGMA max_page_count = {pages + 2}")
        large = make_call("b", os.urandom(60_000).hex())
        with pytest.raises(StoreError, match=r"disk is full\. Make room on that disk"):
            store.add(large)
        assert [kept.id for kept in store.list_calls()] == ["a"]
        store.database.run("PRAGMA max_page_count = 100000")
        assert store.add(large) is True
        assert store.find_call("b").read_call() == large


def test_a_store_that_is_removed_while_it_is_open_is_told(tmp_path: Path) -> None:
    """Nothing is written to a file that nobody finds any more, also where another one has its name."""
    with open_store(tmp_path / "p.sqlite") as store:
        store.add(make_call("a"))
        for path in tmp_path.iterdir():
            path.rename(tmp_path / f"gone-{path.name}")
        for _ in range(2):
            with pytest.raises(StoreError, match="was removed or replaced while it was open"):
                store.add(make_call("b"))
            (tmp_path / "p.sqlite").touch(0o600)
