"""`overture tap import --cursor`: what Cursor wrote down of its sessions, and what lies beside it."""

import hashlib
import json
import os
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from overture.tap.logs.open_log import Log, opened

from .cursor_home import (
    AGAIN,
    ASKED,
    ENDED,
    KEPT,
    MORE,
    SESSION,
    SYSTEM,
    TALK,
    assistant,
    chat_store,
    editor_state,
    lines,
    transcript,
    transcripts,
    user,
)
from .test_import_command import Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    made.environ |= {"XDG_CONFIG_HOME": "", "CURSOR_CONFIG_DIR": ""}
    return made


def _calls(place: Place) -> list[dict[str, Any]]:
    listed = json.loads(place.told("list", "--since", "all", "--json"))["calls"]
    shown = [json.loads(place.told("show", call["id"], "--json"))["call"] for call in listed]
    assert [call["id"] for call in shown] == [call["id"] for call in listed]
    return shown


def test_a_transcript_alone_tells_what_was_said_and_what_it_does_not_hold(place: Place) -> None:
    """Each line of an answer is a call; nothing is made up: no tools, no system prompt, no counts, no model."""
    transcript(place.home, place.garden, *TALK)
    assert f"2 calls from {transcripts(place.home, place.garden)}" in place.told("import", "--cursor")
    first, second = _calls(place)
    assert [piece["text"] for piece in first["pieces"]] == [ASKED]
    assert (first["at"], first["model"], first["calls"]) == ("2026-09-19T04:02:00.000+00:00", "", ["Read"])
    assert [piece.get("what", "text") for piece in second["pieces"]] == ["text", "text", "tool call"]
    assert second["reply"] == "The red ones." and "usage" not in second
    assert second["unknown"] == ["tool", "system", "message", "mark"]
    said = " ".join(second["missing"])
    for word in ("the system prompt, the tools", "what tools answered", "what was counted"):
        assert word in said


def test_what_lies_beside_it_tells_the_rest(place: Place) -> None:
    """The store of its program for the terminal holds the system prompt, what tools answered, and the model."""
    transcript(place.home, place.garden, *TALK, *MORE)
    store, writer = chat_store(place.home)
    writer.execute("BEGIN EXCLUSIVE")
    before = {path.name: hashlib.sha256(path.read_bytes()).digest() for path in store.parent.iterdir()}
    place.told("import", "--cursor")
    assert {path.name: hashlib.sha256(path.read_bytes()).digest() for path in store.parent.iterdir()} == before
    writer.close()
    first, second, third = _calls(place)
    assert [(piece["kind"], piece.get("what", "text")) for piece in second["pieces"]] == [
        ("system", "text"), ("message", "text"), ("message", "text"), ("message", "thinking"), ("message", "text"),
        ("message", "tool call"), ("message", "tool result"),
    ]  # fmt: skip
    assert (second["pieces"][0]["text"], second["pieces"][-1]["text"]) == (SYSTEM, "Red: dry.")
    assert second["unknown"] == ["tool", "mark"]
    assert (first["model"], second["model"]) == ("composer-1", "gpt-5")
    assert "used last" in " ".join(second["missing"]) and "used last" not in " ".join(first["missing"])
    # The store does not hold this one yet: what it says of the system prompt still counts.
    assert third["pieces"][0]["text"] == SYSTEM and third["unknown"] == ["tool", "message", "mark"]


def test_the_model_of_a_conversation_in_the_editor_is_the_editors(place: Place) -> None:
    """It stands in the editor's state, which is read and not changed."""
    transcript(place.home, place.garden, *TALK)
    state = editor_state(place.home, "claude-opus-4-5")
    before = state.read_bytes()
    place.told("import", "--cursor")
    assert [call["model"] for call in _calls(place)] == ["claude-opus-4-5"] * 2
    assert (state.read_bytes(), [path.name for path in state.parent.iterdir()]) == (before, [state.name])


def test_sub_agents_are_conversations_of_their_session(place: Place) -> None:
    """Their transcripts lie below that of the session, and their calls are in its run."""
    path = transcript(place.home, place.garden, *TALK)
    child = path.parent / "subagents" / "7d0a3a52-61f5-4a39-8a86-0d4c35b2a001.jsonl"
    child.parent.mkdir()
    child.write_text(lines(user("<user_query>Count the beds.</user_query>"), assistant("Four."), ENDED))
    place.told("import", "--cursor")
    calls = _calls(place)
    assert len({call["run"] for call in calls}) == 1
    assert {call["key"] for call in calls} == {SESSION, child.stem}


def test_of_a_transcript_that_has_grown_only_what_is_new_is_taken(place: Place) -> None:
    """Also where it was moved from one layout to the other; an answer behind which nothing stands is not yet whole."""
    path = transcript(place.home, place.garden, *TALK, *MORE[:2])
    told = place.told("import", "--cursor")
    assert "2 calls from" in told and "1 answer in it still being written" in told
    path.write_text(lines(*TALK, *MORE))
    assert "3 calls from" in (told := place.told("import", "--cursor")) and "1 new, 2 were there already" in told
    flat = path.parent.parent / path.name
    path.rename(flat)
    assert "0 new, 3 were there already" in place.told("import", "--cursor")


def test_a_turn_that_failed_is_a_call_that_failed(place: Place) -> None:
    """With what Cursor says of it; behind an answer it is said with that answer."""
    failed = {"type": "turn_ended", "status": "error", "error": "User aborted request"}
    transcript(place.home, place.garden, user(ASKED), failed, user(AGAIN), assistant("They are"), failed)
    place.told("import", "--cursor")
    first, second = _calls(place)
    assert (first["status"], first["error"]) == (0, "the turn ended: error: User aborted request")
    assert (second["status"], second["reply"], second["error"]) == (200, "They are", first["error"])


def test_a_file_is_known_by_its_contents_and_may_be_forced(place: Place) -> None:
    """Whatever its name: from a pipe, too."""
    given = lines(*TALK).encode()
    code, out, _ = place.run("import", "-", given=given)
    assert code == 0 and out.startswith("2 calls from standard input: 2 new")
    code, out, _ = place.run("import", "--as", "cursor", "-", given=given)
    assert code == 0 and "2 were there already" in out


def _not_a_database(store: Path) -> None:
    store.write_bytes(b"no database at all, but long enough to be looked at " * 40)


def _of_another_program(store: Path) -> None:
    store.unlink()
    with sqlite3.connect(store) as other:
        other.execute("CREATE TABLE notes (words TEXT)")


def _broken(store: Path) -> None:
    data = store.read_bytes()
    store.write_bytes(data[:4096] + b"\xff" * (len(data) - 4096))


@pytest.mark.parametrize("spoil", [_not_a_database, _of_another_program, _broken])
def test_a_store_that_is_none_is_said_and_the_transcript_is_taken(place: Place, spoil: Any) -> None:
    """One line names it."""
    transcript(place.home, place.garden, *TALK)
    store, writer = chat_store(place.home)
    writer.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    writer.close()
    spoil(store)
    told = place.told("import", "--cursor").splitlines()
    assert told[0].startswith("2 calls from ")
    assert f"1 place could not be read: {store}: it can't be read: " in told[1]
    assert len(told) == 3


def test_messages_in_no_plain_text_are_counted(place: Place) -> None:
    """What Cursor keeps in a form of its own is said to be missing."""
    transcript(place.home, place.garden, *TALK)
    _, writer = chat_store(place.home, opaque=2)
    writer.close()
    place.told("import", "--cursor")
    assert all("does not hold 2 of the messages" in " ".join(call["missing"]) for call in _calls(place))


def test_broken_lines_are_named_and_the_others_are_taken(place: Place) -> None:
    """With their numbers."""
    path = transcript(place.home, place.garden, *TALK)
    path.write_text('{"role": "user", "mess\n[1, 2]\n{"role": "assistant", "message": 3}\n' + path.read_text())
    told = place.told("import", "--cursor")
    assert "2 calls from" in told and "1 place could not be read: line 1: it is no JSON" in told


def test_without_a_session_that_is_said(place: Place) -> None:
    """No Cursor here, an empty transcript, one without an answer: a line each."""
    assert place.run("import", "--cursor") == (
        1, "", f"Cursor has written down no session in {place.garden}.\n",
    )  # fmt: skip
    path = transcript(place.home, place.garden)
    code, out, err = place.run("import", "--cursor")
    assert (code, out, err.count("\n")) == (1, "", 1) and "it is empty" in err
    path.write_text(lines(user(ASKED)))
    assert place.told("import", "--cursor") == f"0 calls from {path}: 0 new, 0 were there already.\n"


def test_kept_messages_are_those_of_the_same_question(place: Place) -> None:
    """The same words in answer to another question are another answer."""
    asked = [user(AGAIN), assistant("The red ones."), ENDED]
    transcript(place.home, place.garden, *asked)
    _, writer = chat_store(place.home, KEPT)
    writer.close()
    place.told("import", "--cursor")
    (call,) = _calls(place)
    assert [piece["text"] for piece in call["pieces"]] == [SYSTEM, AGAIN]


def test_a_project_is_found_by_the_name_of_a_link_to_it(place: Place) -> None:
    """The editor names a project as it was opened; a pipe among the transcripts is not waited for."""
    link = place.garden.with_name("link to it")
    link.symlink_to(place.garden)
    os.mkfifo(transcript(place.home, link, *TALK).with_name("pipe.jsonl"))
    assert "2 calls from" in place.told("import", "--cursor", "--cwd", str(link))


def test_a_log_is_read_up_to_where_it_ended_when_it_was_opened(tmp_path: Path) -> None:
    """Who writes to it faster than it is read would keep us for ever."""
    path = tmp_path / "log.jsonl"
    path.write_text(lines(*TALK))
    with opened(Log(str(path), True)) as stream, path.open("a") as more:
        first = stream.readline()
        more.write(lines(*MORE) * 1000)
        more.flush()
        assert first + stream.read() == lines(*TALK).encode()
