"""A store of which bits were flipped: whatever is asked of it, the answer is one sentence, and never a traceback."""

import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from overture.errors import OvertureError, StoreError
from overture.known_models.model_table import packaged_table
from overture.tap.judge.report_data import make_report
from overture.tap.store.find_calls import search_words
from overture.tap.store.store import Store, open_store
from tests.contract.cli.run import run
from tests.contract.effort import examples

from .made_calls import make_call, make_run, make_wire

pytestmark = pytest.mark.slow


COMMANDS = (
    ("report",),
    ("list",),
    ("show",),
    ("show", "--request"),
    ("diff", "c21", "c22"),
    ("export",),
    ("report", "--json"),
)


def made(path: Path) -> bytes:
    """A small store, as bytes."""
    with open_store(path) as store:
        for number in (1, 2):
            store.add_run(make_run(f"r{number}"))
            for each in range(3):
                said = [f"{number} said {each} " * 40 for _ in range(each + 1)]
                store.add(make_call(f"c{number}{each}", *said, run=f"r{number}"), make_wire('{"messages": ["a"]}'))
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        database.execute("PRAGMA journal_mode = DELETE")
    return path.read_bytes()


def asked(store: Store) -> Iterator[Callable[[], object]]:
    """All that may be asked of a store, one after the other."""
    yield store.list_runs
    yield store.list_added
    yield store.count_added
    yield lambda: [call.read_call() for call in store.list_calls()]
    yield lambda: [call.read_wire() for call in store.list_calls()]
    yield lambda: store.find_call("c1")
    yield lambda: make_report([call.read_call() for call in store.list_calls()], table=packaged_table())
    yield lambda: search_words(store, store.list_calls(), "said")
    yield lambda: list(store.export())
    yield lambda: store.add(make_call("new", "words"), make_wire())
    yield lambda: store.add_run(make_run("r1"))
    yield lambda: store.retain(age_days=1)
    yield lambda: store.retain(bytes=1_000)


@pytest.mark.parametrize("seed", range(4))
def test_whatever_bit_was_flipped_what_is_asked_ends_with_a_sentence(tmp_path: Path, seed: int) -> None:
    """Reading, searching, exporting, adding and retaining answer, or say that the store is broken."""
    whole, chance = made(tmp_path / "whole.db"), random.Random(seed)
    for number in range(examples(200) // 4):
        data = bytearray(whole)
        for _ in range(chance.choice((1, 1, 3, 30))):
            data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)
        path = tmp_path / f"{number}.db"
        path.write_bytes(data)
        _ask_all(path)


def _ask_all(path: Path) -> None:
    try:
        store = open_store(path)
    except StoreError:
        return
    try:
        for ask in asked(store):
            try:
                ask()
            except OvertureError as problem:
                assert str(problem)
    finally:
        store.close()


def test_no_command_shows_a_traceback(tmp_path: Path) -> None:
    """Each says what is wrong on one line, with exit code 2, or goes on."""
    path = tmp_path / "calls.db"
    made(path)
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE calls SET pieces = ? WHERE id = 'c22'", (b"x" * 40,))
        database.execute("UPDATE wires SET head = ?, request = ?", (b"x" * 20, b"y" * 20))
    for words in COMMANDS:
        done = run("tap", *words, "--store", path)
        assert done.returncode in (0, 2), (words, done.stderr)
        assert "Traceback" not in done.stderr, words
        assert done.returncode == 0 or done.stderr.startswith("error: The store"), (words, done.stderr)
