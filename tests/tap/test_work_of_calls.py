"""How much is done for each call of a conversation, counted: what it shares with the calls before is not done again.

The numbers are exact. Where one grows with the square of the calls, a long session takes minutes.
"""

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from overture.providers import anthropic
from overture.tap import shared_prefix
from overture.tap.attribute import index_text as known_text
from overture.tap.import_calls import Importer
from overture.tap.judge import cache_key
from overture.tap.judge.report_data import make_report
from overture.tap.log_files import LogFile
from overture.tap.recorded_call import RecordedCall
from overture.tap.store import sqlite, stored_texts
from overture.tap.store.open_store import open_store
from overture.tap.wire import clean_values

from .judge.calls import call, said, system, tool, usage

SIZES = (40, 80)


def count_calls(work: Callable[[], object], *functions: Callable[..., Any]) -> dict[str, int]:
    """How often each of these functions is called while something runs."""
    names, found = {each.__code__: each.__name__ for each in functions}, Counter[str]()

    def follow(frame: FrameType, event: str, _: object) -> None:
        if event == "call" and (name := names.get(frame.f_code)):
            found[name] += 1

    sys.setprofile(follow)
    try:
        work()
    finally:
        sys.setprofile(None)
    return dict(found)


def write_transcript(path: Path, answers: int) -> None:
    """As Claude Code writes it: a line of a user and one of a model in turn."""
    path.write_text("".join(json.dumps(line) + "\n" for line in make_lines(answers)), encoding="utf-8")


def make_lines(answers: int) -> Iterator[dict[str, Any]]:
    counts = {"input_tokens": 9, "output_tokens": 7}
    for n in range(answers):
        common = {"sessionId": "s", "timestamp": f"2026-03-07T08:{n // 60:02}:{n % 60:02}Z"}
        question = {"role": "user", "content": f"Do {n}."}
        above = f"a{n - 1}" if n else None
        yield {**common, "type": "user", "uuid": f"u{n}", "parentUuid": above, "message": question}
        answer = {"role": "assistant", "id": f"m{n}", "stop_reason": "end_turn", "usage": counts, "model": "claude-x"}
        message = {**answer, "content": [{"type": "text", "text": f"Done {n}."}]}
        yield {**common, "type": "assistant", "uuid": f"a{n}", "parentUuid": f"u{n}", "requestId": f"r{n}",
               "message": message}  # fmt: skip


@pytest.mark.parametrize("answers", SIZES)
def test_an_import_reads_each_message_once(tmp_path: Path, answers: int) -> None:
    """Messages are read, cleaned, packed and looked up as often as there are messages, not once for each answer."""
    write_transcript(tmp_path / "log.jsonl", answers)
    with open_store(tmp_path / "calls.sqlite") as store:
        importer = Importer(store)
        found = count_calls(
            lambda: importer.import_log(LogFile(str(tmp_path / "log.jsonl"), True)),
            anthropic.read_message,
            clean_values.clean_piece,
            stored_texts.pack_text,
            shared_prefix.OncePerText.__call__,
            sqlite.SqliteDatabase.run,
        )
        assert len(store.list_calls()) == answers
    assert found == {
        # One of them twice: of a call of three pieces, nobody asks what it shares.
        "read_message": 2 * answers,
        "clean_piece": 2 * answers,
        # Questions and answers; then two sorts of pieces, first without those of a model.
        "pack_text": 2 * answers + 2,
        # Each message to be cleaned; and to be named, of each call its reply, its sorts and two new pieces, of the
        # first twenty twice, until the store is known.
        "__call__": 2 * answers + 4 * answers + 4 * 20,
        # For each call itself; for twenty calls whether they are there, and six more; and what a run takes.
        "run": answers + 7 * answers // 20 + 8,
    }


def make_conversation(calls: int) -> list[RecordedCall]:
    """Calls with a tool, a system prompt and marks, each with two messages more."""
    head = tool("read"), system("Be brief. " * 400, mark=True)
    texts = [f"Words {n}." for n in range(2 * calls)]
    return [
        call(*head, *said(*texts[: 2 * n + 1], mark=True), minute=n, usage=usage(9, 2000 + n, 9)) for n in range(calls)
    ]


@pytest.mark.parametrize("calls", SIZES)
def test_a_report_counts_each_piece_once(tmp_path: Path, calls: int) -> None:
    """Texts are unpacked and counted as often as there are pieces, not once for each call."""
    with open_store(tmp_path / "calls.sqlite") as store:
        store.add_all([(each, None) for each in make_conversation(calls)])
    with open_store(tmp_path / "calls.sqlite") as store:
        stored = store.list_calls()
        found = count_calls(
            lambda: make_report([each.read_call() for each in stored]),
            stored_texts.unpack_text,
            cache_key.count_piece,
        )
    pieces = 2 + 2 * calls - 1
    assert found == {
        # The sorts come once without those of a model, and there is one reply, an empty one.
        "unpack_text": pieces + 3,
        # Two new pieces a call, the one whose mark has moved on, and all of the last call for its shares.
        "count_piece": 3 + 3 * (calls - 1) + pieces,
    }


@pytest.mark.parametrize("index", [known_text.anchor_text, known_text.index_text])
def test_a_plain_file_is_indexed_as_a_whole(index: Callable[[str], object]) -> None:
    """The lines of a text are numbered by calls of C: those of Python do not grow with the lines."""
    called: list[int] = []

    for lines in SIZES:
        text, count = "one two three four five six\n" * lines, Counter[str]()

        def follow(frame: FrameType, event: str, _: object, count: Counter[str] = count) -> None:
            count[event] += 1

        sys.setprofile(follow)
        try:
            index(text)
        finally:
            sys.setprofile(None)
        called.append(count["call"])
    assert called[0] == called[1]
