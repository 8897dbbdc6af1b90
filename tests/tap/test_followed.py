"""`overture tap -- cursor-agent`: what passes closed is taken from the transcript that the program writes meanwhile."""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from .logs.cursor_home import AGAIN, MORE, SESSION, TALK, lines, transcript, user
from .provider import provider
from .test_command import Place

AGENT = """#!{python}
import glob, pathlib, sqlite3, sys, time
path = pathlib.Path({path!r})
path.parent.mkdir(parents=True, exist_ok=True)
with path.open("a") as file:
    file.write({first!r})
    file.flush()
    # As they are written: it goes on when the first calls are in the store.
    while not any(sqlite3.connect(each).execute("SELECT 1 FROM calls").fetchall() for each in glob.glob({store!r})):
        time.sleep(0.05)
    file.write({last!r})
"""


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Place]:
    with provider() as there:
        made = Place(tmp_path, there)
        (made.folder / ".git").mkdir()
        (tmp_path / "bin").mkdir()
        made.environ["PATH"] = f"{tmp_path / 'bin'}:{made.environ['PATH']}"
        made.environ |= {"XDG_CONFIG_HOME": "", "CURSOR_CONFIG_DIR": ""}
        yield made


def _agent(place: Place, path: Path, first: str, last: str) -> None:
    """A made-up program of that name, which asks nobody and writes a transcript."""
    program = place.folder.parent / "bin" / "cursor-agent"
    values = {"path": str(path), "first": first, "last": last}
    values["store"] = str(place.data / "overture" / "tap" / "*.sqlite")
    program.write_text(AGENT.format(python=sys.executable, **values))
    program.chmod(0o755)


def test_calls_are_taken_as_they_are_written_and_at_the_end(place: Place) -> None:
    """They are of this run, what was there before is not, and the report says where they are from."""
    home = place.folder.parent
    path = transcript(home, place.folder, *TALK)
    _agent(place, path, lines(*MORE), lines(user(AGAIN), MORE[1]))
    done = place.tap("cursor-agent")
    assert done.returncode == 0
    said = done.stderr.splitlines()
    assert "its calls are taken from the transcript that it writes" in said[0]
    assert said[1].startswith("overture tap: 2 calls in 1 conversation")
    assert said[2] == (
        "  2 calls are from the transcript that the program wrote: what it asks its own servers is closed."
    )
    calls = place.calls()
    assert [(call["program"], call["key"]) for call in calls] == [("cursor-agent", SESSION)] * 2
    assert len({call["run"] for call in calls}) == 1
    told = place.asked("import", "--cursor")
    assert "3 calls from" in told.stdout and "2 new, 1 was there already" in told.stdout


def test_a_transcript_of_claude_codes_form_is_followed_too(place: Place) -> None:
    """Qoder writes such ones; what it counts there is nothing, and is not taken for a count."""
    folder = place.folder.parent / ".qoder" / "projects" / re.sub(r"[^A-Za-z0-9]", "-", str(place.folder))
    asked = {"role": "user", "content": "Which roses need water?"}
    usage = {"input_tokens": 0, "output_tokens": 0, "credits": 0.4}
    said: dict[str, Any] = {
        "role": "assistant",
        "id": "m1",
        "model": "efficient",
        "stop_reason": "end_turn",
        "usage": usage,
    }
    said["content"] = [{"type": "text", "text": "The red ones."}]
    own = {"sessionId": "s", "timestamp": "2026-11-16T04:00:00.000Z", "cwd": str(place.folder)}
    first = {**own, "type": "user", "uuid": "u", "message": asked}
    _agent(
        place, folder / "s.jsonl", lines(first, {**own, "type": "assistant", "parentUuid": "u", "message": said}), ""
    )
    (place.folder.parent / "bin" / "cursor-agent").rename(place.folder.parent / "bin" / "qodercli")
    done = place.tap("qodercli")
    assert "1 call is from the transcript that the program wrote" in done.stderr
    (call,) = place.calls()
    assert (call["program"], call["model"], call.get("usage")) == ("qodercli", "efficient", None)
    assert any("counts no tokens" in each for each in cast(list[str], call["missing"]))


def test_a_program_that_writes_nothing_has_no_calls(place: Place) -> None:
    """And an old transcript does not become one of this run."""
    transcript(place.folder.parent, place.folder, *TALK)
    program = place.folder.parent / "bin" / "cursor-agent"
    program.write_text("#!/bin/sh\nexit 3\n")
    program.chmod(0o755)
    done = place.tap("cursor-agent")
    assert done.returncode == 3 and "no call of a model was seen" in done.stderr
    assert place.asked("list", "--since", "all").stdout.count(SESSION) == 0
