"""A store in a file is the user's alone, and nothing that is no store of ours is touched."""

import os
import sqlite3
import stat
from contextlib import closing
from pathlib import Path

import pytest

from overture.errors import StoreError
from overture.tap.store.store import open_store

from .made_calls import make_call

pytestmark = pytest.mark.slow


def mode(path: Path) -> int:
    """Who may do what with it."""
    return stat.S_IMODE(path.stat().st_mode)


def test_a_store_is_readable_by_the_user_alone(tmp_path: Path) -> None:
    """The folders on the way, the file and what SQLite lays beside it, whatever the umask is."""
    before = os.umask(0)
    try:
        path = tmp_path / "share" / "overture" / "tap" / "p.sqlite"
        with open_store(path) as store:
            store.add(make_call())
            beside = [path, path.with_name("p.sqlite-wal"), path.with_name("p.sqlite-shm")]
            assert [mode(each) for each in beside] == [0o600] * 3
        folders = [path.parent, path.parent.parent, path.parent.parent.parent]
        assert [mode(each) for each in folders] == [0o700] * 3
    finally:
        os.umask(before)


def refused(path: Path, why: str) -> None:
    """A store at this path is refused for this reason, and what lies there is as it was."""
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(StoreError, match=why):
        open_store(path)
    assert (path.read_bytes() if path.is_file() else None) == before


def test_a_place_that_others_may_write_to_is_refused(tmp_path: Path) -> None:
    """A folder as well as a file: somebody else could lay something there."""
    shared = tmp_path / "shared"
    shared.mkdir()
    shared.chmod(0o1777)
    refused(shared / "p.sqlite", "Other users can write to the folder .*: chmod go-w")
    own = tmp_path / "p.sqlite"
    open_store(own).close()
    own.chmod(0o620)
    refused(own, "Other users can write to the store .*: chmod 600")


@pytest.mark.parametrize("end", ["", "-wal", "-shm", "-journal"])
def test_no_link_is_followed(tmp_path: Path, end: str) -> None:
    """Neither in the place of the file, nor of what SQLite would lay beside it."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_bytes(b"")
    (tmp_path / f"p.sqlite{end}").symlink_to(elsewhere)
    with pytest.raises(StoreError, match=f"p.sqlite{end}' is a symlink"):
        open_store(tmp_path / "p.sqlite")
    assert elsewhere.read_bytes() == b""


def test_what_is_no_store_is_refused_and_left(tmp_path: Path) -> None:
    """A file of something else, a database of another program, a folder, a pipe, a file in the place of a folder."""
    text = tmp_path / "notes.txt"
    text.write_text("Dear diary")
    refused(text, "is not an SQLite file. It was not changed")
    other = tmp_path / "other.sqlite"
    with closing(sqlite3.connect(other)) as connection, connection:
        connection.execute("CREATE TABLE bookmarks (url TEXT)")
    connection.close()
    refused(other, "is a database of another program")
    refused(tmp_path, "is not a regular file|Is a directory")
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(StoreError, match="is not a regular file"):
        open_store(tmp_path / "pipe")
    refused(text / "p.sqlite", "is not a folder|Not a directory")
    refused(Path("/proc/overture/p.sqlite"), "can't be opened|belongs to")
    with pytest.raises(StoreError, match="can't be opened"):
        open_store("/a\0b/p.sqlite")


@pytest.mark.parametrize("kept", [100, 5000])
def test_a_broken_store_is_said_and_left(tmp_path: Path, kept: int) -> None:
    """It is not moved aside: it keeps its bytes; somebody who gives it another name gets a new one."""
    path = tmp_path / "p.sqlite"
    with open_store(path) as store:
        for number in range(20):
            store.add(make_call(f"c{number}", "x" * 900))
    whole = path.read_bytes()
    path.write_bytes(whole[:kept] + b"\x07" * (len(whole) - kept))
    broken = path.read_bytes()
    with pytest.raises(StoreError, match=r"It is damaged\. Move it away"), open_store(path) as store:
        for kept_call in store.list_calls():
            kept_call.read_call()
    assert path.read_bytes() == broken
    path.rename(tmp_path / "aside.sqlite")
    with open_store(path) as store:
        assert store.list_calls() == ()
