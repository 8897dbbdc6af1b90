"""Logs that are broken: what is wrong is said with its place, and everything else is taken."""

import gzip
import json
import os
import re
from pathlib import Path

import pytest

from overture.tap.import_calls import Importer, LogFile
from overture.tap.log_formats.log_entries import ImportedLog, LogForm

from .taking import SAMPLES, store_in, take

HAR = (SAMPLES / "mitmproxy.har").read_text()
CODEX = (SAMPLES / "codex.jsonl").read_text().splitlines(keepends=True)
"""Three calls."""


def _taken(tmp_path: Path, data: bytes | str, form: LogForm | None = None) -> ImportedLog:
    path = tmp_path / "log"
    path.write_bytes(data.encode() if isinstance(data, str) else data)
    with store_in(tmp_path) as store:
        (done,) = take(store, path, form=form)
        assert len(store.list_calls()) == done.new
    return done


@pytest.mark.parametrize(
    ("data", "said"),
    [
        (b"", "the file is empty"),
        (b"\n\n", "the file is empty"),
        (b"\0\1\2\3" * 100, "not UTF-8 text"),
        ("A page about gardens.\n" * 20, "invalid JSON"),
        (HAR[: len(HAR) // 2], "invalid JSON"),
        (json.dumps(json.loads(HAR))[:3000], "invalid JSON"),
        ('{"name": "garden", "version": 1}', "unknown log format"),
        ("[1, 2, 3]", "unknown log format"),
        ("[" * 200_000, "nested too deeply"),
        (HAR.encode("utf-16"), "not UTF-8 text"),
    ],
)
def test_what_is_no_log_is_refused_with_its_reason(tmp_path: Path, data: bytes | str, said: str) -> None:
    """One line says what it is not, and which forms there are."""
    done = _taken(tmp_path, data)
    assert done.form is None or done.problems
    told = done.complaint or next(line for line in done.make_lines() if "could not" in line)
    assert said in told and "\n" not in told
    assert done.form or ("HAR (har)" in told and "Codex's transcript (codex)" in told)


@pytest.mark.parametrize("form", [None, "har"])
def test_a_flow_file_of_mitmproxy_says_how_to_export_it(tmp_path: Path, form: LogForm | None) -> None:
    """It is known by how it begins, and the command that makes a HAR of it is said."""
    done = _taken(tmp_path, b"1253:9:websocket;0:~8:response;1:x}", form)
    assert (done.calls, done.problems) == (0, [])
    path = tmp_path / "log"
    assert done.complaint == (
        f"{path}: this is a mitmproxy flow file. Export it as HAR: mitmdump -nr {path} --set hardump=out.har"
    )


@pytest.mark.parametrize("name", ["codex.jsonl", "claude-code-older.jsonl"])
def test_a_value_that_is_nested_too_deeply_leaves_the_rest(tmp_path: Path, name: str) -> None:
    """All calls of the log are read; the deep value says what it was."""
    text = (SAMPLES / name).read_text()
    for key in ("output_tokens", "total", "role", "type"):
        text = re.sub(rf'"{key}": ?"?(?=[a-z0-9])', lambda found: f'"deep": {"[" * 600}{"]" * 600}, {found[0]}', text)
    (tmp_path / "plain").mkdir()
    whole, done = _taken(tmp_path / "plain", (SAMPLES / name).read_text()), _taken(tmp_path, text)
    assert (done.refused, done.problems, done.calls) == ("", [], whole.calls)


def test_a_har_without_entries_holds_nothing(tmp_path: Path) -> None:
    """That is no error: there are no calls in it."""
    done = _taken(tmp_path, '{"log": {"version": "1.2", "creator": {}, "entries": []}}')
    assert list(done.make_lines()) == [f"0 calls from {tmp_path / 'log'}: 0 new, 0 were already recorded."]


def test_entries_without_bodies_say_so(tmp_path: Path) -> None:
    """What a browser did not keep is told in words; the call is there with its time and status."""
    har = json.loads(HAR)
    for entry in har["log"]["entries"]:
        entry["request"].pop("postData", None)
        entry["response"]["content"].pop("text", None)
    path = tmp_path / "log"
    path.write_text(json.dumps(har))
    with store_in(tmp_path) as store:
        take(store, path)
        call = store.list_calls()[0].read_call()
    held = ("the log does not contain the request's body", "the log does not contain the response's body")
    assert call.missing[:2] == held and call.unknown == ("tool", "system", "message", "mark")


def test_an_answer_in_base64_or_packed_is_unpacked(tmp_path: Path) -> None:
    """Bodies may stand in a HAR as Base64, and packed within it."""
    import base64

    har = json.loads(HAR)
    entry = har["log"]["entries"][1]
    content = entry["response"]["content"]
    packed = gzip.compress(content["text"].encode())
    content.update(text=base64.b64encode(packed).decode(), encoding="base64")
    path = tmp_path / "log"
    path.write_text(json.dumps(har))
    with store_in(tmp_path) as store:
        take(store, path)
        assert store.list_calls()[0].read_call().reply == "All is well."


def test_an_answer_that_is_being_written_waits(tmp_path: Path) -> None:
    """The last answer of a transcript in use is not taken before it is known to be whole; that is said."""
    lines = (SAMPLES / "claude-code-older.jsonl").read_text().splitlines(keepends=True)
    last = json.loads(lines[-1])
    last["message"]["stop_reason"] = None
    path = tmp_path / "log"
    path.write_text("".join([*lines[:-1], json.dumps(last) + "\n"]))
    with store_in(tmp_path) as store:
        (done,) = take(store, path)
        assert (done.new, done.waiting) == (3, 1)
        assert "1 answer still being written" in list(done.make_lines())[1]
        os.utime(path, (1e9, 1e9))
        (done,) = take(store, path)
        assert (done.new, done.waiting) == (1, 0)


def test_what_cannot_be_opened_is_said(tmp_path: Path) -> None:
    """A file that is not there, a broken archive and a pipe in a folder are lines, not tracebacks."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "broken.gz").write_bytes(gzip.compress("".join(CODEX).encode() * 50)[:-20])
    with store_in(tmp_path) as store:
        gone, packed = take(store, *(tmp_path / name for name in ("gone", "broken.gz")))
        pipe = Importer(store).import_log(LogFile(str(tmp_path / "pipe"), False))
    assert "no such file" in gone.complaint
    assert "not a regular file" in pipe.complaint
    assert packed.calls and "can't be read further" in packed.complaint


def test_broken_lines_do_not_stop_the_rest(tmp_path: Path) -> None:
    """How many could not be read, where the first ones are and why; the others are calls."""
    lines = [*CODEX[:5], "{broken\n", "[1\n", *CODEX[5:], "nonsense\n", "[\n", CODEX[0][:100]]
    done = _taken(tmp_path, "".join(lines))
    assert (done.calls, done.unread) == (3, 4)
    told = list(done.make_lines())[1]
    assert "4 places can't be read: line 6: invalid JSON" in told
    assert told.endswith("; and 1 more")


def test_the_first_line_may_be_broken(tmp_path: Path) -> None:
    """A log that was cut at its beginning, as one that is rotated, is read from the next line on."""
    done = _taken(tmp_path, "".join([CODEX[0][500:], *CODEX]))
    assert (done.calls, done.problems[0][:7]) == (3, "line 1:")


def test_a_half_written_last_line_is_no_problem(tmp_path: Path) -> None:
    """A log that is in use ends anywhere; what is half written is taken when it is whole."""
    done = _taken(tmp_path, "".join([*CODEX, CODEX[0][:300]]))
    assert (done.calls, done.unread) == (3, 0)


def test_a_huge_line_is_read(tmp_path: Path) -> None:
    """A line of megabytes is a line."""
    said = {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "roses " * 1_000_000}]}
    line = {**json.loads(CODEX[0]), "type": "response_item", "payload": said}
    assert _taken(tmp_path, "".join([CODEX[0], json.dumps(line) + "\n", *CODEX[1:]])).new == 3


def test_a_packed_log_is_read(tmp_path: Path) -> None:
    """gzip is known by its bytes, whatever the name."""
    assert _taken(tmp_path, gzip.compress("".join(CODEX).encode())).new == 3


def test_a_log_may_be_taken_for_something_else(tmp_path: Path) -> None:
    """What is forced is believed, and what does not fit is said."""
    done = _taken(tmp_path, "".join(CODEX), form="claude-code")
    assert (done.form, done.calls) == ("claude-code", 0)
    done = _taken(tmp_path, "".join(CODEX), form="har")
    assert done.unread == len(CODEX) and "not a HAR" in done.problems[0]


def test_calls_without_a_time_are_kept(tmp_path: Path) -> None:
    """A log that does not say when it was is taken all the same, and twice is once."""
    har = json.loads(HAR)
    har["log"]["entries"] = [{**har["log"]["entries"][1], "startedDateTime": None}]
    path = tmp_path / "log"
    path.write_text(json.dumps(har))
    with store_in(tmp_path) as store:
        assert [take(store, path)[0].new for _ in range(2)] == [1, 0]
        assert "the log does not contain its time" in store.list_calls()[0].head.missing
