"""Stores of every earlier version are taken forward; one of a newer version is refused."""

import sqlite3
from pathlib import Path

import pytest

from overture.errors import StoreError
from overture.tap.store.database import STEPS, migrate
from overture.tap.store.open_store import open_store

from .conftest import Opens
from .made_calls import make_call, make_run, make_wire

pytestmark = pytest.mark.slow


SAMPLES = Path(__file__).parent / "samples"


def test_there_is_a_sample_of_every_version() -> None:
    """Whoever adds a step adds a store as it was made with it: `python -m tests.tap.store.make_sample`."""
    assert sorted(path.name for path in SAMPLES.iterdir()) == [f"version-{n}.sql" for n in range(1, len(STEPS) + 1)]


@pytest.mark.parametrize("version", range(1, len(STEPS) + 1))
def test_a_store_of_each_version_is_taken_forward(tmp_path: Path, version: int) -> None:
    """With its runs and calls, to which more can be added."""
    path = tmp_path / "p.sqlite"
    sample = sqlite3.connect(path)
    sample.executescript((SAMPLES / f"version-{version}.sql").read_text(encoding="utf-8"))
    sample.close()
    path.chmod(0o600)
    with open_store(path) as store:
        assert store.list_runs() == (make_run(),)
        assert [kept.read_call() for kept in store.list_calls()] == [
            make_call("a", "one"),
            make_call("b", "one", "two\x00"),
        ]
        assert [kept.read_wire() for kept in store.list_calls()] == [make_wire() if version > 1 else None, None]
        assert store.add(make_call("c", "one"), make_wire()) is True
        assert store.find_call("c").read_wire() == make_wire()
        assert store.database.run("SELECT max(version) FROM versions") == [(len(STEPS),)]


def test_a_newer_store_is_refused(opens: Opens) -> None:
    """With its version, the newest that is known, and what to do; nothing in it is changed."""
    with opens() as store:
        store.add(make_call("a"))
        store.database.run("INSERT INTO versions (version, at) VALUES (99, 'later')")
    with pytest.raises(
        StoreError, match=r"is of version 99, and this Overture supports versions up to \d+\. Upgrade Overture"
    ):
        opens()


def test_a_step_is_taken_whole_or_not_at_all(opens: Opens) -> None:
    """A step that fails leaves the store as it was; once it works, it is taken once."""
    works = ("ALTER TABLE runs ADD COLUMN colour TEXT",)
    broken = (*works, "SELECT 1 FROM nowhere")
    with opens() as store:
        store.add(make_call("a"))
        with pytest.raises(StoreError, match="nowhere"):
            migrate(store.database, (*STEPS, broken))
        assert store.database.run("SELECT max(version) FROM versions") == [(len(STEPS),)]
        for _ in range(2):
            migrate(store.database, (*STEPS, works))
        assert store.database.run("SELECT max(version) FROM versions") == [(len(STEPS) + 1,)]
        assert store.database.run("SELECT colour FROM runs") == []
        assert store.find_call("a").read_call() == make_call("a")
