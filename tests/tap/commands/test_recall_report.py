"""A report that was made before comes from disk, byte for byte, and only while the calls are the very same."""

import os
import re
import sqlite3
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from overture.known_models.model_table import packaged_table
from overture.tap.commands.recall_report import find_report_counter, recall_report
from overture.tap.judge.report_data import TapReport, make_report
from overture.tap.run.end_summary import make_end_lines
from overture.tap.store.open_store import open_store
from tests.contract.cli.run import run
from tests.tap.store.made_calls import make_call, make_run
from tests.tap.test_work_of_calls import count_calls

pytestmark = pytest.mark.slow


WORDS = ("Cast off.", "Aye.", "Set the jib and hoist it high.")


def record(path: Path, *texts: str, first: int = 0) -> None:
    """Add a call for each text, which repeats what was said before it."""
    with open_store(path) as store:
        for number in range(first, len(texts)):
            at = f"2026-03-07T08:55:{number:02}-06:00"
            store.add(make_call(f"c{number}", *texts[: number + 1], at=at, reply="Aye."))


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache folder, which commands use."""
    monkeypatch.setenv("OVERTURE_CACHE", "on")
    for name in ("HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    yield tmp_path / "overture" / "tap" / "reports"


def report_on(path: Path, tokenizer: str = "estimate") -> TapReport:
    """The report, made or found."""
    with open_store(path) as store:
        return recall_report(store, store.list_calls(), packaged_table(), find_report_counter(tokenizer))


def count_made(path: Path) -> int:
    """How many reports are made for one."""
    return count_calls(lambda: report_on(path), make_report).get("make_report", 0)


def make_anew(path: Path) -> TapReport:
    """The report, made of what is in the store now."""
    with open_store(path) as store:
        return make_report([call.read_call() for call in store.list_calls()], table=packaged_table())


def test_the_same_calls_are_judged_once(tmp_path: Path, cache: Path) -> None:
    """Calls that were reported before are not judged again, and the report is the same."""
    record(tmp_path / "calls.sqlite", *WORDS)
    made = report_on(tmp_path / "calls.sqlite")
    assert count_made(tmp_path / "calls.sqlite") == 0
    assert report_on(tmp_path / "calls.sqlite") == made == make_anew(tmp_path / "calls.sqlite")
    assert made.calls == 3
    cache.unlink()
    assert report_on(tmp_path / "calls.sqlite") == made


def grow(path: Path) -> None:
    """One call more."""
    record(path, *WORDS, first=2)


def cut(path: Path) -> None:
    """The newest call is gone."""
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("DELETE FROM calls WHERE id = 'c1'")


def replace(path: Path) -> None:
    """Another recording under the same name, with calls of the same ids and texts of the same numbers."""
    for name in path.parent.glob(f"{path.name}*"):
        name.unlink()
    record(path, "Drop anchor!", *WORDS[1:2])


def overwrite(path: Path) -> None:
    """Another text under the same number, of the same length, and with its digest left as it was."""
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE texts SET data = CAST('Bear off.' AS BLOB) WHERE data = CAST('Cast off.' AS BLOB)")


def rename(path: Path) -> None:
    """Another model in the head of a call."""
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE calls SET head = replace(CAST(head AS TEXT), 'm-1', 'claude-opus-4-5')")
        database.execute("UPDATE calls SET head = CAST(head AS BLOB)")


@pytest.mark.parametrize("change", [grow, cut, replace, overwrite, rename])
def test_other_calls_are_another_report(tmp_path: Path, cache: Path, change: Callable[[Path], None]) -> None:
    """Whatever changes in the recording, the report is of what is there now."""
    path = tmp_path / "store" / "calls.sqlite"
    record(path, *WORDS[:2])
    report_on(path)
    change(path)
    assert count_made(path) == 1
    assert report_on(path) == make_anew(path)


def test_another_counter_is_another_report(tmp_path: Path, cache: Path) -> None:
    """What one tokenizer counted is no answer for another."""
    record(tmp_path / "calls.sqlite", *WORDS)
    first = report_on(tmp_path / "calls.sqlite")
    assert report_on(tmp_path / "calls.sqlite", "claude") != first


def test_what_is_kept_quotes_nothing(tmp_path: Path, cache: Path) -> None:
    """Names of conversations and quoted texts can be read with the calls alone, and the file is the user's own."""
    record(tmp_path / "calls.sqlite", *WORDS)
    report_on(tmp_path / "calls.sqlite")
    data = cache.read_bytes()
    assert len(data) > 500
    for start in range(len(data)):  # what zlib packed could be unpacked from its start
        with pytest.raises(zlib.error):
            zlib.decompress(data[start:])
    assert os.name == "nt" or cache.stat().st_mode & 0o077 == 0


def test_half_a_character_is_not_kept(tmp_path: Path, cache: Path) -> None:
    """JSON can bring one, and what is kept could not hold it: such a report is made each time."""
    with open_store(tmp_path / "calls.sqlite") as store:
        store.add(make_call("c0", "Hoist.", missing=("half \ud800",)))
    assert report_on(tmp_path / "calls.sqlite") == make_anew(tmp_path / "calls.sqlite")
    assert not cache.exists()


@pytest.mark.parametrize("form", ["", "--json", "--markdown"])
def test_a_command_prints_the_same_from_disk(tmp_path: Path, cache: Path, form: str) -> None:
    """The first time, the second time, and without a cache."""
    path = tmp_path / "calls.sqlite"
    with open_store(path) as store:
        store.add_run(make_run())
    record(path, *WORDS)
    words = ("tap", "report", "--store", str(path), *[form] * bool(form))
    outputs = [run(*words, OVERTURE_CACHE=word).stdout for word in ("on", "on", "off")]
    assert cache.exists() and outputs[0] and len({*outputs}) == 1


def test_the_end_of_a_run_makes_the_report(tmp_path: Path, cache: Path) -> None:
    """What a run says at its end is known to the first `tap report` on it."""
    path = tmp_path / "calls.sqlite"
    record(path, *WORDS)
    with open_store(path) as store:
        calls = store.list_calls(run="r1")
        lines = [*make_end_lines(store, calls, packaged_table(), "no call")]
    kept = cache.read_bytes()
    assert lines[0].startswith("overture tap: 3 calls in ")
    assert run("tap", "report", "--store", str(path)).returncode == 0
    assert cache.read_bytes() == kept


def test_the_end_of_a_run_marks_counts_and_names_errors(tmp_path: Path) -> None:
    """Tokens that no provider counted are marked as everywhere, and an error during a response is one as well."""
    with open_store(tmp_path / "calls.sqlite") as store:
        store.add(make_call("c0", "Hoist.", usage=None, error="overloaded_error: Over\nloaded"))
        lines = [*make_end_lines(store, store.list_calls(), packaged_table(), "no call")]
    assert re.match(r"overture tap: 1 call in 1 conversation, ~[\d,]+ tokens in \(", lines[0])
    assert "  c0: failed during the response: overloaded_error: Over loaded" in lines
