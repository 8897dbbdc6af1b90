"""Logs that are damaged in any way: what can be read is taken, the rest is said, and no file is left for nothing."""

import gzip
import json
import random
from pathlib import Path

import pytest

from overture.tap.import_calls import Importer, LogFile
from overture.tap.store.store import open_store
from tests.contract.cli.run import run
from tests.contract.effort import examples

pytestmark = pytest.mark.slow


SAMPLES = sorted(
    path for path in (Path(__file__).parents[2] / "contract/tap/log_formats/samples").rglob("*") if path.is_file()
)
WRONG: tuple[object, ...] = (None, True, 7, -1, 1e999, 10**400, "text", "", [], {}, [[]], {"a": {}}, ["x", 3])


def test_packed_data_that_is_damaged_is_said(tmp_path: Path) -> None:
    """Wherever a bit of it was flipped or it breaks off; nothing is made where nothing came."""
    packed = gzip.compress(SAMPLES[0].read_bytes() + b" " * 5_000)
    for number, at in enumerate((2, 10, 12, len(packed) // 2, len(packed) - 5)):
        data = bytearray(packed)
        data[at] ^= 0xFF
        for kind, content in (("flipped", bytes(data)), ("short", packed[: at + 1])):
            log = tmp_path / f"{kind}{number}.gz"
            log.write_bytes(content)
            done = run("tap", "import", log, "--store", tmp_path / f"{kind}{number}.db")
            assert "Traceback" not in done.stderr, (kind, at)
            assert done.returncode in (0, 2)
            assert done.returncode == 0 or "can't be read" in done.stderr or "none of the logs" in done.stderr


@pytest.mark.parametrize("entries", [5, "x", {"a": 1}, True, None, [5, None, "x", {"request": 3, "response": []}]])
def test_a_har_whose_entries_are_anything(tmp_path: Path, entries: object) -> None:
    """It is said what is wrong, and no empty store is left behind."""
    log, store = tmp_path / "calls.har", tmp_path / "calls.db"
    log.write_text(json.dumps({"log": {"creator": {"name": "x"}, "entries": entries}}), encoding="utf-8")
    done = run("tap", "import", log, "--store", store)
    assert "Traceback" not in done.stderr
    assert not list(tmp_path.glob("calls.db*"))


@pytest.mark.parametrize("content", [b"", b"no log\n", b"\0\1\2", b"{}", b"[1, 2]"])
def test_a_failed_import_leaves_no_file(tmp_path: Path, content: bytes) -> None:
    """A store that was not there before is not there after; one that was stays as it was."""
    log, store = tmp_path / "log", tmp_path / "calls.db"
    log.write_bytes(content)
    assert run("tap", "import", log, "--store", store).returncode == 2
    assert not list(tmp_path.glob("calls.db*"))
    with open_store(store):
        pass
    assert run("tap", "import", log, "--store", store).returncode == 2
    assert store.exists()


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda path: path.name)
def test_a_log_with_wrong_values_and_wrong_bytes(tmp_path: Path, sample: Path) -> None:
    """A value of any other kind in any place, and bytes of any other kind: the import ends, and says what it took."""
    whole, chance = sample.read_bytes(), random.Random(sample.name)
    with open_store(tmp_path / "calls.db") as store:
        importer = Importer(store)
        for number in range(examples(60) // 2):
            log = tmp_path / f"{number}"
            log.write_bytes(_spoiled(whole, chance))
            done = importer.import_log(LogFile(str(log), True), None)
            assert done.form or done.refused


def _spoiled(whole: bytes, chance: random.Random) -> bytes:
    """The same with a value replaced, where it is JSON; else with other bytes."""
    lines = whole.split(b"\n")
    at = chance.randrange(len(lines))
    for place, data in ((at, lines[at]), (None, whole)):
        try:
            value = json.loads(data)
        except ValueError:
            continue
        spoiled = json.dumps(_replaced(value, chance)).encode()
        return b"\n".join([*lines[:at], spoiled, *lines[at + 1 :]]) if place is not None else spoiled
    mixed = bytearray(whole)
    for _ in range(chance.choice((1, 5, 50))):
        mixed[chance.randrange(len(mixed))] = chance.randrange(256)
    return bytes(mixed)


def _replaced(value: object, chance: random.Random) -> object:
    """The value with another in one place of it."""
    if isinstance(value, dict) and value and chance.random() < 0.85:
        key = chance.choice(list(value))
        return {**value, key: _replaced(value[key], chance)}
    if isinstance(value, list) and value and chance.random() < 0.85:
        at = chance.randrange(len(value))
        return [*value[:at], _replaced(value[at], chance), *value[at + 1 :]]
    return chance.choice(WRONG)
