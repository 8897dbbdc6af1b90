"""Files of rows as other programs write them: what can be read is read, and what can't is named before any work."""

import gzip
import subprocess
from pathlib import Path

import pytest

from ..cli.forked import OVERTURE
from .test_batch_command import OPENAI, batch, codes, requests

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
    assert done.stderr.startswith("processed 1 row") and done.stderr.count("\n") == 1, done.stderr
