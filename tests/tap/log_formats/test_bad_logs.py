"""Logs that are broken: what is wrong is said with its place, and everything else is taken."""

import gzip
import json
import os
import re
from pathlib import Path

import pytest

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


@pytest.mark.parametrize("name", ["codex.jsonl", "claude-code-older.jsonl"])
def test_a_value_that_is_nested_too_deeply_leaves_the_rest(tmp_path: Path, name: str) -> None:
    """All calls of the log are read; the deep value says what it was."""
    text = (SAMPLES / name).read_text()
    for key in ("output_tokens", "total", "role", "type"):
        text = re.sub(rf'"{key}": ?"?(?=[a-z0-9])', lambda found: f'"deep": {"[" * 600}{"]" * 600}, {found[0]}', text)
    (tmp_path / "plain").mkdir()
    whole, done = _taken(tmp_path / "plain", (SAMPLES / name).read_text()), _taken(tmp_path, text)
    assert (done.refused, done.problems, done.calls) == ("", [], whole.calls)


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


def test_broken_lines_do_not_stop_the_rest(tmp_path: Path) -> None:
    """How many could not be read, where the first ones are and why; the others are calls."""
    lines = [*CODEX[:5], "{broken\n", "[1\n", *CODEX[5:], "nonsense\n", "[\n", CODEX[0][:100]]
    done = _taken(tmp_path, "".join(lines))
    assert (done.calls, done.unread) == (3, 4)
    told = list(done.make_lines())[1]
    assert "4 places can't be read: line 6: invalid JSON" in told
    assert told.endswith("; and 1 more")
