"""Files of rows as other programs write them: what can be read is read, and what can't is named before any work."""

import gzip
import subprocess
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from ..cli.forked import OVERTURE
from .test_batch_command import OPENAI, batch, codes, errors, requests, write_rows

pytestmark = pytest.mark.slow


LINE = '{"id": "a", "message": "hi"}'


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("rows.jsonl", b"\xef\xbb\xbf" + LINE.encode() + b"\r\n\r\n"),
        ("rows.csv", b"\xef\xbb\xbfid,message\r\na,hi\r\n"),
        ("two\nlines.jsonl", LINE.encode()),
    ],
)
def test_a_byte_order_mark_and_windows_line_ends(tmp_path: Path, name: str, data: bytes) -> None:
    """They are no part of a row; nor is a line feed in the name of the file a problem."""
    (tmp_path / name).write_bytes(data)
    assert batch(tmp_path, name, *OPENAI).code == 0
    assert [line["custom_id"] for line in requests(tmp_path)] == ["a"] and codes(tmp_path) == {}


@pytest.mark.parametrize(
    ("name", "data", "says"),
    [
        ("list.json", f"[{LINE},\n{LINE}]".encode(), 'jq -c ".[]" FILE'),
        ("one-line.json", f"[{LINE},{LINE}]".encode(), 'jq -c ".[]" FILE'),
        ("indented.json", b'{\n "message": "hi"\n}\n', "a line of its own"),
        ("rows.jsonl", LINE.encode("utf-16"), "in UTF-8"),
        ("zipped.jsonl", gzip.compress(LINE.encode(), mtime=0), "not compressed"),
        ("semicolons.csv", b"id;message\na;hi\n", "--sql, which finds other separators"),
        ("open.csv", b'id,message\na,"never closed\nb,ho\n', "is not CSV, in line 3"),
        ("names.csv", b"id,id\na,b\n", "two columns of one name"),
        ("rows.txt", b"hi", "Pass --rows-format"),
    ],
    ids=lambda value: value if isinstance(value, str) and "." in value else "",
)
def test_what_is_no_file_of_rows_is_refused(tmp_path: Path, name: str, data: bytes, says: str) -> None:
    """With the name of the file and what to do; nothing is written."""
    (tmp_path / name).write_bytes(data)
    done = batch(tmp_path, name, *OPENAI)
    assert done.code == 2 and says in done.err and "Traceback" not in done.err, done.err
    assert name in done.err or name == "rows.txt"
    assert not (tmp_path / "out").exists()


def test_a_query_prints_nothing_of_its_own(tmp_path: Path) -> None:
    """DuckDB lists on standard error what is left of it when the process ends: nothing is."""
    words = ("batch", "pi", "--no-discover", *OPENAI, "--sql", "select 'a' as id, 'hi' as message", "--out", "out")
    done = subprocess.run([OVERTURE, *words], cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stderr == ""


IDS = [False, 0, "", "false", True, "True", "row-9", None, None]


def test_ids_are_unique_as_they_are_written(tmp_path: Path) -> None:
    """Also an id that counts as nothing in Python, and those that rows without one get."""
    rows = [{"id": each, "message": "hi" if number else None} for number, each in enumerate(IDS)]
    assert batch(tmp_path, write_rows(tmp_path, rows), *OPENAI).code == 0
    assert [line["custom_id"] for line in requests(tmp_path)] == ["0", "row-3", "true", "True", "row-9", "row-8"]
    assert codes(tmp_path) == {1: "no-message", 4: "duplicate-id", 9: "duplicate-id"}
    assert [each["id"] for each in errors(tmp_path)] == ["false", "false", None]


def test_a_column_that_map_replaces_is_named(tmp_path: Path) -> None:
    """Two columns for one field are an error, by a mapping and a name or by two mappings."""
    rows = write_rows(tmp_path, [{"memories": ["m"], "notes": ["n"], "message": "hi"}])
    both = batch(tmp_path, rows, *OPENAI, "--map", "memories=notes")
    assert both.code == 2 and "Columns `notes` and `memories` both fill `memories`" in both.err, both.err
    assert "--ignore-column memories" in both.err
    twice = batch(tmp_path, rows, *OPENAI, "--map", "memories=notes", "--map", "memories=message")
    assert twice.code == 2 and "given twice" in twice.err, twice.err
    for empty in ("=notes", "memories="):
        assert "neither FIELD=COLUMN" in batch(tmp_path, rows, *OPENAI, "--map", empty).err


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        (pa.timestamp("ns"), 1, "1970-01-01T00:00:00.000000001"),
        (pa.time64("ns"), 1, "00:00:00.000000001"),
        (pa.date32(), 10**7, "29349-01-26"),
        (pa.timestamp("ms"), 10**18, None),
        (pa.duration("ns"), 1, None),
        (pa.list_(pa.timestamp("ns")), [1], None),
    ],
    ids=str,
)
def test_times_that_python_has_no_type_for(tmp_path: Path, kind: pa.DataType, value: object, text: str | None) -> None:
    """They are text, or an error with the column and its type: pandas writes nanoseconds by default."""
    parquet.write_table(pa.table({"message": pa.array([value], kind)}), tmp_path / "rows.parquet")
    done = batch(tmp_path, "rows.parquet", *OPENAI)
    if text is None:
        assert done.code == 2 and "Column `message` of `rows.parquet`" in done.err and str(kind)[-9:] in done.err, (
            done.err
        )
    else:
        assert done.code == 0 and requests(tmp_path)[0]["body"]["input"][0]["content"][0]["text"] == text


def test_two_columns_of_one_name_in_a_query(tmp_path: Path) -> None:
    """A join has them by default: which of them is meant is not known."""
    done = batch(tmp_path, "--sql", "select 1 as id, 2 as id, 'x' as message", *OPENAI)
    assert done.code == 2 and "two columns of one name: id, id, message" in done.err, done.err


def test_a_model_of_another_provider_is_noted(tmp_path: Path) -> None:
    """As `build` warns: the provider would refuse each request."""
    rows = write_rows(tmp_path, [{"message": "hi"}])
    done = batch(tmp_path, rows, "--format", "anthropic", "--model", "gpt-5.4")
    assert done.code == 0 and "it looks like a model of openai" in done.out
    assert "not a known model" not in batch(tmp_path, rows, *OPENAI, "--out", "own").out
