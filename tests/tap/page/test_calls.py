"""What a tap has recorded, as the page's browser asks for it: who may ask, and a store that can't be read."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from overture.tap.recorded_call import Run
from overture.tap.store.store import open_store

from ...web.page.shown import Paged, paged
from ..judge.calls import call, said, system


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Paged]:
    """A page on a project of which a call is recorded."""
    folder = tmp_path_factory.mktemp("calls")
    keep(folder / "calls.sqlite")
    with paged(folder, calls=str(folder / "calls.sqlite")) as found:
        yield found


def keep(place: Path) -> None:
    """A store with one call."""
    with open_store(place) as store:
        store.add_run(Run("r1", "2026-11-15T11:00:00+00:00", "claude", ("claude", "-p", "hi")))
        store.add(call(system("You are A.", mark=True), *said("Which ships?"), id="one", run="r1"))


def test_strangers_are_refused(page: Paged, tmp_path: Path) -> None:
    """The rules for all routes count for these: who asks in another's name, and who has no token."""
    assert page.client.get("/page/calls", headers={"Host": "evil.example"}).status_code == 403
    assert page.client.get("/page/call/one", headers={"Origin": "http://evil.example"}).status_code == 403
    with paged(tmp_path, calls=str(tmp_path / "none.sqlite"), token="word") as other:
        assert other.client.get("/page/calls").status_code == 401
        allowed = other.client.get("/page/calls", headers={"Authorization": "Bearer word"})
        found = allowed.json()
        assert (found["problem"], found["run"], found["store"]) == (None, None, str(tmp_path / "none.sqlite"))
    assert not (tmp_path / "none.sqlite").exists()


def spoil(place: Path, how: str) -> None:
    """A store with which something is wrong."""
    if how == "text":
        place.write_text("no database at all")
    elif how == "other":
        with closing(sqlite3.connect(place)) as other, other:
            other.execute("CREATE TABLE mine (x)")
    else:
        open_store(place).close()
        with closing(sqlite3.connect(place)) as newer, newer:
            newer.execute("PRAGMA user_version = 99")


def test_a_store_that_cannot_be_read(tmp_path: Path) -> None:
    """One sentence, whatever it is; the rest of the page works, and once the store is mended it is shown."""
    place = tmp_path / "calls.sqlite"
    with paged(tmp_path, calls=str(place)) as page:
        for how, said_then in (("text", "not an SQLite file"), ("other", "another program"), ("newer", "version 99")):
            spoil(place, how)
            place.chmod(0o600)
            told = page.client.get("/page/calls")
            assert told.status_code == 200 and said_then in told.json()["problem"]
            assert page.client.get("/page/sheet").status_code == 200
            for each in tmp_path.glob("calls.sqlite*"):
                each.unlink()
        assert (page.get("/page/calls")["problem"], page.get("/page/calls")["run"]) == (None, None)
        keep(place)
        assert page.get("/page/calls")["problem"] is None
        assert page.get("/page/calls")["run"]
