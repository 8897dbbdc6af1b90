"""Processes of one job share what they compute: each result is computed once, whoever needs it."""

import os
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from overture.discover.stored.encrypted_and_shared_results import SharedStore, share_results
from overture.discover.stored.recall_or_compute import recall_or_compute
from overture.discover.stored.signed_result_store import current_store

COUNT = 2_000
WORKER = f"""
import os, sys
from overture.discover.stored.encrypted_and_shared_results import SharedStore
store = SharedStore(sys.argv[1])
handle = os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
for number in range({COUNT}):
    def compute():
        os.write(handle, b"%d\\n" % number)
        return b"value %d" % number
    assert store.get_or_put(store.make_key("test", b"%d" % number), compute) == b"value %d" % number
"""


def test_processes_compute_each_result_once(tmp_path: Path) -> None:
    """Three of them ask for the same 2,000 results in the same order, at the same time."""
    line = [sys.executable, "-c", WORKER, str(tmp_path / "store"), str(tmp_path / "log")]
    for process in [subprocess.Popen(line) for _ in range(3)]:
        assert process.wait() == 0
    assert sorted(map(int, (tmp_path / "log").read_text().split())) == [*range(COUNT)]


def test_a_value_cannot_be_read_without_what_it_was_made_of(tmp_path: Path) -> None:
    """Neither the text nor what is said of it is in the file."""
    path = tmp_path / "store"
    with share_results(str(path)):
        found = recall_or_compute("test", b"the text with hunter2", str, lambda: "it holds hunter2")
        assert recall_or_compute("test", b"the text with hunter2", str, lambda: "") == found == "it holds hunter2"
    assert current_store() is None and b"hunter2" not in path.read_bytes()
    assert [each.name for each in tmp_path.iterdir()] == ["store"]


def test_a_store_that_fails_costs_the_results(tmp_path: Path) -> None:
    """A folder that is missing, a file that is none, one that is damaged while it is open: all is computed."""
    (tmp_path / "other").write_text("no database" * 100)
    for path in (tmp_path / "missing/store", tmp_path / "other"):
        with share_results(str(path)):
            assert recall_or_compute("test", b"x", int, lambda: 1) == 1
    store = SharedStore(str(tmp_path / "store"))
    store.put(key := store.make_key("test", b"x"), b"1")
    with closing(sqlite3.connect(tmp_path / "store")) as file, file:
        file.execute("drop table results")
    assert store.get(key) is None and store.get_or_put(key, lambda: b"2") == b"2"
    store.close()
    assert not os.path.exists(tmp_path / "store-locks")
