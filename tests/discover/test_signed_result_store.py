"""The store of results on disk: what it gives back is what was put, and whatever is wrong with it, nothing is."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from overture.discover.load_tokenizer import MAX_STORED_MISSES, make_stored_counter
from overture.discover.stored.signed_result_store import (
    ENTRY,
    HEAD,
    MAX_STORE_BYTES,
    MAX_VALUE_BYTES,
    ResultStore,
    current_store,
    open_result_store,
    use_store,
)
from overture.tokens.counter import Counter

SECRET = bytes(range(32))
VALUES = {b"%d" % number: b"value of %d" % number * number for number in range(40)}


def fill(path: Path, values: dict[bytes, bytes] = VALUES, secret: bytes = SECRET) -> None:
    """Save these values, each under the key of its name."""
    store = ResultStore(str(path), secret)
    for name, value in values.items():
        store.put(store.make_key("test", name), value)
    store.save()


def read(path: Path, secret: bytes = SECRET) -> dict[bytes, bytes | None]:
    """What a store opened now has for each name."""
    store = ResultStore(str(path), secret)
    return {name: store.get(store.make_key("test", name)) for name in VALUES}


def test_what_was_saved_is_found(tmp_path: Path) -> None:
    """A store opened later has every value, also those of an earlier save, under its kind and its parts alone."""
    fill(tmp_path / "results", dict(list(VALUES.items())[:20]))
    fill(tmp_path / "results", dict(list(VALUES.items())[20:]))
    assert read(tmp_path / "results") == VALUES
    store = ResultStore(str(tmp_path / "results"), SECRET)
    assert store.get(store.make_key("other", b"7")) is None
    assert store.make_key("test", b"ab", b"c") != store.make_key("test", b"a", b"bc")


@pytest.mark.slow
def test_damage_gives_no_wrong_value(tmp_path: Path) -> None:
    """Wherever the file ends or a byte differs, each value is found as it was or not at all, and saving goes on."""
    path = tmp_path / "results"
    fill(path)
    whole = path.read_bytes()
    for at in range(0, len(whole), 7):
        for data in (whole[:at], whole[:at] + bytes([whole[at] ^ 0xFF]) + whole[at + 1 :]):
            path.write_bytes(data)
            assert all(found in (None, VALUES[name]) for name, found in read(path).items()), at
    for number in (1, 2**31, 2**32 - 1):
        path.write_bytes(HEAD.pack(whole[:8], number) + whole[HEAD.size :])
        assert all(found in (None, VALUES[name]) for name, found in read(path).items())
    path.write_bytes(HEAD.pack(whole[:8], 9) + ENTRY.pack(b"k", b"t", 0, 0, 2**32 - 1) * 9)
    fill(path)
    assert read(path) == VALUES


def test_nobody_else_can_write_a_value(tmp_path: Path) -> None:
    """A record made with another secret, or the value of one key under another, is not believed."""
    fill(tmp_path / "results", {name: b"forged" for name in VALUES}, secret=b"x" * 32)
    assert set(read(tmp_path / "results").values()) == {None}
    store = ResultStore(str(tmp_path / "moved"), SECRET)
    keys = [store.make_key("test", name) for name in (b"1", b"2")]
    for key, value in zip(keys, (b"a" * 64, b"b" * 64), strict=True):
        store.put(key, value)
    store.save()
    data = (tmp_path / "moved").read_bytes()
    (tmp_path / "moved").write_bytes(data[:-128] + data[-64:] + data[-128:-64])
    assert set(read(tmp_path / "moved").values()) == {None}


@pytest.mark.parametrize("what", ["link", "pipe", "folder", "open to others", "missing folder"])
def test_what_is_no_file_of_the_user_is_no_store(tmp_path: Path, what: str) -> None:
    """A link, a pipe, a folder, or a file that others may write holds no result, and stops nobody."""
    path, real = tmp_path / "results", tmp_path / "real"
    fill(real)
    if what == "link":
        path.symlink_to(real)
    elif what == "pipe":
        os.mkfifo(path)
    elif what == "folder":
        path.mkdir()
    elif what == "open to others":
        real.rename(path)
        path.chmod(0o622)
    else:
        path = tmp_path / "nowhere/results"
    assert set(read(path).values()) == {None}
    if what != "pipe":  # a pipe is written to as it is, by whoever has it open
        fill(path)
    assert what != "link" or (not path.is_symlink() and read(path) == VALUES)


def test_the_store_is_bounded(tmp_path: Path) -> None:
    """A store that would grow beyond its limit keeps what is new; a value that is too large is not kept."""
    path = tmp_path / "results"
    for first in range(0, 40, 10):
        fill(path, {b"%d" % number: bytes([number]) * (MAX_VALUE_BYTES - 1) for number in range(first, first + 10)})
        assert path.stat().st_size <= MAX_STORE_BYTES
    fill(path, {b"5": b"x" * (MAX_VALUE_BYTES + 1)})
    fill(path, {b"6": b"new"})
    assert read(path)[b"6"] == b"new" and read(path)[b"5"] is None


MANY = """
import sys
from overture.discover.stored.signed_result_store import ResultStore
for turn in range(20):
    store = ResultStore(sys.argv[1], bytes(range(32)))
    for name in range(turn, turn + 20):
        key, value = store.make_key("test", b"%d" % name), b"value of %d" % name * name
        assert store.get(key) in (None, value)
        store.put(key, value)
    store.save()
"""


def test_many_processes_share_a_store(tmp_path: Path) -> None:
    """Processes that read and save at once find right values or none, and leave a store that is whole."""
    words = [sys.executable, "-c", MANY, str(tmp_path / "results")]
    running = [subprocess.Popen(words, stderr=subprocess.PIPE, text=True) for _ in range(4)]
    assert [(each.communicate()[1], each.returncode) for each in running] == [("", 0)] * 4
    found = read(tmp_path / "results")
    assert all(found[name] in (None, VALUES[name]) for name in VALUES) and any(found.values())
    assert os.listdir(tmp_path) == ["results"]


def home_of(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home of the test's own."""
    monkeypatch.setenv("HOME", str(tmp_path))
    return tmp_path


def test_the_secret_is_the_users_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The secret is in the state folder and for its owner's eyes; one that others can read is replaced."""
    home = home_of(tmp_path, monkeypatch)
    assert open_result_store({}) is not None
    secret = home / ".local/state/overture/cache-secret"
    assert secret.stat().st_mode & 0o777 == 0o600 and len(before := secret.read_bytes()) == 32
    assert open_result_store({}) is not None and secret.read_bytes() == before
    secret.chmod(0o644)
    assert open_result_store({}) is not None and secret.read_bytes() != before


def test_folders_are_chosen_by_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """XDG_CACHE_HOME and XDG_STATE_HOME name the folders; what is no absolute path does not count."""
    home = home_of(tmp_path, monkeypatch)
    store = open_result_store({"XDG_CACHE_HOME": f"{home}/c", "XDG_STATE_HOME": f"{home}/s"})
    assert store is not None and store.path == f"{home}/c/overture/results"
    assert os.listdir(home) == ["s"]
    store = open_result_store({"XDG_CACHE_HOME": "c", "XDG_STATE_HOME": f"{home}/s"})
    assert store is not None and store.path == f"{home}/.cache/overture/results"


@pytest.mark.parametrize("word", ["off", "0", "no", "False"])
def test_the_store_can_be_switched_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, word: str) -> None:
    """With OVERTURE_CACHE=off nothing is read or written."""
    home = home_of(tmp_path, monkeypatch)
    assert open_result_store({"OVERTURE_CACHE": word}) is None
    assert os.listdir(home) == []


def test_without_a_place_there_is_no_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where home is missing, of somebody else, or takes no secret, there is no store and no complaint."""
    home = home_of(tmp_path, monkeypatch)
    assert open_result_store({"XDG_STATE_HOME": "/dev/null"}) is None
    monkeypatch.setenv("HOME", str(home / "nowhere"))
    assert open_result_store({}) is None
    monkeypatch.setenv("HOME", "/")
    monkeypatch.setattr(os, "geteuid", lambda: 12345)
    assert open_result_store({}) is None


def test_only_a_command_uses_a_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Outside of the block of a command there is none, and a block that fails saves what it has."""
    home_of(tmp_path, monkeypatch)
    with pytest.raises(KeyError), use_store({}):
        store = current_store()
        assert store is not None
        store.put(key := store.make_key("test", b"1"), b"one")
        raise KeyError
    assert current_store() is None
    again = open_result_store({})
    assert again is not None and again.get(key) == b"one"


def test_a_command_with_very_many_texts_stores_the_first_counts(tmp_path: Path) -> None:
    """All are counted; beyond the limit none is looked up or stored, so that the others keep their room."""
    store = ResultStore(str(tmp_path / "results"), SECRET)
    counter = make_stored_counter("o200k", True, lambda: Counter("o200k", len, exact=True), store)
    texts = ["x" * size for size in range(1, MAX_STORED_MISSES + 11)]
    assert [counter(text) for text in texts] == [len(text) for text in texts]
    assert len(store._new) == MAX_STORED_MISSES + 1  # and that the tokenizer has passed its test
